"""What must never be kept or told: secrets and private text."""
