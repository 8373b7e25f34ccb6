"""Readers: one for each transcript format, all giving the same events."""
