"""What agents did to memory and to what they are given, until somebody approves it."""
