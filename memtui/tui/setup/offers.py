"""What a project offers its memory: sessions on disk, hooks of its clients, notes to import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client_file import command_in_use
from memtui.formatting import count, plural
from memtui.hooks.at_hand import clients_to_hook
from memtui.hooks.install import plan_install, plan_uninstall, settings_path
from memtui.hooks.status import HookStatus, hook_status
from memtui.tui.setup.offer import Kind, Offer
from memtui.tui.setup.programs import program_offers
from store.agents.client import Home
from store.agents.hooks import HookState
from store.agents.registry import client_named, clients
from store.errors import StoreError

if TYPE_CHECKING:
    from store import Memory
    from store.agents.client import Client, SessionFile

_BANKS = ("memory-bank", ".serena/memories", ".memory")
"""Where banks of notes are kept, from the project's folder."""


def find_offers(memory: Memory, home: Home, project: Path, *, is_demo: bool = False) -> list[Offer]:
    """What was found, in the order in which one would begin; of the demo, not it itself."""
    files = memory.sessions.files(home)
    found = [_sessions(memory, files)]
    if files:
        found.append(_memories(memory, files))
    hooked = clients_to_hook(memory, home, project)
    found += [_hooks(client, home) for client in clients() if client.name in hooked]
    if not is_demo:
        found += program_offers(memory)
    found += _git(memory)
    found += [
        Offer(Kind.NOTES, name, f"Import {name}", "", source=project / name)
        for name in notes_in(project)
    ]
    found.append(Offer(Kind.NOTES, "other", "Import something else", "a file or a folder"))
    return found if is_demo else [*found, Offer(Kind.DEMO, "demo", "Open the demo", "sample data")]


def notes_in(project: Path) -> list[str]:
    """The notes that a project keeps already: instruction files of any client, and banks."""
    files = (
        each.pattern
        for client in clients()
        for each in client.context
        if each.category == "instruction" and not each.of_user and each.pattern.endswith(".md")
    )
    names = dict.fromkeys((*(name for name in files if "*" not in name), *_BANKS))
    return [name for name in names if (project / name).exists()]


def _sessions(memory: Memory, files: Sequence[SessionFile]) -> Offer:
    waiting = memory.sessions.to_index(files)
    if not files:
        state = "none found"
    elif not waiting:
        state = f"{count(len(files))} indexed"
    else:
        state = found_in_words(waiting)
    return Offer(
        Kind.SESSIONS,
        "sessions",
        "Index sessions",
        state,
        done=bool(files) and not waiting,
        files=tuple(waiting),
    )


def _memories(memory: Memory, files: Sequence[SessionFile]) -> Offer:
    """What the sessions teach, where none of them was captured yet; else how many were."""
    captured = sum(1 for digest in memory.sessions.digests() if digest.memories)
    return Offer(
        Kind.MEMORIES,
        "memories",
        "Capture memories",
        f"{plural(captured, 'session')} captured" if captured else "from these sessions",
        done=bool(captured),
        files=tuple(files),
    )


def sessions_in_words(files: Sequence[SessionFile]) -> str:
    """`18 sessions of Claude Code, 3 of Codex`."""
    return ", ".join(_by_client(files))


def found_in_words(files: Sequence[SessionFile]) -> str:
    """`18 sessions of Claude Code and 3 of Codex found here`."""
    *others, last = _by_client(files)
    listed = [", ".join(others), last] if others else [last]
    return f"{' and '.join(listed)} found here"


def _by_client(files: Sequence[SessionFile]) -> list[str]:
    """The sessions of each client, the most first; only the first says that they are sessions."""
    counted = Counter(file.client for file in files).most_common()
    return [
        f"{count(number) if before else plural(number, 'session')} of {client_named(name).title}"
        for before, (name, number) in enumerate(counted)
    ]


def _hooks(client: Client, home: Home) -> Offer:
    path = settings_path(client, home)
    title = f"Hooks for {client.title}"
    try:
        states = hook_status(client, home)
        plan = plan_install(client, path, command_in_use())
        removal = plan_uninstall(client, path)
    except StoreError as error:
        return Offer(Kind.HOOKS, client.name, title, "unreadable", problem=error.message)
    is_whole = bool(states) and all(it.active for it in states)
    return Offer(
        Kind.HOOKS,
        client.name,
        title,
        "installed" if is_whole else _state_of(states),
        done=is_whole,
        plan=None if plan.is_empty else plan,
        removal=None if removal.is_empty else removal,
        hooks=states,
    )


def _git(memory: Memory) -> Iterator[Offer]:
    from store.git.setup import git_status, plan_git_install, plan_git_uninstall

    title = "Merge driver for git"
    try:
        status = git_status(memory.path)
        if not status.is_tracked:
            return
        plan = plan_git_install(memory.path, command_in_use())
        removal = plan_git_uninstall(memory.path)
    except StoreError as error:
        yield Offer(Kind.GIT, "git", title, "unreadable", problem=error.message)
        return
    yield Offer(
        Kind.GIT,
        "git",
        title,
        "not installed" if status.is_offered else "installed",
        done=not status.is_offered,
        plan=plan if status.is_offered else None,
        removal=None if removal.is_empty else removal,
    )


def _state_of(states: tuple[HookStatus, ...]) -> str:
    """What is wrong with hooks: the commonest trouble, where some are installed."""
    troubles = Counter(it.state for it in states if not it.active)
    if troubles[HookState.MISSING] == len(states):
        return "not installed"
    (worst, number), *_ = troubles.most_common()
    return f"{count(number)} of {count(len(states))} {worst}"
