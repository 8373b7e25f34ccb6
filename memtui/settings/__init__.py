"""What the app lets one choose, beside what memory does."""
