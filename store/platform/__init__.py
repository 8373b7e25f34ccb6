"""Files that survive: read with care, replaced atomically and durably, reached by no link."""
