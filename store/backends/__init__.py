"""Where records are kept: one protocol, a folder for each backend."""
