"""JSON-RPC 2.0 of the evolving memory: seven methods, each held to the agent that asks."""
