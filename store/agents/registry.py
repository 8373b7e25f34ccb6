"""The clients by name. Adding one is its module and a line here.

Names cost no import: only the module of a client that is asked for is loaded, so that a hook knows
nothing of other clients.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from store.agents.client import Client
from store.errors import InvalidObservation

NAMES = (
    "claude-code",
    "codex",
    "gemini-cli",
    "qwen-code",
    "antigravity",
    "goose",
    "kilo",
    "opencode",
    "pi",
    "kimi",
    "cursor",
    "copilot",
    "roo",
    "cline",
    "continue-dev",
    "vscode",
    "aider",
    "specstory",
)
"""The clients, in the order in which a file is tried to be recognised."""


HOOKED = (
    "claude-code", "codex", "gemini-cli", "qwen-code", "opencode", "kilo", "pi", "kimi", "cursor",
    "copilot", "antigravity",
)  # fmt: skip
"""Those whose hooks we know, and so can be told something."""

ASKED = ("claude-code", "codex", "gemini-cli", "qwen-code", "opencode", "pi", "copilot")
"""Those that answer a prompt on standard input, so that their language model can be asked."""

IN_PROJECTS = ("aider", "specstory")
"""Those that keep sessions in the projects where they ran."""

PARENTS = {
    "claude-code": "*.jsonl",
    "codex": "rollout-*",
    "gemini-cli": "chats/session-*.jsonl",
    "qwen-code": "chats/*.jsonl",
    "kimi": "agents/main/wire.jsonl",
    "cursor": "agent-transcripts/*/*.jsonl",
    "cline": "*.messages.json",
}
"""Those whose sub-agents keep files of their own, and how the files of their sessions are named."""

SERVED = (
    "claude-code", "codex", "cursor", "gemini-cli", "qwen-code", "opencode", "kilo", "pi", "kimi",
    "copilot", "cline", "continue-dev", "vscode",
)  # fmt: skip
"""Those that start MCP servers, and say so in a file that we know."""


def client_named(name: str) -> Client:
    """Return the client of this name. Raises `InvalidObservation`."""
    if name not in NAMES and name not in SERVED:
        raise InvalidObservation(f"Unknown client {name!r}.", f"One of: {', '.join(NAMES)}.")
    module = importlib.import_module(f"store.agents.{name.replace('-', '_')}")
    client: Client = module.CLIENT
    return client


def clients() -> Iterator[Client]:
    return map(client_named, NAMES)
