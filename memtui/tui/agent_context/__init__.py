"""All that an agent has in its context at the start of a session here, and from where."""
