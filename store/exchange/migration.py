"""Flat files of a vault become entries of it: a plan, and the files stay beside as they were."""

from __future__ import annotations

from collections.abc import Callable

from store.action import Action, ActionKind
from store.backends import is_in_vault
from store.backends.protocol import Backend
from store.backends.vault.flat import BACKUP, flat_files, sections_of
from store.backends.vault.folder import read_vault
from store.backends.vault.layout import OBSIDIAN, agent_of
from store.errors import InvalidObservation
from store.exchange.long_text import cut_whole
from store.exchange.values import DerivedIds
from store.model import UNDATED, Location, Observation
from store.notice import Notice, notice
from store.operations.plan import Change, Move, Plan
from store.records import parse_time, to_record
from store.validation.prepare import Prepared


def plan_migration(backend: Backend, prepare: Callable[[Observation], Prepared]) -> Plan:
    """Plan entries for the flat files of a vault. Those that are there are not added again.

    Raises `InvalidObservation` where the memory is no vault, or one of Obsidian's, whose notes
    stand where they are meant to.
    """
    folder = backend.folder
    if not is_in_vault(backend) or (folder / OBSIDIAN).exists():
        raise InvalidObservation(
            f"{folder} has no flat files to migrate.", "Give a vault, for example `--dir .memory`."
        )
    vault = read_vault(folder)
    held = {
        (memory.value["agent"], memory.value["category"], memory.value["content"])
        for memory in vault.memories
    }
    known = {memory.value["id"] for memory in vault.memories}
    changes: list[Change] = []
    moves: list[Move] = []
    notes: list[Notice] = []
    for path in flat_files(vault.files):
        if (folder / f"{path}{BACKUP}").exists():
            notes.append(notice("not-migrated", file=path, backup=f"{path}{BACKUP}"))
            continue
        file, agent, before = vault.files[path], agent_of(path.removesuffix(".md")), len(changes)
        time = next(
            (memory.value["timestamp"] for memory in vault.memories if memory.item.path == path),
            None,
        )
        ids = DerivedIds(path)
        for section in sections_of(file.text):
            for _, content in cut_whole(section.content):
                new = Observation(agent, 0, section.category, content, ids.make(UNDATED, content))
                dated = new if time is None else new._replace(timestamp=parse_time(str(time)))
                made = prepare(dated).observation
                if (agent, section.category, made.content) not in held and made.id not in known:
                    changes.append(Change(Location.ISSUE, 0, made.id, None, to_record(made)))
        moves.append(Move(path, f"{path}{BACKUP}"))
        number = len(changes) - before
        notes.append(notice("migrated", file=path, backup=moves[-1].target, memories=number))
    action = Action(ActionKind.IMPORT, {"memories": len(changes)})
    return Plan(action, tuple(changes), tuple(notes), tuple(moves), moves_last=True)
