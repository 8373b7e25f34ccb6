"""What sessions did with what they were given."""
