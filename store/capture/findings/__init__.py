"""What was found out, reviewed, or done elsewhere."""
