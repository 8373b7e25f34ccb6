"""Hooks that agents call at session start, prompt and end."""
