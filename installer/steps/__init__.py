"""The steps of the Windows build, each one part of the story that build.py tells."""
