"""The styles of clients' files that hold our hooks, a module each."""
