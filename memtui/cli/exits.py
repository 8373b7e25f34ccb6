"""The exit codes of the command line."""

USERS_MISTAKE = 2
"""What was asked for makes no sense."""
FAILED = 1
"""It could not be done."""
INTERRUPTED = 130
"""It was broken off by a key."""
