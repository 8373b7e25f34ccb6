"""VS Code: it keeps no sessions that we read; its agent starts MCP servers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import Client, Head, Home, ServerList, SessionFile
from store.agents.transcript import Event

AGENT = "vscode"


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """None."""
    return iter(())


def matches_format(head: Head) -> bool:
    """No file is one of its sessions."""
    return False


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Read no event: no file is one of its sessions."""
    return iter(())


def servers_file(home: Home, project: Path | None) -> Path:
    """The servers of the user's default profile, or of a project."""
    if project is not None:
        return project / ".vscode" / "mcp.json"
    if sys.platform == "darwin":
        return home.path / "Library" / "Application Support" / "Code" / "User" / "mcp.json"
    return home.folder("XDG_CONFIG_HOME", ".config") / "Code" / "User" / "mcp.json"


CLIENT = Client(
    name=AGENT,
    title="VS Code",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    servers=ServerList(
        servers_file,
        key="servers",
        form="typed",
        folder="${workspaceFolder}",
        comments=True,
        after_install="Start the server from the file, or by `MCP: List Servers` in VS Code.",
    ),
)
