"""One memory, opened or next to the list."""
