"""The injection preview: what a session would be given, and why."""
