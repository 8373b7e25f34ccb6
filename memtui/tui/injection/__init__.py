"""The injection preview: what a session would be told, and why."""
