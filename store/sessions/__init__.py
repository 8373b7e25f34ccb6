"""Conversations with agents: listed, read, indexed, kept at checkpoints."""
