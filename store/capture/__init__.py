"""From a session to observations."""
