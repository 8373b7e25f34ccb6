"""What must never be kept or told, and text without it."""
