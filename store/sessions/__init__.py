"""Sessions: conversations with agents, found on disk, kept as digests, indexed by message."""
