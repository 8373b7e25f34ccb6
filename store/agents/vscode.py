"""VS Code: it keeps no sessions that we read; its agent starts MCP servers."""

from __future__ import annotations

import sys
from pathlib import Path

from store.agents.client import Client, Home, ServerList

AGENT = "vscode"


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
    servers=ServerList(
        servers_file,
        key="servers",
        form="typed",
        folder="${workspaceFolder}",
        after_install="Start the server from the file, or by `MCP: List Servers` in VS Code.",
    ),
    has_comments=True,
)
