"""What was found out, reviewed, remarked, or done elsewhere."""
