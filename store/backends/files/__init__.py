"""The record on disk: names, locks, durable files, the JSON store."""
