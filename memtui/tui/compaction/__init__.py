"""The compaction preview: what merges into what, and what it saves."""
