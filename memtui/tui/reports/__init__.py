"""Activity, history and statistics."""
