"""How it stands with our hooks in a client's file: whether each would really run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from memtui.client_file import read_text
from memtui.hooks.install import hooks_of, settings_path
from store.agents import Client, Home, Hook, HookEntry, HookState, hook_file, line_of


@dataclass(frozen=True, slots=True)
class HookStatus:
    """One of our hooks, and why it would not run; empty where it would."""

    event: str
    name: str
    state: HookState
    reason: str = ""

    @property
    def active(self) -> bool:
        """Whether the client runs it."""
        return self.state is HookState.ACTIVE


def hook_status(
    client: Client, home: Home, project: Path | None = None, *, here: Path | None = None
) -> tuple[HookStatus, ...]:
    """The state of each hook in the user's file, or the project's where one is named.

    `here` is the project in which one asks: what stands in its file, too, runs twice. Raises
    Unreadable.
    """
    path = settings_path(client, home, project)
    entries = _entries(client, path)
    other = settings_path(client, home, None if project is not None else here)
    also = _entries(client, other) if other != path else []
    found = [_status(client, home, path, hook, entries) for hook in hooks_of(client).events]
    twice = {(it.event, it.name) for it in also}
    return tuple(
        HookStatus(it.event, it.name, HookState.TWICE, f"also in {other}")
        if it.active and (it.event, it.name) in twice
        else it
        for it in found
    ) + tuple(_strangers(client, entries))


def tells_sessions(client: Client, home: Home, project: Path) -> bool:
    """Whether a hook would run that tells a client's session what memory holds, from the user's
    file or the project's. Raises `Unreadable`.
    """
    name = "user-prompt" if hooks_of(client).starts_with_prompt else "session-start"
    runs = (HookState.ACTIVE, HookState.OUTDATED, HookState.TWICE)
    return any(
        hook.name == name and hook.state in runs
        for place in (None, project)
        for hook in hook_status(client, home, place)
    )


def _entries(client: Client, path: Path) -> list[HookEntry]:
    return hook_file(hooks_of(client).style).entries(read_text(path), path)


def _status(
    client: Client, home: Home, path: Path, hook: Hook, entries: list[HookEntry]
) -> HookStatus:
    """The state of one hook: the first thing that is wrong with it."""
    hooks = hooks_of(client)
    ours = [it for it in entries if (it.event, it.name) == (hook.event, hook.name)]
    if not ours:
        return HookStatus(hook.event, hook.name, HookState.MISSING)
    entry = ours[0]
    state, reason = HookState.ACTIVE, ""
    if not _is_there(entry.words[0]):
        state, reason = HookState.MOVED, _where(entry.words[0])
    elif entry.line != line_of(entry.words[0], hook, client.name):
        state, reason = HookState.OUTDATED, "installed by another version"
    elif entry.seconds is not None and entry.seconds * hooks.unit != hook.seconds:
        state, reason = HookState.OUTDATED, "its time limit differs"
    elif trouble := hooks.trouble(home, path, entry) if hooks.trouble else None:
        state, reason = trouble
    elif len(ours) > 1:
        state, reason = HookState.TWICE, f"listed {len(ours)} times"
    return HookStatus(hook.event, hook.name, state, reason)


def _strangers(client: Client, entries: list[HookEntry]) -> list[HookStatus]:
    """Hooks of ours that this version does not install."""
    known = {(hook.event, hook.name) for hook in hooks_of(client).events}
    return [
        HookStatus(it.event, it.name, HookState.OUTDATED, "not a hook of this version")
        for it in entries
        if (it.event, it.name) not in known
    ]


def _where(program: str) -> str:
    """Where a program that can't be started was looked for."""
    if Path(program).name == program:
        return f"`{program}` is not on PATH"
    return f"{program} is gone"


def _is_there(program: str) -> bool:
    """Whether a program can be started: by its path, or found on the PATH."""
    return shutil.which(program) is not None
