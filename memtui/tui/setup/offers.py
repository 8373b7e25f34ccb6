"""Offers to a project's memory: sessions, hooks, a model for capture, notes to import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memtui.client_command import RememberFile, command_path
from memtui.client_file import InstallPlan, command_in_use, plan_install, plan_uninstall
from memtui.formatting import count, plural, short_path
from memtui.hooks.status import HookStatus, clients_to_hook, hook_status, settings_path
from memtui.settings.programs import Program, programs_at_hand, terms
from memtui.settings.values import Owner, SettingsView, read_settings, set_value, unset_value
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.routes import Choice, Pick
from store import Memory
from store.agents.client import Client, Home, SessionFile
from store.agents.hook_files import hook_file
from store.agents.hooks import HookState
from store.agents.registry import client_named, clients
from store.backends.location import FOLDER
from store.backends.placement import SETTING as PLACE_SETTING
from store.backends.placement import MemoryPlace, chosen_place, memory_at
from store.backends.user_data import project_root
from store.errors import StoreError
from store.git.setup import GitPlan, git_status, plan_git_install, plan_git_uninstall
from store.settings.files import user_file
from store.text.display import visible


class Kind(StrEnum):
    SESSIONS = "sessions"
    MEMORIES = "memories"
    HOOKS = "hooks"
    COMMAND = "command"
    PROGRAM = "program"
    GIT = "git"
    PLACE = "place"
    NOTES = "notes"
    DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be set up. `done`: it is, and can be taken back where that is possible.

    `files` are sessions to take in, `plan` what adds hooks or a command to a client's files, or the
    merge driver to git, and `removal` what takes them out, `hooks` the state of each, `program`
    what asks a language model, `source` notes to import.
    """

    kind: Kind
    name: str
    title: str
    state: str
    done: bool = False
    files: tuple[SessionFile, ...] = ()
    plan: InstallPlan | GitPlan | None = None
    removal: InstallPlan | GitPlan | None = None
    hooks: tuple[HookStatus, ...] = ()
    program: Program | None = None
    source: Path | None = None
    problem: str = ""


SETTING = "capture_program"


def program_offers(memory: Memory) -> Iterator[Offer]:
    """Each client whose program is at hand and can be asked, and what else the settings name."""
    used = read_settings(memory).value(SETTING)
    for program in programs_at_hand(used):
        yield _offer(program, is_used=program.command == used)


def _offer(program: Program, *, is_used: bool) -> Offer:
    return Offer(
        Kind.PROGRAM,
        f"capture-{program.client or 'program'}",
        f"Capture with {program.name}",
        "used" if is_used else "not used",
        done=is_used,
        program=program,
    )


def program_details(memory: Memory, offer: Offer, program: Program) -> list[Paragraph]:
    """Details of a program: what is sent, to whom, when, at what cost, and its command's place."""
    view = read_settings(memory)
    change = _change(view, program.command, is_set=offer.done)
    return [*map(plain, terms(program.title)), BLANK, *change]


def _change(view: SettingsView, command: str, *, is_set: bool) -> Iterator[Paragraph]:
    shown = visible(command, newlines=False)
    if is_set:
        yield plain(f"Set in {short_path(visible(view.sources[SETTING], newlines=False))}:")
        yield plain(shown, "$dim")
        return
    yield plain(f"Sets {SETTING} in {short_path(visible(str(user_file()), newlines=False))}:")
    if before := view.said[Owner.USER].get(SETTING, ""):
        yield plain(visible(f"- {before}", newlines=False), "$text-error")
    yield plain(f"+ {shown}", "$text-success")


def use_program(memory: Memory, offer: Offer, program: Program) -> str:
    """Have the user's settings name the offer's command; what is to be said of it.

    Raises what `set_value` raises.
    """
    set_value(read_settings(memory), Owner.USER, SETTING, program.command)
    stronger = read_settings(memory).stronger_than(Owner.USER, SETTING)
    also = f", but {stronger} overrides it" if stronger else ""
    return f"{offer.title} from now on{also}."


def leave_program(memory: Memory) -> str:
    """Take the command out of the user's settings; what is to be said of it.

    Raises what `unset_value` raises.
    """
    unset_value(read_settings(memory), Owner.USER, SETTING)
    still = read_settings(memory).stronger_than(Owner.USER, SETTING)
    return f"{still} still sets {SETTING}." if still else "Rules pick the memories again."


_BANKS = ("memory-bank", ".serena/memories", ".memory", ".claude/memory")


