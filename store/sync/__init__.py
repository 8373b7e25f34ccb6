"""Memories of the user's data folder, the same on all machines through one git repository."""
