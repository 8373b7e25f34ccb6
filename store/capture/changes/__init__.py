"""What was changed, what for, and why."""
