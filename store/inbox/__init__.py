"""What agents did to memory and to what they are told, until somebody approves it."""
