"""JSON-RPC 2.0 of the evolving memory and of a vault, each held to the agent that asks."""
