"""What an observation must be to be stored or changed, and what it gets on its way in."""
