"""All that an agent is told at the start of a session here, and by whom."""
