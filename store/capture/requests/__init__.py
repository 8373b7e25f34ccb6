"""What was asked, and what a person ruled."""
