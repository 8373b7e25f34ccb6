"""What happened to memory: told as events, written to the activity log, read from it."""
