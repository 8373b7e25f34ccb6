"""Offers to a project's memory: sessions, hooks, a model for capture, notes to import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from memtui.formatting import count, moment, plural, short_path, size
from memtui.hooks.status import clients_to_hook
from memtui.settings.programs import Program, programs_at_hand, terms
from memtui.settings.values import Owner, read_settings, set_value, unset_value
from memtui.tui.frame import routes
from memtui.tui.frame.indexing import IndexSessions
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context, Open
from memtui.tui.memory.actions import BeginLevel
from memtui.tui.operations import import_from
from memtui.tui.setup.beginning import place_offer
from memtui.tui.setup.installs import command_offer, driver_offer, hooks_offer
from memtui.tui.setup.offer import LeaveFor, Offer
from store import Memory
from store.agents.client import Home, Loading, SessionFile
from store.agents.registry import client_named, clients
from store.backends.placement import chosen_place
from store.backends.user_data import project_root
from store.errors import StoreError
from store.exchange.topics import has_group_of
from store.model import Level
from store.platform.bounds import read_regular
from store.redaction.personal_choice import SETTING as PERSONAL_SETTING
from store.settings.files import user_file
from store.text.display import visible

_SHOWN = 12
"""Sessions or notes named in the details; the rest is counted."""
_SETTING = "capture_program"
_BANKS = ("memory-bank", ".serena/memories", ".memory", ".claude/memory")


def find_offers(context: Context, home: Home) -> list[Offer]:
    """Find offers, in the order in which one would begin; the demo doesn't offer itself."""
    memory = context.memory
    project = project_root(memory.path)
    files = memory.session_files.of_project(home)
    asks_place = not context.is_demo and chosen_place() is None
    found = [_sessions(context, files)]
    if files:
        found.append(_memories(memory, files))
    hooked = clients_to_hook(memory, home, project)
    for client in clients():
        if client.name in hooked:
            found.append(hooks_offer(client, home, asks_place=asks_place))
            found += command_offer(client, home)
    if not context.is_demo:
        found += _programs(memory)
        found += (place_offer(memory.path), _personal_data(memory))
    found += driver_offer(memory)
    found += [_notes(memory, name, name, project / name) for name in notes_in(project)]
    found += _users_notes(memory, home)
    found += [
        _notes(memory, str(source), f"{title}'s own memory", source)
        for title, source in client_memories(home, project)
    ]
    purpose = "Import another store, JSON lines or Markdown notes, after a preview."
    found.append(
        Offer(
            name="other",
            title="Import something else",
            state="a file or a folder",
            details=lambda: [plain(purpose)],
            take="app.import",
        )
    )
    if not context.is_demo:
        said_of_demo = "Opens sample data. Nothing here changes."
        found.append(
            Offer(
                name="demo",
                title="Open the demo",
                state="sample data",
                details=lambda: [plain(said_of_demo)],
                take=LeaveFor("demo", routes.Setup("demo")),
            )
        )
    return found


# Sessions


def _sessions(context: Context, files: Sequence[SessionFile]) -> Offer:
    waiting = context.memory.session_indexing.to_index(files)
    if not files:
        state, about = "none found", "No agent sessions found for this project."
    elif not waiting:
        state = f"{count(len(files))} indexed"
        about = "All sessions of this project are indexed."
    else:
        *others, last = _by_client(waiting)
        state = " and ".join([", ".join(others), last] if others else [last]) + " found here"
        about = (
            f"Reads {', '.join(_by_client(waiting))}, newest first. Nothing leaves this machine."
        )

    def details() -> Iterator[Paragraph]:
        yield plain(about)
        if waiting:
            yield plain("Keeps requests, changes and decisions; redacts secrets.")
            yield BLANK
        for file in waiting[:_SHOWN]:
            when = moment(file.modified, context.now())
            yield plain(f"{when}  {file.client}  {size(file.size)}", "$dim")
        if len(waiting) > _SHOWN:
            yield plain(f"and {plural(len(waiting) - _SHOWN, 'more session')}", "$dim")

    return Offer(
        name="sessions",
        title="Index sessions",
        state=state,
        details=details,
        done=bool(files) and not waiting,
        take=IndexSessions(tuple(waiting)) if waiting else None,
    )


