"""Questions between agents, as AgentX keeps them: asked, answered, resolved, escalated (ADR-1)."""
