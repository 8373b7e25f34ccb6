"""What the pure parts make of rich examples, kept whole, so that any change of it is looked at."""