def _memories(memory: Memory, files: Sequence[SessionFile]) -> Offer:
    """Offer to capture sessions, where none was captured yet; else how many were."""
    captured = sum(1 for digest in memory.sessions.digests() if digest.memories)

    def details() -> Iterator[Paragraph]:
        yield plain(
            f"Reads {', '.join(_by_client(files))} and previews what to remember: decisions, "
            "changes and why, errors and their fixes, corrections, commands that work."
        )
        if program := memory.settings.capture_program:
            hint = f"Rules pick first; then {program} can be asked, once you saw how much is sent."
            yield plain(visible(hint, newlines=False))
        yield plain("Nothing is stored before you apply it. You can undo it.")

    return Offer(
        name="memories",
        title="Capture memories",
        state=f"{plural(captured, 'session')} captured" if captured else "from these sessions",
        details=details,
        done=bool(captured),
        take=Open(routes.Capture()),
    )


def _by_client(files: Sequence[SessionFile]) -> list[str]:
    """The sessions of each client, the most first: `18 sessions of Claude Code`, `3 of Codex`."""
    counted = Counter(file.client for file in files).most_common()
    return [
        f"{count(number) if before else plural(number, 'session')} of {client_named(name).title}"
        for before, (name, number) in enumerate(counted)
    ]


# A language model for capture


def _programs(memory: Memory) -> Iterator[Offer]:
    """Yield each client whose program can be asked, and what else the settings name."""
    used = read_settings(memory).value(_SETTING)
    rules = "Rules pick the memories again."
    for program in programs_at_hand(used):
        title, is_used = f"Capture with {program.name}", program.command == used
        yield Offer(
            name=f"capture-{program.client or 'program'}",
            title=title,
            state="used" if is_used else "not used",
            details=partial(_program_details, memory, program, is_used),
            done=is_used,
            take=None if is_used else partial(_choose, memory, _SETTING, program.command, title),
            remove=partial(_leave, memory, _SETTING, rules) if is_used else None,
        )


def _program_details(memory: Memory, program: Program, is_used: bool) -> Iterator[Paragraph]:
    """Yield what is sent, to whom, when, at what cost, and where its command is set."""
    yield from map(plain, terms(program.title))
    yield BLANK
    view, command = read_settings(memory), visible(program.command, newlines=False)
    if is_used:
        yield plain(f"Set in {short_path(visible(view.sources[_SETTING], newlines=False))}:")
        yield plain(command, "$dim")
        return
    yield plain(f"Sets {_SETTING} in {short_path(visible(str(user_file()), newlines=False))}:")
    if before := view.in_files[Owner.USER].get(_SETTING, ""):
        yield plain(visible(f"- {before}", newlines=False), "$text-error")
    yield plain(f"+ {command}", "$text-success")


# Personal data


def _personal_data(memory: Memory) -> Offer:
    """Offer to redact e-mail addresses and telephone numbers as well as secrets."""
    is_redacted = memory.settings.redact_personal_data
    sentences = (
        "Secrets are always redacted. E-mail addresses and telephone numbers can be, too: in what "
        "is stored from now on, and in all that is shown or injected. What is stored already stays "
        "as it is in its files; `memtui doctor --repair` redacts it there.",
        f"Sets {PERSONAL_SETTING} for all your projects.",
    )
    title, kept = "Redact personal data", "E-mail addresses and telephone numbers stay."
    return Offer(
        name="personal-data",
        title=title,
        state="redacted" if is_redacted else "e-mail addresses and telephone numbers stay",
        details=lambda: map(plain, sentences),
        done=is_redacted,
        take=None if is_redacted else partial(_choose, memory, PERSONAL_SETTING, "true", title),
        remove=partial(_leave, memory, PERSONAL_SETTING, kept) if is_redacted else None,
    )


# A setting of the user's file


