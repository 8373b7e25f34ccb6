"""Import: a file or a folder is picked, its plan previewed."""
