"""The command line: thin commands over the store, each in a module of its own."""
