"""Many related observations into few."""
