"""The terminal app, a folder for each feature."""
