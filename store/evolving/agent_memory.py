"""One agent's own memory over a memory of many: what the evolving memory's blueprint offers.

Every query and every change is held to the agent that asks; another's memory is not found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from store.backends.vault.layout import category_named
from store.compaction.prune import EXAMPLE_CAPACITIES
from store.errors import AmbiguousId, InvalidObservation, NotFound
from store.evolving.context import AgentContext, Retrieved, format_context, importance
from store.evolving.interaction import (
    Interaction,
    is_working,
    origin_of,
    records_of,
    task_of,
    task_tag,
)
from store.memory import Memory
from store.model import INTERACTION, EntrySource, Layer, Observation, layer_of
from store.notice import Notice
from store.operations.apply import Applied
from store.recall.overlaps import giving_way
from store.recall.reasons import CONTRADICTIONS
from store.recall.request import RecallRequest
from store.recall.seed_formulas import EVOLVING_WEIGHTS
from store.redaction.labels import agent_name
from store.sessions.checkpoint import Checkpoint
from store.text.tokens import Family, counter_for
from store.validation.rules import is_agent

LAYERS = (Layer.WORKING, Layer.EPISODIC, Layer.SEMANTIC, Layer.PROCEDURAL)
"""The layers that the blueprint knows."""
USUAL_LAYERS = (Layer.EPISODIC, Layer.SEMANTIC)
"""Those in which a question finds something where it names none."""
_LASTING = LAYERS[1:]
"""Those of what is not bound to a task."""
_MOST_OF_TASKS = 20
"""Memories of a task that are looked at."""
_MOST_FOUND = 100
"""Memories that a question finds."""
_MOST_COMPARED = 50
"""Memories of an answer that are looked through for contradictions."""
_MOST_FACTS = 10
"""Facts that are kept of one answer."""


class Stored(NamedTuple):
    """The result of storing an interaction: ids, and warnings about cut or cleaned texts; `waiting`
    are those ids that are of the inbox: what has them is to be approved first.
    """

    id: str
    semantic_ids: tuple[str, ...]
    procedural_id: str
    notices: tuple[Notice, ...]
    waiting: tuple[str, ...] = ()


class Pruned(NamedTuple):
    """The result of pruning: memories archived, memories kept, and the ids in the inbox of what is
    to be approved first.
    """

    archived: int
    remaining: int
    waiting: tuple[str, ...] = ()


class Listed(NamedTuple):
    """A page of an agent's memories, the newest first; how many there are, and by category."""

    memories: tuple[Observation, ...]
    total: int
    by_category: Mapping[str, int]


class AgentStatistics(NamedTuple):
    """An agent's active memories: by layer, their average relevance, and bytes of their text."""

    total: int
    by_layer: Mapping[str, int]
    average_relevance: float
    size: int