def _choose(memory: Memory, name: str, value: str, title: str) -> str:
    set_value(read_settings(memory), Owner.USER, name, value)
    stronger = read_settings(memory).stronger_than(Owner.USER, name)
    return f"{title} from now on{f', but {stronger} overrides it' if stronger else ''}."


def _leave(memory: Memory, name: str, sentence: str) -> str:
    unset_value(read_settings(memory), Owner.USER, name)
    still = read_settings(memory).stronger_than(Owner.USER, name)
    return f"{still} still sets {name}." if still else sentence


# Notes


def notes_in(project: Path) -> list[str]:
    """Return the notes that a project keeps already: instruction files of any client, and banks."""
    files = (
        name
        for client in clients()
        for context in client.context
        if context.category == "instruction" and not context.of_user
        for name in context.names
        if name.endswith(".md")
    )
    names = dict.fromkeys((*(name for name in files if "*" not in name), *_BANKS))
    return [name for name in names if (project / name).exists()]


def users_notes_in(home: Home) -> list[str]:
    """Return the instruction files of the user's own, for all projects, of any client."""
    files = (
        context.pattern
        for client in clients()
        for context in client.context
        if context.category == "instruction" and context.of_user and "*" not in context.pattern
    )
    return [name for name in dict.fromkeys(files) if (home.path / name).is_file()]


def _users_notes(memory: Memory, home: Home) -> list[Offer]:
    """Offer the user's own notes for all projects; first to begin their memory where it is none."""
    names = users_notes_in(home)
    if Level.MINE in memory.backend.levels or not names:
        return [
            replace(
                _notes(
                    memory, f"~/{name}", f"your {Path(name).name}", home.path / name, Level.MINE
                ),
                state=f"~/{Path(name).parent}, for all projects",
            )
            for name in names
        ]
    sentences = (
        "Your own memory holds in all your projects. It begins in your data folder, and the app "
        "opens again with it.",
        f"Then {', '.join(f'~/{name}' for name in names)} can be imported there; they stay yours.",
    )
    return [
        Offer(
            name="mine",
            title="Begin a memory for all projects",
            state="from your own notes",
            details=lambda: map(plain, sentences),
            take=BeginLevel(Level.MINE),
        )
    ]


def client_memories(home: Home, project: Path) -> Iterator[tuple[str, Path]]:
    """The folders in which clients keep memories of a project themselves, with their titles; of a
    client that keeps those of all projects in one file, this, where it has some of the project.
    """
    for client in clients():
        for context in client.context:
            if context.category != "memory" or context.loading is not Loading.START:
                continue
            if (is_of := context.is_of) is not None:
                found = home.path.glob(context.pattern)
                yield from ((client.title, path.parent) for path in found if is_of(path, project))
            elif "{project}" in context.pattern and client.filed_as:
                named = context.pattern.replace("{project}", client.filed_as(project))
                folder = (home.path / named).parent
                if folder.is_dir():
                    yield client.title, folder
            else:
                file = (home.path / context.pattern).with_name("MEMORY.md")
                with suppress(OSError):
                    if has_group_of(read_regular(file).decode(errors="replace"), project):
                        yield client.title, file


def _notes(memory: Memory, name: str, title: str, source: Path, level: str = "") -> Offer:
    return Offer(
        name=name,
        title=f"Import {title}",
        state="",
        details=partial(_note_details, memory, source, level),
        take=import_from(source, level),
    )


def _note_details(memory: Memory, source: Path, level: str) -> Iterator[Paragraph]:
    try:
        plan = memory.exchange.plan_import(source, level=level)
    except StoreError as error:
        yield plain(visible(error.full_message), "$dim")
        return
    if plan.is_empty:
        yield plain("Everything in it is already stored.")
        return
    found = [change.after or {} for change in plan.changes]
    yield plain(f"Adds {plural(len(found), 'memory', 'memories')}. You can undo this.")
    yield BLANK
    for record in found[:_SHOWN]:
        summary = visible(str(record.get("summary", "")), newlines=False)
        yield plain(f"{record.get('category', '')}  {summary}", "$dim")
    if len(found) > _SHOWN:
        yield plain(f"and {count(len(found) - _SHOWN)} more", "$dim")
