"""Finders: each module looks for one kind of fact that a session leaves, in its `find`."""
