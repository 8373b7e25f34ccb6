"""A vault's own compaction: its five steps planned as one operation, and carried out."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from store.errors import InvalidObservation, Unreadable

if TYPE_CHECKING:
    from store.compaction.vault import Conversation, SideFiles
    from store.operations.apply import Applied
    from store.operations.plan import Change, Plan
    from store.pipeline.compaction import Compaction
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.operations import Operations


_KEPT = timedelta(days=30)
"""As long as the journal keeps its operations."""


class VaultCompaction:
    """Keeping a vault small."""

    def __init__(
        self,
        opened: OpenedStore,
        index: CurrentIndex,
        operations: Operations,
        compaction: Compaction,
    ) -> None:
        self._opened = opened
        self._backend = opened.backend
        self._current = index
        self._operations = operations
        self._compaction = compaction

    def plan_vault_compaction(self) -> Plan:
        """What the five steps would do. Changes nothing.

        Raises `InvalidObservation` where the memory is no vault.
        """
        from store.action import Action, ActionKind
        from store.backends.vault.doctor import CUT
        from store.compaction.vault import INDEX, TRASH, is_long, read_side_files
        from store.operations.plan import Move, Plan

        self._check_vault()
        now = self._opened.clock()
        side = read_side_files(self._backend.folder, now)
        stamp = f"{TRASH}/{now:%Y%m%dT%H%M%S}"
        capped = self._compaction.plan_prune("cap")
        added = self._extracted(side)
        trimmed = [it for it in side.conversations if is_long(it)]
        gone = [*side.expired, *side.legacy]
        if side.has_index and (gone or trimmed or added or capped.changes):
            gone.append(INDEX)
        moves = [Move(path, f"{stamp}-{_named(path)}") for path in gone]
        moves += [Move(f"{stamp}-{_as_planned(it)}{CUT}", it.path) for it in trimmed]
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

    def compact_vault(self, plan: Plan) -> Applied:
        """Carry out the plan of a vault's compaction; `undo` takes it back. Raises as `apply`.

        Conversations that were written meanwhile stay whole.
        """
        from store.compaction.vault import LOG, PROCESSED, log_of
        from store.disk.write import replace_derived
        from store.records import format_time

        self._check_vault()
        folder, now = self._backend.folder, self._opened.clock()
        with self._backend.locked():
            processed = self._stage(plan, now)
        applied = self._operations.apply(plan)
        self._empty_trash(now)
        log = log_of(plan.action.figures, format_time(now))
        replace_derived(folder / LOG, log, folder)
        text = json.dumps(processed, indent=2, sort_keys=True).encode("ascii")
        replace_derived(folder / PROCESSED, text, folder)
        self._current.settle()
        return applied

    def _stage(self, plan: Plan, now: datetime) -> dict[str, str]:
        """Keep conversations that are to be cut whole, and as they will be; what was looked at."""
        from store.backends.vault.doctor import CUT
        from store.compaction.vault import digest_of, read_side_files, trimmed
        from store.disk.read import read_bytes
        from store.disk.write import make_folder, replace_durably

        folder = self._backend.folder
        staged = {move.target: move.source for move in plan.moves}
        side = read_side_files(folder, now)
        processed = dict(side.processed or {})
        for it in side.conversations:
            cut_to = staged.get(it.path, "")
            if cut_to and not cut_to.endswith(f"{_as_planned(it)}{CUT}"):
                continue  # what was added meanwhile was not looked at
            processed[it.path] = it.digest
            if not cut_to:
                continue
            whole = read_bytes(folder / it.path, folder)
            if digest_of(whole) == it.digest:
                place, cut = folder / cut_to, trimmed(it)
                processed[it.path] = digest_of(cut)
                make_folder(place.parent)
                replace_durably(place.with_name(place.name.removesuffix(CUT)), whole, folder)
                replace_durably(place, cut, folder)
        return processed

    def plan_vault_if_due(self) -> Plan | None:
        """The plan of a vault's compaction, where `auto_compact` says so, the last time is that
        long ago, and there is something to do. Changes nothing.
        """
        minutes = self._opened.settings.auto_compact
        if not minutes or not self.is_vault:
            return None
        last = self._last_compaction()
        if last and self._opened.clock().timestamp() - last < minutes * 60:
            return None
        plan = self.plan_vault_compaction()
        return None if plan.is_empty else plan

    def compact_vault_if_due(self) -> Applied | None:
        """Compact the vault where it is due. Raises as `compact_vault`."""
        plan = self.plan_vault_if_due()
        return None if plan is None else self.compact_vault(plan)

    @property
    def is_vault(self) -> bool:
        """Whether the memory is a vault of Markdown."""
        return self._opened.is_vault

    def _empty_trash(self, now: datetime) -> None:
        """Remove what was taken away longer ago than an operation can be undone."""
        from store.compaction.vault import TRASH

        oldest = f"{now - _KEPT:%Y%m%dT%H%M%S}"
        with suppress(OSError):  # it is tried again with the next compaction
            for path in (self._backend.folder / TRASH).iterdir():
                if path.name < oldest:
                    path.unlink(missing_ok=True)

    def _last_compaction(self) -> float:
        """When the vault was compacted, in seconds since 1970; 0 where nobody knows."""
        from store.bounds import load_json
        from store.compaction.vault import LOG
        from store.disk.read import read_bytes
        from store.records import parse_time

        folder = self._backend.folder
        try:
            return parse_time(load_json(read_bytes(folder / LOG, folder))["timestamp"]).timestamp()
        except (Unreadable, FileNotFoundError, ValueError, TypeError, KeyError):
            return 0.0

    def _extracted(self, side: SideFiles) -> list[Change]:
        """What conversations that were not looked at as they are now leave as memories."""
        from store.compaction.vault import extracted
        from store.model import Location
        from store.operations.plan import Change
        from store.records import to_record

        held = {
            (str(it.get("agent")), str(it.get("category")), str(it.get("content")))
            for issue in self._backend.issues()
            for it in self._backend.read(issue).values()
        }
        changes = []
        for conversation in side.conversations:
            if (side.processed or {}).get(conversation.path) == conversation.digest:
                continue
            for found in extracted(conversation, self._opened.clock()):
                try:
                    made = self._opened.prepare(found).observation
                except InvalidObservation:
                    continue  # nothing of it was left once secrets were taken out
                said = (made.agent, made.category, made.content)
                if said not in held:
                    held.add(said)
                    record = to_record(made)
                    changes.append(Change(Location.ISSUE, 0, made.id, None, record))
        return changes

    def _check_vault(self) -> None:
        if not self.is_vault:
            raise InvalidObservation(
                "This memory is not a vault.", "Give one: `memtui --dir .memory compact --vault`."
            )


def _as_planned(conversation: Conversation) -> str:
    """A name for a conversation in the state that it is read in: no other state is cut."""
    return f"{conversation.digest[:8]}-{_named(conversation.path)}"


def _named(path: str) -> str:
    return path.replace("/", "-").lstrip(".")
