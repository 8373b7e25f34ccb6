"""What a client has in a session's context at its start, part by part."""
