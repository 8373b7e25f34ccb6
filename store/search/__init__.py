"""Search: the query language, and the index that answers it."""
