"""What a step of a session did: its tool, shell commands, paths, files and output."""
