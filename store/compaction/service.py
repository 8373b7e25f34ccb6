"""Keeping memory small: compaction, pruning, a vault's own compaction, and upkeep by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from store.action import Action, ActionKind
from store.compaction.model import CompactionPlan, Excess, stale_issues
from store.errors import InvalidObservation, Unreadable
from store.model import (
    LARGE_STORE,
    MANY_OBSERVATIONS,
    Layer,
    Location,
    Observation,
    check_issue,
)
from store.opened_store import OpenedStore
from store.operations.apply import Applied
from store.operations.changes import Where
from store.operations.journal import KEEP
from store.operations.plan import Change, Move, Plan
from store.operations.service import History, Plans
from store.platform.bounds import load_json
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_derived, replace_durably
from store.records import format_time, parse_time, to_record
from store.search.service import Search

if TYPE_CHECKING:
    # What merges and prunes is loaded when something is: each capture has upkeep, few compact.
    from store.compaction.compact import Progress
    from store.compaction.vault import Conversation, SideFiles

_STALE = "is:stale -is:open"
_NO_NOTES = "-agent:notes -category:project"
_BY = "least_relevant"
_MOVABLE = "-is:pinned -is:open -category:handoff"


class Compaction:
    """Plans that make memory smaller without forgetting."""

    def __init__(self, store: OpenedStore) -> None:
        self._store = store

    def plan(
        self,
        issue: int | None = None,
        *,
        stale: bool = False,
        all: bool = False,
        progress: Progress | None = None,
    ) -> CompactionPlan:
        """Plan merges for one issue, the stale issues, or all. Changes nothing.

        Exactly one of the three must be given. `progress` is called with the observations looked at
        so far, and all. Raises `InvalidObservation`.
        """
        from store.compaction.compact import plan_compaction

        if (issue is not None) + stale + all != 1:
            raise InvalidObservation(
                "Nothing to compact was given.", "Give an issue, the stale issues or all."
            )
        now, days = self._store.clock(), self._store.settings.stale_archive_after_days
        observations = self._active(None if issue is None else [check_issue(issue)])
        if stale:
            old = stale_issues(observations, now=now, days=days)
            observations = [item for item in observations if item.issue_number in old]
        young = self._store.settings.compaction_min_age_days
        return plan_compaction(observations, now=now, young_days=young, progress=progress)

    def to_plan(self, compaction: CompactionPlan) -> Plan:
        """Return the plan that carries out a compaction, to be applied. Raises `NotFound`."""
        from store.compaction.compact import to_plan

        return to_plan(compaction, self._where(cluster.merged for cluster in compaction.clusters))

    def plan_prune(
        self, strategy: str, capacities: Mapping[str, int] | None = None, *, agent: str = ""
    ) -> Plan:
        """Plan what a strategy archives so that each layer is within its capacity.

        `capacities` by layer (the settings' by default); of all agents, or of the one named.
        Notes of a vault stay. Raises `InvalidObservation`.
        """
        from store.compaction.prune import Strategy, prune

        known = {str(strategy): strategy for strategy in Strategy}
        if strategy not in known:
            raise InvalidObservation(
                f"Unknown strategy {strategy!r}.", f"One of: {', '.join(known)}."
            )
        limits = self._store.settings.capacities if capacities is None else capacities
        pruning = prune(
            [one for one in self._active(None) if agent in ("", one.agent)],
            known[strategy],
            now=self._store.clock(),
            capacities={Layer(name): limit for name, limit in limits.items()},
        )
        return pruning.to_plan(self._where(pruning.going))

    def _where(self, observations: Iterable[Observation]) -> Where:
        """Return the records of the issues that observations are of."""
        issues = {one.issue_number for one in observations}
        return {number: self._store.backend.read(number) for number in issues}

    def _active(self, issues: Iterable[int] | None) -> list[Observation]:
        """Return the active observations of some issues, or all, as they may be shown: what they
        merge into is written and shown. Without notes of a vault, which are files that a person
        keeps.
        """
        from store.compaction.vault import is_note

        numbers, is_vault = (
            self._store.backend.issues() if issues is None else issues,
            self._store.is_vault,
        )
        return [
            self._store.index.outgoing.clean(item)
            for number in sorted(numbers)
            for item in self._store.backend.read(number).observations()
            if not (item.archived or (is_vault and is_note(item)))
        ]


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
        from store.backends.vault.doctor import CUT
        from store.compaction.vault import INDEX, TRASH, is_long, read_side_files

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
        from store.compaction.vault import LOG, PROCESSED, log_of

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
        from store.backends.vault.doctor import CUT
        from store.compaction.vault import digest_of, read_side_files, trimmed

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
        """Return the plan of a vault's compaction, where `auto_compact` says so, the last time is
        that long ago, and there is something to do. Changes nothing.
        """
        minutes = self._store.settings.auto_compact
        if not minutes or not self._store.is_vault:
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
        from store.compaction.vault import TRASH

        oldest = f"{now - KEEP:%Y%m%dT%H%M%S}"
        with suppress(OSError):  # it is tried again with the next compaction
            for path in (self._store.backend.folder / TRASH).iterdir():
                if path.name < oldest:
                    path.unlink(missing_ok=True)

    def _last_compaction(self) -> float:
        """When the vault was compacted, in seconds since 1970; 0 where nobody knows."""
        from store.compaction.vault import LOG

        folder = self._store.backend.folder
        try:
            return parse_time(load_json(read_bytes(folder / LOG, folder))["timestamp"]).timestamp()
        except (Unreadable, FileNotFoundError, ValueError, TypeError, KeyError):
            return 0.0

    def _extracted(self, side: SideFiles) -> list[Change]:
        """Return the memories of conversations that changed since they were last looked at."""
        from store.compaction.vault import extracted

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
                said = (made.agent, made.category, made.content)
                if said not in held:
                    held.add(said)
                    record = to_record(made)
                    changes.append(Change(Location.ISSUE, 0, made.id, None, record))
        return changes

    def _check_vault(self) -> None:
        if not self._store.is_vault:
            raise InvalidObservation(
                "This memory is not a vault.", "Give one: `memtui --dir .memory compact --vault`."
            )


class Upkeep:
    """Keeps memory small; every change is an operation that can be undone."""

    def __init__(
        self,
        store: OpenedStore,
        history: History,
        search: Search,
        compaction: Compaction,
        vault: VaultCompaction,
    ) -> None:
        self._store = store
        self._history = history
        self._search = search
        self._compaction = compaction
        self._vault = vault

    def excess(self, *, fresh: bool = True) -> Excess:
        """Count what could be archived. Changes nothing; without `fresh`, by the index as it is."""
        is_vault = self._store.is_vault
        stale = len(self._stale()) if is_vault else self._count(_STALE, fresh=fresh)
        size, most = self._store.size() or 0, MANY_OBSERVATIONS
        is_large = size > LARGE_STORE or self._count("", fresh=False) > most
        return Excess(stale, self._count_beyond(), size if is_large else 0)

    def _stale(self) -> list[str]:
        """Return the ids of what is stale; of a vault without the files that a person keeps."""
        if not self._store.is_vault:
            return self._search.ids(_STALE)

        from store.compaction.vault import is_note

        found = self._search.ids(f"{_STALE} {_NO_NOTES}")
        return [
            identifier
            for identifier in found
            if not is_note(self._search.get(identifier, fresh=False))
        ]

    def _count(self, query: str, *, fresh: bool) -> int:
        return self._search.search(query, 0, facets=(), fresh=fresh).total

    def _count_beyond(self) -> int:
        """Count memories that a plan would archive, by the index where that is exact."""
        beyond = 0
        for layer, most in self._store.settings.capacities.items():
            held, movable = self._by_agent(f"layer:{layer}"), None
            for agent, number in held.items():
                if number <= most:
                    continue
                movable = movable or self._by_agent(f"layer:{layer} {_MOVABLE}")
                if self._store.is_vault or movable.get(agent, 0) < number - most:
                    return len(self._beyond().changes) // 2
                beyond += number - most
        return beyond

    def _by_agent(self, query: str) -> Mapping[str, int]:
        return self._search.search(query, 0, facets=("agent",), fresh=False).facets.agents

    def plan(self) -> Plan:
        """Return what would go: what is beyond a capacity, else what is stale, else of a category
        that has more than 30 of an agent the oldest, folded into one. Empty where nothing would.
        """
        if self._store.settings.capacities and not (plan := self._beyond()).is_empty:
            return plan
        if stale := self._stale():
            return Plans(self._store).archive(stale)
        return self._compaction.plan_prune("cap")

    def make_room(self) -> None:
        """Archive what is stale or beyond a capacity and compact a vault, where the settings say
        so. What was captured of an old session is not gone before anybody saw it.
        """
        settings = self._store.settings
        if settings.auto_archive and (stale := self._stale()):
            young = self._history.brought_since(self._store.clock() - KEEP)
            if known := [identifier for identifier in stale if identifier not in young]:
                self._history.apply(Plans(self._store).archive(known))
        if settings.auto_prune and settings.capacities:
            self._history.apply(self._beyond())
        self._vault.compact_if_due()

    def _beyond(self) -> Plan:
        return self._compaction.plan_prune(_BY)


def _as_planned(conversation: Conversation) -> str:
    """Return a name for a conversation in the state that it is read in: no other state is cut."""
    return f"{conversation.digest[:8]}-{_named(conversation.path)}"


def _named(path: str) -> str:
    return path.replace("/", "-").lstrip(".")
