"""The faces of memory: command line, hooks and terminal app."""