def find_offers(memory: Memory, home: Home, project: Path, *, is_demo: bool = False) -> list[Offer]:
    """Find offers, in the order in which one would begin; the demo doesn't offer itself."""
    files = memory.session_files.of_project(home)
    found = [_sessions(memory, files)]
    if files:
        found.append(_memories(memory, files))
    hooked = clients_to_hook(memory, home, project)
    for client in clients():
        if client.name in hooked:
            found += [_hooks(client, home), *_command(client, home)]
    if not is_demo:
        found += program_offers(memory)
        found.append(_place())
    found += _git(memory)
    found += [
        Offer(Kind.NOTES, name, f"Import {name}", "", source=project / name)
        for name in notes_in(project)
    ]
    found += [
        Offer(Kind.NOTES, str(folder), f"Import {title}'s own memory", "", source=folder)
        for title, folder in client_memories(home, project)
    ]
    found.append(Offer(Kind.NOTES, "other", "Import something else", "a file or a folder"))
    return found if is_demo else [*found, Offer(Kind.DEMO, "demo", "Open the demo", "sample data")]


def notes_in(project: Path) -> list[str]:
    """Return the notes that a project keeps already: instruction files of any client, and banks."""
    files = (
        context.pattern
        for client in clients()
        for context in client.context
        if context.category == "instruction"
        and not context.of_user
        and context.pattern.endswith(".md")
    )
    names = dict.fromkeys((*(name for name in files if "*" not in name), *_BANKS))
    return [name for name in names if (project / name).exists()]


def client_memories(home: Home, project: Path) -> Iterator[tuple[str, Path]]:
    """The folders in which clients keep memories of a project themselves, with their titles."""
    for client in clients():
        for context in client.context:
            if context.category == "memory" and "{project}" in context.pattern and client.filed_as:
                named = context.pattern.replace("{project}", client.filed_as(project))
                folder = (home.path / named).parent
                if folder.is_dir():
                    yield client.title, folder


def _sessions(memory: Memory, files: Sequence[SessionFile]) -> Offer:
    waiting = memory.session_indexing.to_index(files)
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
    """Offer to capture sessions, where none was captured yet; else how many were."""
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
        plan = plan_install(hook_file(client), path, command_in_use())
        removal = plan_uninstall(hook_file(client), path)
    except StoreError as error:
        return Offer(Kind.HOOKS, client.name, title, "unreadable", problem=error.message)
    is_whole = bool(states) and all(hook.active for hook in states)
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


def _command(client: Client, home: Home) -> Iterator[Offer]:
    path = command_path(client, home)
    if client.command is None or path is None:
        return
    name, title = f"remember-{client.name}", f"{client.command.typed} in {client.title}"
    try:
        plan, removal = plan_install(RememberFile(), path), plan_uninstall(RememberFile(), path)
    except StoreError as error:
        yield Offer(Kind.COMMAND, name, title, "not ours", problem=error.message)
        return
    yield Offer(
        Kind.COMMAND,
        name,
        title,
        "installed" if plan.is_empty else "not installed",
        done=plan.is_empty,
        plan=None if plan.is_empty else plan,
        removal=None if removal.is_empty else removal,
    )


def _git(memory: Memory) -> Iterator[Offer]:
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


_PLACES = {
    MemoryPlace.USER: "in your data folder",
    MemoryPlace.UNTRACKED: "in the project, left out by git",
    MemoryPlace.TRACKED: "in the project, for git",
}
PLACE_SENTENCES = (
    "Memory of a project that has none begins in your data folder, for each project apart, or in "
    "the project: left out by git (.git/info/exclude), or tracked, so that what agents learned is "
    "published with it.",
    f"Sets {PLACE_SETTING} for all your projects. `memtui move` moves a memory that is there.",
)


def _place() -> Offer:
    chosen = chosen_place()
    state = _PLACES[chosen or MemoryPlace.USER]
    return Offer(
        Kind.PLACE,
        "place",
        "Where memory begins",
        state if chosen else f"{state}, unless you choose",
        done=chosen is not None,
    )


def pick_place() -> Pick[MemoryPlace]:
    """Gives the place in which memory of a project that has none may begin."""
    chosen = chosen_place() or MemoryPlace.USER
    choices = [Choice(place, name, is_chosen=place is chosen) for place, name in _PLACES.items()]
    return Pick("Where may memory begin?", choices, at=list(_PLACES).index(chosen))


def keep_place(memory: Memory, place: MemoryPlace) -> str:
    """Have memory begin in a place from now on; what is to be said of it.

    Raises what `set_value` raises.
    """
    set_value(read_settings(memory), Owner.USER, PLACE_SETTING, place)
    return f"Memory begins {_PLACES[place]}."


def begins_elsewhere(memory: Memory) -> bool:
    """Return whether this project's memory is still to begin, and would in another place."""
    place, path = chosen_place(), memory.path
    if place is None or path.exists() or path.parts[-2:] != FOLDER.parts:
        return False
    return memory_at(project_root(path), place) != path


def _state_of(states: tuple[HookStatus, ...]) -> str:
    """Return the commonest trouble of hooks, where some are installed."""
    troubles = Counter(hook.state for hook in states if not hook.active)
    if troubles[HookState.MISSING] == len(states):
        return "not installed"
    (worst, number), *_ = troubles.most_common()
    return f"{count(number)} of {count(len(states))} {worst}"
