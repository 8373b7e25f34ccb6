"""Set up: what was found for a memory to begin with, and the hooks that keep it going."""
