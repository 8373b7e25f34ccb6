"""What sessions did with the memories that they were given."""
