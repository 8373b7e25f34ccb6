"""What sentences say: which are whole, idle, of a cause, of trouble, worth keeping."""
