"""What sessions did with what they were told."""
