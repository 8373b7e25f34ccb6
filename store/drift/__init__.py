"""Memories compared with the code that they name: files, lines, names, commands."""
