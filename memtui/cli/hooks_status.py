"""`memtui hooks status`: which hooks are active, and why others are not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from memtui.cli.exits import FAILED
from memtui.cli.options import json_option, project_option
from memtui.cli.output import note, paint, print_json, print_line
from memtui.client_command import command_path, is_put_down
from memtui.formatting import shown_path
from memtui.hooks.status import HookStatus, hook_status, settings_path
from memtui.hooks.version import installed_version, is_too_old
from store.agents.client import Client, Home
from store.agents.hook_files import hooks_of
from store.agents.hooks import HookState
from store.agents.registry import HOOKED, client_named
from store.backends.location import named_by_environment
from store.errors import NoMemory, Unreadable
from store.platform.project import project_of
from store.text.display import visible


class _ClientHooks(NamedTuple):
    """A client's hooks, their file, and the file of its command `/remember`; why they can't be
    read, where that is so. `version` is that of the program on the PATH, empty where none is found.
    """

    client: Client
    path: Path
    hooks: Sequence[HookStatus]
    command: Path | None
    problem: str = ""
    version: str = ""


@click.command()
@click.argument("agent", type=click.Choice(HOOKED), required=False)
@project_option
@json_option
def status(agent: str | None, project: Path | None, as_json: bool) -> None:
    """Show which hooks are active.

    Of a client that has hooks it also names the version that is installed.
    Exit code 1 if an installed hook would not run, a client's file can't be read, or MEMTUI_DIR
    names no memory.
    """
    if trouble := _misplaced():
        note(trouble)
    clients = [_read(client_named(name), project) for name in ([agent] if agent else HOOKED)]
    if as_json:
        print_json([_as_data(found) for found in clients])
    else:
        for found in clients:
            _print(found, is_named=agent is not None)
    states = {hook.state for found in clients for hook in found.hooks}
    if (
        trouble
        or states - {HookState.ACTIVE, HookState.MISSING}
        or any(found.problem for found in clients)
    ):
        raise click.exceptions.Exit(FAILED)


def _misplaced() -> str:
    """Return why hooks that run with the variables of this shell find no memory; else nothing."""
    try:
        named_by_environment(Path.cwd(), os.environ)
    except NoMemory as error:
        return f"Hooks with the variables of this shell fail: {error.full_message}"
    return ""


def _read(client: Client, project: Path | None) -> _ClientHooks:
    here = project_of(Path.cwd())
    root, home = here.root if here else None, Home.of_user()
    try:
        hooks = hook_status(client, home, project, here=root)
    except Unreadable as error:
        path = settings_path(client, home, project)
        return _ClientHooks(client, path, (), None, error.message)
    files = {hook.file for hook in hooks if hook.file}
    path = files.pop() if len(files) == 1 else settings_path(client, home, project)
    folders = dict.fromkeys((project, root, None))  # None for the user's own files
    commands = (command_path(client, home, folder) for folder in folders)
    command = next((path for path in commands if path is not None and is_put_down(path)), None)
    has_some = any(hook.state is not HookState.MISSING for hook in hooks)
    version = installed_version(client) if has_some else ""
    if is_too_old(client, version):
        hooks = tuple(_of_old_client(hook, client, version) for hook in hooks)
    return _ClientHooks(client, path, hooks, command, version=version)


def _of_old_client(hook: HookStatus, client: Client, version: str) -> HookStatus:
    if not hook.is_active:
        return hook
    since = hooks_of(client).fire_since
    reason = f"{client.title} {version} ends it before it answers; update to {since} or newer"
    return replace(hook, state=HookState.TOO_OLD, reason=reason)


def _print(found: _ClientHooks, *, is_named: bool) -> None:
    """Print a line for each hook of a client; one in all where it was not named and has none."""
    name = found.client.name
    states = {hook.state for hook in found.hooks}
    if not is_named and states == {HookState.MISSING}:
        print_line(f"{paint(name, bold=True)}  {paint('not installed', dim=True)}")
        _print_command(found)
        return
    titled = " ".join(filter(None, (paint(name, bold=True), visible(found.version))))
    print_line(f"{titled}  {visible(shown_path(found.path))}")
    if found.problem:
        print_line(f"  {paint('·', dim=True)} {visible(found.problem)}")
    for hook in found.hooks:
        mark = paint("✓", fg="green") if hook.is_active else paint("·", dim=True)
        state = "not installed" if hook.state is HookState.MISSING else str(hook.state)
        reason = "" if hook.reason == f"in {found.path}" else hook.reason
        words = ": ".join(filter(None, ("" if hook.is_active else state, reason)))
        print_line(f"  {mark} {hook.event}: memtui hook {hook.name}  {visible(words)}".rstrip())
    _print_command(found)
    if states & {HookState.MISSING, HookState.OUTDATED, HookState.MOVED}:
        note(f"Run `memtui hooks install {name}` to fix this.")


def _print_command(found: _ClientHooks) -> None:
    if found.client.command is not None and found.command is not None:
        path = visible(shown_path(found.command))
        print_line(f"  {paint('✓', fg='green')} {found.client.command.typed}: {path}")


def _as_data(found: _ClientHooks) -> dict[str, object]:
    return {
        "agent": found.client.name,
        "version": found.version,
        "path": str(found.path),
        "problem": found.problem,
        "command": None if found.command is None else str(found.command),
        "hooks": [
            {
                "event": hook.event,
                "name": hook.name,
                "installed": hook.state is not HookState.MISSING,
                "state": str(hook.state),
                "reason": hook.reason,
            }
            for hook in found.hooks
        ],
    }
