"""What the plant talks about: pure values, no input or output."""
