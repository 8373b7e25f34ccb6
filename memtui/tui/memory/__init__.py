"""One memory, opened or beside the list."""
