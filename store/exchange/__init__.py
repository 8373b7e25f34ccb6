"""Bringing memory in from elsewhere, and giving it out: stores, JSON lines, Markdown banks."""
