"""The screen of clarifications."""
