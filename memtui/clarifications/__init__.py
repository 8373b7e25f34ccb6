"""Questions between agents, in words that commands and screens share."""
