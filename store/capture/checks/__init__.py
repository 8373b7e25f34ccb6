"""What failed and what mended it; which commands work."""
