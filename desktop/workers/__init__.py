"""The only threads of the window: commands in, events out."""
