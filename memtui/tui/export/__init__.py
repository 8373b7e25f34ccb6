"""Copy to the clipboard, save to a file."""
