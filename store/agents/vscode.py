"""VS Code: the chats with Copilot in it (`vscode_chats`), and the MCP servers its agent starts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import ChannelLimits, Client, ContextFile, Home, ServerList, SessionFile
from store.agents.transcript import Event
from store.agents.vscode_chats import chat_files, is_chat, read_chat

AGENT = "vscode"


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    return read_chat(lines, AGENT)


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    return chat_files(home, AGENT)


def servers_file(home: Home, project: Path | None) -> Path:
    """Return the servers of the user's default profile, or of a project."""
    if project is not None:
        return project / ".vscode" / "mcp.json"
    if sys.platform == "darwin":
        return home.path / "Library" / "Application Support" / "Code" / "User" / "mcp.json"
    return home.folder("XDG_CONFIG_HOME", ".config") / "Code" / "User" / "mcp.json"


CLIENT = Client(
    name=AGENT,
    title="VS Code",
    session_files=session_files,
    matches_format=is_chat,
    read=read,
    limits=ChannelLimits(tokenizer="gpt"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".github/copilot-instructions.md"),
    ),
    servers=ServerList(
        servers_file,
        key="servers",
        form="typed",
        folder="${workspaceFolder}",
        after_install="Start the server from the file, or by `MCP: List Servers` in VS Code.",
    ),
    has_comments=True,
)
