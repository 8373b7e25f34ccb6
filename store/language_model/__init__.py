"""Capture with a language model: what it is asked, the program that asks it, what it answered."""
