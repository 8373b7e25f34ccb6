"""Activity: events, and the log that they are written to and read from."""
