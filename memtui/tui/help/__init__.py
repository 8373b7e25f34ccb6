"""Keys and manual."""
