"""The faces of memory: command line, hooks, servers and terminal app."""

__version__ = "0.1.0"
