"""Whether what a memory says of the code still holds: files, lines, names, commands."""
