"""Redaction: secrets and private passages, and text without them."""
