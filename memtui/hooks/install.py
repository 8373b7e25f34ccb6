"""Installing memtui's hooks into a client's files: as a plan with a diff, and back out again.

An entry of ours is known by its command. Everything else in the file stays as it is.
"""

from __future__ import annotations

from pathlib import Path

from memtui.client_file import InstallPlan, backup_of, text_there
from store.agents.client import Client, Home, Hooks
from store.agents.hook_files import HookFile, hook_file
from store.agents.hooks import COMMAND
from store.errors import NotFound
from store.platform.home import check_home


def hooks_of(client: Client) -> Hooks:
    """The hooks a client offers. Raises `NotFound`."""
    if client.hooks is None:
        raise NotFound(f"{client.title} has no hooks.", "Use `memtui capture` instead.")
    return client.hooks


def settings_path(client: Client, home: Home, project: Path | None = None) -> Path:
    """The file that a client's hooks stand in: the user's, or the project's where one is named."""
    return hooks_of(client).file(home, project)


def is_installed(client: Client, home: Home) -> bool:
    """Return whether a client offers hooks, and has its folder in the user's home."""
    return client.hooks is not None and settings_path(client, home).parent.is_dir()


def plan_install(client: Client, path: Path, command: str = COMMAND) -> InstallPlan:
    """The plan that adds the hooks which are missing and renews what is outdated.

    `command` is memtui, or the path to it. Raises Unreadable for a file that its client would not
    understand: it is never overwritten. Raises StoreError for a user without a home.
    """
    check_home(path)
    writer, before = hook_file(hooks_of(client).style), text_there(path)
    after = writer.with_hooks(before or "", path, client, command)
    return InstallPlan(path, before, after, _bare(writer, path, before))


def plan_uninstall(client: Client, path: Path) -> InstallPlan:
    """The plan that removes exactly our entries, and what they leave empty. Raises Unreadable.

    Where that leaves what stood there before the installation, it is the old text to the letter;
    a file that the installation made is removed.
    """
    check_home(path)
    writer, before = hook_file(hooks_of(client).style), text_there(path)
    return InstallPlan(path, before, _bare(writer, path, before))


def _bare(writer: HookFile, path: Path, text: str | None) -> str | None:
    """A file's text without our hooks: as the backup has it, where that says the same."""
    if text is None or (bare := writer.without_hooks(text, path)) == text:
        return text
    kept = text_there(backup_of(path))
    if kept is None or not (writer.is_equivalent(kept, bare) or kept.strip() == bare):
        return bare or None
    return kept
