"""Naming our server in a client's file: as a plan with a diff, and back out again."""

from __future__ import annotations

from pathlib import Path

from memtui.client_file import InstallPlan, backup_of, read_text, text_there
from store.agents.client import Client, Home, ServerList
from store.agents.hooks import COMMAND
from store.agents.server_files import server_in, with_server, without_server
from store.errors import NotFound
from store.platform.home import check_home

_BACKUP = ".memtui-mcp-backup"


def servers_of(client: Client) -> ServerList:
    """Server list of a client. Raises `NotFound`."""
    if client.servers is None:
        raise NotFound(f"{client.title} starts no MCP servers.", "Use its hooks instead.")
    return client.servers


def servers_path(client: Client, home: Home, project: Path | None = None) -> Path:
    """The file that a client's servers stand in: the user's, or the project's if one is named."""
    return servers_of(client).file(home, project)


def is_installed(client: Client, path: Path) -> bool:
    """Return whether a client's file names our server. Raises `Unreadable`."""
    return server_in(read_text(path), path, servers_of(client)) is not None


def plan_install(
    client: Client, path: Path, command: str = COMMAND, *, project: bool = False
) -> InstallPlan:
    """The plan that adds our server, or renews it where it starts memtui in another way.

    Raises Unreadable for a file that its client would not understand, StoreError for a user
    without a home.
    """
    check_home(path)
    before = text_there(path)
    after = with_server(before or "", path, servers_of(client), command, project=project)
    return InstallPlan(path, before, after, _bare(client, path, before), _BACKUP)


def plan_uninstall(client: Client, path: Path) -> InstallPlan:
    """The plan that takes our server out: to the letter what stood there. Raises Unreadable.

    A file that the installation made is removed.
    """
    check_home(path)
    before = text_there(path)
    return InstallPlan(path, before, _bare(client, path, before), None, _BACKUP)


def _bare(client: Client, path: Path, text: str | None) -> str | None:
    """A file's text without our server: as the backup has it, where it can have been that."""
    if text is None or (found := without_server(text, path, servers_of(client)))[0] == text:
        return text
    kept = text_there(backup_of(path, _BACKUP))
    if kept is None or not (kept in found or kept.strip() == found[0]):
        return found[0] or None
    return kept
