"""The derived full-text index and the query language."""
