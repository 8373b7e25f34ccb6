"""The headless store of agents' memory."""
