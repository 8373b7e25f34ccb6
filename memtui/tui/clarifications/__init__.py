"""The screen of questions between agents."""