class AgentMemory:
    """The memory of one agent. Without `fresh`, the index is asked as it is.

    What is retrieved counts as accessed, and is audited: `on_given` is called with each answer,
    of a retrieval without a text; without it, each is recorded at once.

    Raises `InvalidObservation` for a name that none may have.
    """

    def __init__(
        self,
        memory: Memory,
        agent: str,
        *,
        fresh: bool = True,
        on_given: Callable[[str, AgentContext], None] | None = None,
    ) -> None:
        if not is_agent(agent):
            raise InvalidObservation(
                "The agent's name is invalid.", "Use 1 to 64 letters, digits, `.`, `_` or `-`."
            )
        self._memory = memory
        self._agent = agent_name(agent)
        self._fresh = fresh
        self._on_given = on_given or self._record

    def add_interaction(self, interaction: Interaction, level: str = "") -> Stored:
        """Keep an interaction: one episodic memory, the facts of its answer, and what it did; of a
        level that is named, else of the usual one.

        One operation, which `undo` takes back. Where the setting `auto_prune` is on, what is then
        beyond a capacity is archived by another, the least relevant first, but for what came just
        now. Raises as `store`.
        """
        own = records_of(interaction, self._agent)
        facts = self._facts_of(interaction)
        report = self._memory.add(
            [one._replace(level=level) for one in (*own, *facts)], source=EntrySource.JSONRPC
        )
        if self._memory.settings.auto_prune and not report.waiting:
            self._make_room(report.ids)
        return Stored(
            report.ids[0],
            report.ids[len(own) :],
            report.ids[1] if len(own) > 1 else "",
            report.notices,
            report.waiting,
        )

    def retrieve_memories(
        self, query: str, now: datetime, *, k: int = 5, layers: Collection[Layer] = ()
    ) -> list[Retrieved]:
        """Return the `k` most important memories that a question finds, in the layers named; those
        that a newer one contradicts come last. Each counts as accessed once.
        """
        asked = layers or USUAL_LAYERS
        lasting = self._found(query, asked, now)
        tasks = self._working("", now) if Layer.WORKING in asked else []
        found = _flagged(_without_repeats([*tasks, *lasting]))
        found.sort(
            key=lambda item: (bool(item.contradicted_by), -item.importance, item.observation.id)
        )
        best = found[:k]
        if best:
            ids = tuple(item.observation.id for item in best)
            self._on_given(self._agent, AgentContext("", 0, ids))
        return best

    def relevant_context(
        self, query: str, now: datetime, *, task_id: str = "", max_tokens: int = 2_000
    ) -> AgentContext:
        """Return the text of at most `max_tokens` for a question and a task, without what a newer
        memory contradicts.
        """
        lasting = self._found(query, _LASTING, now)
        found = [*self._working(task_id, now), *lasting]
        counter = counter_for(Family.GPT, exactly=False)
        flagged = _flagged(_without_repeats(found))
        valid = [item for item in flagged if not item.contradicted_by]
        context = format_context(valid, max_tokens, counter)
        if context.ids:
            self._on_given(self._agent, context)
        return context

    def update_memory(self, identifier: str, updates: Mapping[str, object]) -> Applied:
        """Change fields of a memory, as an operation; where that is to be approved first, it waits.

        Raises `NotFound`, also for another agent's; `InvalidObservation`.
        """
        found = self.get(identifier)
        return self._memory.edit(
            found.id, dict(updates), agent=self._agent, source=EntrySource.JSONRPC
        )

    def delete_memory(self, identifier: str, *, forget: bool = False) -> Applied:
        """Delete a memory; with `forget` for good, also from the journal and injected texts; where
        that is to be approved first, it waits.

        Raises `NotFound`, also for another agent's.
        """
        found = self.get(identifier)
        plan = self._memory.plan.forget(found.id) if forget else self._memory.plan.remove(found.id)
        carry_out = self._memory.forget if forget else self._memory.apply
        return carry_out(plan, agent=self._agent, source=EntrySource.JSONRPC)

    def get(self, identifier: str) -> Observation:
        """One memory of the agent's. Raises `NotFound`, also for another agent's."""
        with suppress(NotFound, AmbiguousId):
            found = self._memory.get(identifier)
            if found.agent == self._agent and found.id == identifier:
                return found
            if found.id == identifier:
                self._memory.record_failure(
                    "access refused", f"{self._agent} asked for {found.id} of {found.agent}"
                )
        raise NotFound(f"Memory {identifier[:80]} not found.", "")

    def prune_memories(self, strategy: str, layer: Layer | None = None) -> Pruned:
        """Archive what is beyond a layer's capacity, as an operation.

        The settings' capacities hold, else the blueprint's. Raises `InvalidObservation`.
        """
        chosen = {name: most for name, most in self._capacities().items() if layer in (None, name)}
        plan = self._memory.compaction.plan_prune(strategy, chosen, agent=self._agent)
        before = self._number_of(layer)
        applied = self._memory.apply(plan, source=EntrySource.JSONRPC)
        remaining = self._number_of(layer)
        return Pruned(before - remaining, remaining, applied.waiting)

    def list_memories(self, category: str = "", limit: int = 50, offset: int = 0) -> Listed:
        """List memories, of one category where it is named: as here, or as a vault's files are."""
        query = f"{self._filter(category)} sort:newest"
        found = self._memory.search(query, limit, offset, facets=("category",), fresh=self._fresh)
        memories = tuple(hit.entry for hit in found.hits)
        return Listed(memories, found.total, found.facets.categories)

    def search_memories(
        self, query: str, category: str = "", limit: int = 10
    ) -> list[tuple[Observation, float]]:
        """Search for words and phrases; the memories with their scores, the best first."""
        words = query.replace(":", " ")  # it names no other agent
        asked = f"{self._filter(category)} sort:relevance {words}"
        found = self._memory.search(asked, limit, facets=(), fresh=self._fresh)
        return [(hit.entry, hit.score) for hit in found.hits]

    def checkpoint(
        self,
        messages: Iterable[Mapping[str, object]],
        chat_id: str | None = None,
        model_id: str | None = None,
    ) -> Checkpoint | None:
        """Keep the last messages of a session, as `Continuation.checkpoint`."""
        return self._memory.continuation.checkpoint(self._agent, messages, chat_id, model_id)

    def recover(self) -> Checkpoint | None:
        """Return the newest checkpoint, as `Continuation.recover`."""
        return self._memory.continuation.recover(self._agent)

    def statistics(self, now: datetime) -> AgentStatistics:
        """Count the agent's memories by layer. Reads all of them."""
        layers: Counter[str] = Counter({str(layer): 0 for layer in LAYERS})
        relevance, size, total = 0.0, 0, 0
        for observation in self._active():
            total += 1
            working = is_working(observation, now)
            layers[str(Layer.WORKING if working else layer_of(observation.category))] += 1
            relevance += observation.relevance_score
            size += len(observation.content.encode("utf-8", "replace"))
        return AgentStatistics(total, dict(layers), relevance / total if total else 0.0, size)

    def _record(self, agent: str, context: AgentContext) -> None:
        accesses = dict.fromkeys(context.ids, 1)
        self._memory.recall.record_accesses(agent, accesses, context.text, context.tokens)

    def _filter(self, category: str) -> str:
        """Return the beginning of a query that finds nothing of another agent."""
        of_category = f" category:{category_named(category) or category}" if category else ""
        return f"agent:{self._agent}{of_category}"

    def _capacities(self) -> dict[str, int]:
        limits = self._memory.settings.capacities or EXAMPLE_CAPACITIES
        return {str(layer): most for layer, most in limits.items()}

    def _make_room(self, keep: Collection[str]) -> None:
        """Archive the least relevant of each layer that holds more than it may, but for `keep`."""
        full = {}
        for layer, most in self._capacities().items():
            query = f"agent:{self._agent} layer:{layer} -is:archived"
            if self._memory.search(query, 0, facets=()).total > most:
                full[layer] = most
        if full:
            prune = self._memory.compaction.plan_prune
            self._memory.apply(prune("least_relevant", full, agent=self._agent, keep=keep))

    def _number_of(self, layer: Layer | None) -> int:
        return sum(
            layer in (None, layer_of(observation.category)) for observation in self._active()
        )

    def _active(self) -> Iterator[Observation]:
        backend = self._memory.backend
        for records in backend.read_each(sorted(backend.issues())):
            for observation in records.observations():
                if observation.agent == self._agent and not observation.archived:
                    yield observation

    def _facts_of(self, interaction: Interaction) -> list[Observation]:
        """Return the answer's points below headings such as "Decisions" and "Key facts"."""
        if not interaction.response.strip():
            return []
        plan = self._memory.capture.plan(
            [interaction.response.encode(errors="replace")],
            agent=self._agent,
            issue=0,
            format="summary",
            is_over=False,
            own=True,
        )
        facts = [kept.observation for kept in plan.kept]
        origin = origin_of(interaction)
        return [
            fact._replace(
                timestamp=interaction.timestamp,
                sources=(),  # an answer has no place in a session
                extra={**fact.extra, **origin},
            )
            for fact in facts
            if layer_of(fact.category) is Layer.SEMANTIC
        ][:_MOST_FACTS]

    def _working(self, task_id: str, now: datetime) -> list[Retrieved]:
        """Return what belongs to a task now, the newest first; to any task where none is named."""
        tag = f" tag:{task_tag(task_id)}" if task_id else ""
        query = f"agent:{self._agent} category:{INTERACTION},task{tag} sort:newest"
        # `_found` has looked at the files for this answer: once is enough.
        hits = self._memory.search(query, _MOST_OF_TASKS, facets=(), fresh=False).hits
        found = [hit.entry for hit in hits]
        return [
            Retrieved(task, Layer.WORKING, 1.0, importance(1.0, task.timestamp, 0, now))
            for task in found
            if is_working(task, now) and (not task_id or task_of(task) in ("", task_id))
        ]

    def _found(self, query: str, layers: Collection[Layer], now: datetime) -> list[Retrieved]:
        request = RecallRequest(agent=self._agent, task=query, profile="evolving", own=True)
        ranked = self._memory.recall.rank(request, now=now, fresh=self._fresh)
        found = [
            candidate
            for candidate in ranked
            if candidate.factors.get("relevance")
            and not candidate.observation.muted
            and layer_of(candidate.observation.category) in layers
        ]
        return [
            Retrieved(
                self._memory.redacted(candidate.observation),
                layer_of(candidate.observation.category),
                candidate.factors["relevance"] / EVOLVING_WEIGHTS["relevance"],
                candidate.score,
            )
            for candidate in found[:_MOST_FOUND]
        ]


def _without_repeats(found: list[Retrieved]) -> list[Retrieved]:
    """Return each memory once, as it was found first."""
    return list({item.observation.id: item for item in reversed(found)}.values())


def _flagged(found: list[Retrieved]) -> list[Retrieved]:
    """Return the memories, flagged where of two that contradict each other the newer holds."""
    first = [item.observation for item in found[:_MOST_COMPARED]]
    newer_of = {
        older: newer.id
        for older, (why, newer) in giving_way(first).items()
        if why in CONTRADICTIONS
    }
    olders_of: defaultdict[str, list[str]] = defaultdict(list)
    for older, newer in newer_of.items():
        olders_of[newer].append(older)
    return [
        item._replace(
            contradicted_by=newer_of.get(item.observation.id, ""),
            contradicts=tuple(olders_of.get(item.observation.id, ())),
        )
        for item in found
    ]
