"""The compaction of a vault: planned, carried out as one operation, by itself where it is due."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from store.action import Action, ActionKind
from store.backends.vault.doctor import CUT
from store.compaction.service import Compaction
from store.compaction.vault import (
    INDEX,
    LOG,
    PROCESSED,
    TRASH,
    Conversation,
    SideFiles,
    digest_of,
    extracted,
    is_long,
    log_of,
    read_side_files,
    trimmed,
)
from store.errors import InvalidObservation, Unreadable
from store.model import Location
from store.opened_store import OpenedStore
from store.operations.apply import Applied
from store.operations.journal import KEEP
from store.operations.plan import Change, Move, Plan
from store.operations.service import History
from store.platform.bounds import load_json
from store.platform.json_fields import mapping
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_derived, replace_durably
from store.records import format_time, parse_time, to_record


class VaultCompaction:
    """Keeping a vault small."""

    def __init__(self, store: OpenedStore, history: History, compaction: Compaction) -> None:
        self._store = store
        self._history = history
        self._compaction = compaction

    def plan(self) -> Plan:
        """Return what the five steps would do. Changes nothing.

        Raises `InvalidObservation` where the memory is no vault.
        """
        self._check_vault()
        now = self._store.clock()
        side = read_side_files(self._store.backend.folder, now)
        stamp = f"{TRASH}/{now:%Y%m%dT%H%M%S}"
        capped = self._compaction.plan_prune("cap")
        added = self._extracted(side)
        trimmed = [conversation for conversation in side.conversations if is_long(conversation)]
        gone = [*side.expired, *side.legacy]
        if side.has_index and (gone or trimmed or added or capped.changes):
            gone.append(INDEX)
        moves = [Move(path, f"{stamp}-{_named(path)}") for path in gone]
        moves += [Move(f"{stamp}-{_as_planned(talk)}{CUT}", talk.path) for talk in trimmed]
        figures = {
            "memories": capped.action.figures.get("memories", 0),
            "extracted": len(added),
            "checkpoints": len(side.expired),
            "conversations": len(trimmed),
            "legacy": len(side.legacy),
        }
        notes = (*capped.notes, *side.problems)
        changes = (*added, *capped.changes)
        action = Action(ActionKind.COMPACT, figures)
        return Plan(action, changes, notes, tuple(moves), moves_last=True)

    def compact(self, plan: Plan) -> Applied:
        """Carry out the plan of a vault's compaction; `undo` takes it back. Raises as `apply`.

        Conversations that were written meanwhile stay whole.
        """
        self._check_vault()
        folder, now = self._store.backend.folder, self._store.clock()
        with self._store.backend.locked():
            processed = self._stage(plan, now)
        applied = self._history.apply(plan)
        self._empty_trash(now)
        log = log_of(plan.action.figures, format_time(now))
        replace_derived(folder / LOG, log, folder)
        text = json.dumps(processed, indent=2, sort_keys=True).encode("ascii")
        replace_derived(folder / PROCESSED, text, folder)
        self._store.index.settle()
        return applied

    def _stage(self, plan: Plan, now: datetime) -> dict[str, str]:
        """Keep conversations that are to be cut whole, and as they will be; what was looked at."""
        folder = self._store.backend.folder
        staged = {move.target: move.source for move in plan.moves}
        side = read_side_files(folder, now)
        processed = dict(side.processed or {})
        for conversation in side.conversations:
            cut_to = staged.get(conversation.path, "")
            if cut_to and not cut_to.endswith(f"{_as_planned(conversation)}{CUT}"):
                continue  # what was added meanwhile was not looked at
            processed[conversation.path] = conversation.digest
            if not cut_to:
                continue
            whole = read_bytes(folder / conversation.path, folder)
            if digest_of(whole) == conversation.digest:
                place, cut = folder / cut_to, trimmed(conversation)
                processed[conversation.path] = digest_of(cut)
                make_folder(place.parent)
                replace_durably(place.with_name(place.name.removesuffix(CUT)), whole, folder)
                replace_durably(place, cut, folder)
        return processed

    def plan_if_due(self) -> Plan | None:
        """Return the plan of a vault's compaction, where `auto_compact` is on, the last time is
        that long ago, and there is something to do. Changes nothing.

        Where somebody approves what agents write, it is not due: it turns talks into memories.
        """
        minutes = self._store.settings.auto_compact
        if not minutes or not self._store.is_vault or self._store.is_reviewed:
            return None
        last = self._last_compaction()
        if last and self._store.clock().timestamp() - last < minutes * 60:
            return None
        plan = self.plan()
        return None if plan.is_empty else plan

    def compact_if_due(self) -> Applied | None:
        """Compact the vault where it is due. Raises as `compact`."""
        plan = self.plan_if_due()
        return None if plan is None else self.compact(plan)

    def _empty_trash(self, now: datetime) -> None:
        """Remove what was taken away longer ago than an operation can be undone."""
        oldest = f"{now - KEEP:%Y%m%dT%H%M%S}"
        with suppress(OSError):  # it is tried again with the next compaction
            for path in (self._store.backend.folder / TRASH).iterdir():
                if path.name < oldest:
                    path.unlink(missing_ok=True)

    def last_report(self) -> Mapping[str, Any]:
        """Return the result of the last compaction, by whichever program; empty where there is none
        that can be read.
        """
        folder = self._store.backend.folder
        with suppress(Unreadable, FileNotFoundError, ValueError):
            return mapping(load_json(read_bytes(folder / LOG, folder)))
        return {}

    def _last_compaction(self) -> float:
        """When the vault was compacted, in seconds since 1970; 0 where nobody knows."""
        with suppress(ValueError):
            return parse_time(str(self.last_report().get("timestamp"))).timestamp()
        return 0.0

    def _extracted(self, side: SideFiles) -> list[Change]:
        """Return the memories of conversations that changed since they were last looked at."""
        held = {
            (str(value.get("agent")), str(value.get("category")), str(value.get("content")))
            for issue in self._store.backend.issues()
            for value in self._store.backend.read(issue).values()
        }
        changes = []
        for conversation in side.conversations:
            if (side.processed or {}).get(conversation.path) == conversation.digest:
                continue
            for found in extracted(conversation, self._store.clock()):
                try:
                    made = self._store.prepare(found).observation
                except InvalidObservation:
                    continue  # nothing of it was left once secrets were taken out
                key = (made.agent, made.category, made.content)
                if key not in held:
                    held.add(key)
                    record = to_record(made)
                    changes.append(Change(Location.ISSUE, 0, made.id, None, record))
        return changes

    def _check_vault(self) -> None:
        if not self._store.is_vault:
            raise InvalidObservation(
                "This memory is not a vault.", "Give one: `memtui --dir .memory compact --vault`."
            )


def _as_planned(conversation: Conversation) -> str:
    """Return a name for a conversation in the state that it is read in: no other state is cut."""
    return f"{conversation.digest[:8]}-{_named(conversation.path)}"


def _named(path: str) -> str:
    return path.replace("/", "-").lstrip(".")
