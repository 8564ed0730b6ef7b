"""The installers run for real, under wine, before a build is called done."""
