"""The hooks by name, and what each is for; without what does it."""

HOOKS = (
    "session-start", "user-prompt", "pre-compact", "post-compact", "stop", "subagent-stop",
    "session-end", "pre-tool-use", "post-tool-use",
)  # fmt: skip
"""The hooks by name."""
RECALLING = frozenset({"session-start", "user-prompt"})
"""Those that recall for a session."""
MOMENTS = frozenset({"pre-tool-use", "post-tool-use"})
"""Those of a moment."""
ENDING = frozenset({"session-end"})
"""Those after which nothing more is said: they leave a handoff."""
CAPTURING = ENDING | {"stop", "subagent-stop", "pre-compact", "post-compact"}
"""Those that capture."""
CHECKPOINTING = ENDING | {"user-prompt", "pre-compact", "stop"}
"""Those that keep a checkpoint."""
WATCHING = ENDING | {"session-start", "stop"}
"""Those that look after the questions between agents."""
