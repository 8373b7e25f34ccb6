"""Validation: the rules for observations, and their preparation on the way in."""
