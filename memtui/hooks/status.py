"""State of our hooks in a client's file: each would run or not, and why."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client_file import read_text
from store.agents.client import Client, Home
from store.agents.hook_files import hook_file, hooks_of
from store.agents.hooks import Hook, HookEntry, HookState, line_of, split
from store.agents.registry import HOOKED, client_named
from store.errors import StoreError

if TYPE_CHECKING:  # most who ask have no memory open
    from store.memory import Memory

RUNNING = frozenset({HookState.ACTIVE, HookState.OUTDATED, HookState.TWICE})
"""The states in which a client runs a hook."""

_OPEN = "a project's PYTHONPATH reaches it; install it again"
"""Said of a hook in the user's own file that starts memtui by its name or path, as those did that
were installed before; a project's file, which is shared, can name no Python."""


@dataclass(frozen=True, slots=True)
class HookStatus:
    """One of our hooks, and why it would not run; where it would, the other file that has it.

    `file` is the first file that has it; None where it is missing.
    """

    event: str
    name: str
    state: HookState
    reason: str = ""
    file: Path | None = None

    @property
    def is_active(self) -> bool:
        return self.state is HookState.ACTIVE


def settings_path(client: Client, home: Home, project: Path | None = None) -> Path:
    """Return the file of a client's hooks: the user's, or the project's where one is named."""
    return hooks_of(client).file(home, project)


def is_installed(client: Client, home: Home) -> bool:
    """Return whether a client offers hooks, and has its folder in the user's home."""
    return client.hooks is not None and settings_path(client, home).parent.is_dir()


def hook_status(
    client: Client, home: Home, project: Path | None = None, *, here: Path | None = None
) -> tuple[HookStatus, ...]:
    """Return the state of each hook in the user's file, or the project's where one is named.

    `here` is the project of the question: other files that the client reads there count, too.
    Raises `Unreadable`.
    """
    hooks, place = hooks_of(client), project or here
    path = settings_path(client, home, project)
    files = [path, *(settings_path(client, home, item) for item in (None, place))]
    files += hooks.others(home, place) if hooks.others is not None else ()
    style = hook_file(client)
    placed = {file: style.entries(read_text(file), file) for file in dict.fromkeys(files)}
    found = (_status(client, home, place, hook, placed, path) for hook in hooks.events)
    return tuple(found) + tuple(_strangers(client, placed[path]))


def start_hook(client: Client, home: Home, project: Path) -> HookState:
    """Return the state of the hook that injects memory into a client's session in a project. Raises
    `Unreadable`.
    """
    name = "user-prompt" if hooks_of(client).starts_with_prompt else "session-start"
    found = hook_status(client, home, here=project)
    return next(hook.state for hook in found if hook.name == name)


def _status(
    client: Client,
    home: Home,
    place: Path | None,
    hook: Hook,
    placed: Mapping[Path, list[HookEntry]],
    path: Path,
) -> HookStatus:
    """Return the state of one hook in the first file that has it: the first thing that is wrong."""
    hooks = hooks_of(client)
    ours = [
        (file, item)
        for file, entries in placed.items()
        for item in entries
        if (item.event, item.name) == (hook.event, hook.name)
    ]
    if not ours:
        return HookStatus(hook.event, hook.name, HookState.MISSING)
    (file, entry), *more = ours
    state, reason = HookState.ACTIVE, f"in {file}" if file != path else ""
    program = entry.words[0]
    if shutil.which(program) is None:
        is_path = Path(program).name != program
        reason = f"{program} no longer exists" if is_path else f"`{program}` is not on PATH"
        state = HookState.MOVED
    elif entry.line != line_of(program, hook, client.name):
        state, reason = HookState.OUTDATED, "installed by another version"
    elif entry.seconds is not None and entry.seconds * hooks.unit != hook.seconds:
        state, reason = HookState.OUTDATED, "its time limit differs"
    elif trouble := hooks.trouble(home, file, entry, place) if hooks.trouble else None:
        state, reason = trouble
    elif more and not (hooks.runs_once and all(other.line == entry.line for _, other in more)):
        also = [other for other, _ in more if other != file]
        state = HookState.TWICE
        reason = f"also in {also[0]}" if also else f"listed {len(ours)} times"
    elif file == settings_path(client, home) and entry.words == split(entry.line):
        reason = _OPEN
    return HookStatus(hook.event, hook.name, state, reason, file)


def _strangers(client: Client, entries: list[HookEntry]) -> list[HookStatus]:
    """Hooks of ours that this version does not install."""
    known = {(hook.event, hook.name) for hook in hooks_of(client).events}
    return [
        HookStatus(entry.event, entry.name, HookState.OUTDATED, "not used by this version")
        for entry in entries
        if (entry.event, entry.name) not in known
    ]


def client_at_hand(memory: Memory, home: Home, project: Path) -> str:
    """Return the name of the client whose hooks inject here; of several, and of none, the one that
    was used here last; else one that is installed, else the first we know.
    """
    hooked = [name for name in HOOKED if has_running_hook(name, home, project)]
    if len(hooked) == 1:
        return hooked[0]
    among = hooked or HOOKED
    used = next(
        (file.client for file in memory.session_files.of_project(home) if file.client in among), ""
    )
    installed = (name for name in among if is_installed(client_named(name), home))
    return used or next(installed, among[0])


def clients_to_hook(memory: Memory, home: Home, project: Path) -> list[str]:
    """Return the names of the clients that hooks are offered for: those installed, else the one at
    hand.
    """
    installed = [name for name in HOOKED if is_installed(client_named(name), home)]
    return installed or [client_at_hand(memory, home, project)]


def has_running_hook(name: str, home: Home, project: Path) -> bool:
    """Return whether a hook of the client would run; what can't be read runs none."""
    try:
        return start_hook(client_named(name), home, project) in RUNNING
    except StoreError:
        return False
