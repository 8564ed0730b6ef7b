"""The tool loop; knows no Qt, no SQL, no file."""
