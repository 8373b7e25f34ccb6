"""git: asking it, being its merge driver, what changed between two commits."""
