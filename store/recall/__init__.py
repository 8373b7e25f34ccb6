"""From observations to the text put in front of a new session."""
