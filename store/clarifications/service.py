"""Clarifications: read, asked, answered, watched; every change is an operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar

from store import events
from store.action import Action, ActionKind
from store.clarifications import rules
from store.clarifications.ledger import ClarificationLedgers
from store.clarifications.model import Clarification, Ledgers
from store.clarifications.monitor import AgentState, Due, agent_states, examine
from store.clarifications.prepare import agent_of, clean, prepared, text_of
from store.clarifications.records import clarification_record
from store.clarifications.rules import Question, decision_of
from store.clarifications.scope import Workflows
from store.clarifications.session_lines import lines_for
from store.errors import Conflict, NotFound
from store.model import check_issue
from store.opened_store import OpenedStore
from store.operations.apply import apply_plan
from store.operations.changes import plan_add
from store.operations.plan import ClarificationChange, Plan

Change = Callable[[Clarification, str, str, datetime], Clarification]
"""A rule: a clarification after an agent's text."""
T = TypeVar("T")
_TRIES = 5
"""How often a change is carried out where ledgers change meanwhile."""
_BECAME: Mapping[str, str] = MappingProxyType(
    {
        "late": "asked_again",
        "late-again": "escalated",
        "stuck": "escalated",
        "deadlock": "unblocked",
    }
)
"""The figure that counts what becomes of a clarification, by its trouble."""
_EVENTS: Mapping[str, Callable[..., events.Event]] = MappingProxyType(
    {
        "pending": events.ClarificationRequested,
        "answered": events.ClarificationAnswered,
        "stale": events.ClarificationStale,
        "resolved": events.ClarificationResolved,
        "escalated": events.ClarificationEscalated,
    }
)
"""The event of a clarification, by its state."""


class Clarifications:
    """The questions between agents of one project."""

    def __init__(self, store: OpenedStore) -> None:
        self._store = store
        self._ledgers = ClarificationLedgers(store.backend.folder)
        self._states: tuple[object, dict[str, AgentState]] | None = None

    def read(self, issue: int | None = None) -> Ledgers:
        """Return the clarifications of an issue, or of all, without secrets. Changes nothing."""
        found = self._ledgers.read(issue)
        return Ledgers(
            tuple(map(clean, found.clarifications)), (*found.problems, *self.workflows().problems)
        )

    def workflows(self) -> Workflows:
        """Whom each agent may ask, by the project's workflows."""
        try:
            self._ledgers.workflows.stat()
        except (FileNotFoundError, NotADirectoryError):
            return Workflows({})
        except OSError:
            pass  # reading names it
        # By pydantic, which takes a hook as long as all the rest.
        from store.clarifications.workflows import read_workflows

        return read_workflows(self._ledgers.workflows, self._ledgers.root)

    def ask(self, issue: int, question: Question) -> Clarification:
        """Ask an agent, or continue the thread of the same two agents on the topic.

        Raises `InvalidObservation` where the rules or the workflow forbid it, and as writing does.
        """
        check_issue(issue)
        asked = prepared(question)
        scope = self.workflows().scope(asked.asker)

        def change() -> list[Clarification]:
            existing = self._of_issue(issue)
            after = rules.ask(existing, issue, asked, scope, self._store.clock())
            before = next((item for item in existing if item.id == after.id), None)
            return self._apply(ActionKind.ASK, [(before, after)])

        return self._carried_out(change)[0]

    def answer(self, identifier: str, by: str, body: str) -> Clarification:
        """Answer a question. Raises as `ask`, and `NotFound`."""
        return self._add_entry(ActionKind.ANSWER, identifier, by, body, rules.answer)

    def resolve(self, identifier: str, by: str, body: str = "") -> Clarification:
        """Resolve a clarification that was answered. Raises as `answer`."""
        return self._add_entry(ActionKind.RESOLVE, identifier, by, body, rules.resolve)

    def escalate(self, identifier: str, by: str, body: str = "") -> Clarification:
        """Escalate a clarification to a person. Raises as `answer`."""
        return self._add_entry(ActionKind.ESCALATE, identifier, by, body, rules.escalate)

    def abandon(self, identifier: str, by: str, body: str = "") -> Clarification:
        """Abandon a clarification. Raises as `answer`."""
        return self._add_entry(ActionKind.ABANDON, identifier, by, body, rules.abandon)

    def examine(self) -> list[Due]:
        """Overdue and repeating questions, and agents that wait for each other. Changes nothing."""
        if not self._store.has_clarifications:
            return []
        return examine(self._ledgers.read().clarifications, self.workflows(), self._store.clock())

    def watch(self) -> list[Due]:
        """Ask overdue questions again, escalate, resolve deadlocks; returns what was done.

        Nothing is locked or written where nothing is due. Raises as writing does.
        """
        if not self.examine():
            return []

        def change() -> list[Due]:
            found = self.examine()
            if found:
                kinds = Counter(_BECAME[finding.trouble] for finding in found)
                pairs = [(finding.before, finding.after) for finding in found]
                self._apply(ActionKind.MONITOR, pairs, kinds)
            return found

        return self._carried_out(change)

    def stamp(self) -> object:
        """Identify the state of all ledgers, whoever wrote them; none is read."""
        return self._ledgers.stamp()

    def agent_states(self) -> dict[str, AgentState]:
        """The agents that wait for an answer, or owe one; read again where a ledger differs."""
        if not self._store.has_clarifications:
            return {}
        stamp = self._ledgers.stamp()
        if self._states is None or self._states[0] != stamp:
            self._states = stamp, agent_states(self._ledgers.read().clarifications)
        return self._states[1]

    def lines_for(self, agent: str, issue: int | None) -> tuple[str, ...]:
        """Return lines for a session's start: the questions to an agent, and the answers to its
        own, as they are once the monitor has done what is due.
        """
        after = {due.before.id: due.after for due in self.examine()}
        theirs = [
            clean(after.get(clarification.id, clarification))
            for clarification in self._ledgers.read().clarifications
            if agent in (clarification.asker, clarification.asked)
        ]
        return lines_for(agent, theirs, issue, self._store.clock())

    def plan_decision(self, identifier: str) -> Plan:
        """Return a plan that remembers a settled clarification as a decision, the thread as its
        source.

        Raises `NotFound`, and `InvalidObservation` where it was not resolved.
        """
        decision = decision_of(clean(self._named(identifier)))
        return plan_add([decision], self._store.prepare, ActionKind.ADD)

    def _add_entry(
        self, kind: str, identifier: str, by: str, body: str, change: Change
    ) -> Clarification:
        speaker, text = agent_of(by), text_of(body, required=kind == ActionKind.ANSWER)
        self._named(identifier)  # where there is none, no folder is made for its lock

        def changed() -> list[Clarification]:
            before = self._named(identifier)
            after = change(before, speaker, text, self._store.clock())
            return self._apply(kind, [(before, after)])

        return self._carried_out(changed)[0]

    def _carried_out(self, change: Callable[[], list[T]]) -> list[T]:
        """Carry out a change of the ledgers, anew where AgentX's programs, which our gate
        does not keep out, wrote one between reading and writing. Raises as `change`.
        """
        with self._ledgers.held():
            for _ in range(_TRIES - 1):
                with suppress(Conflict):
                    return change()
            return change()

    def _named(self, identifier: str) -> Clarification:
        """Return a clarification by its id, in any case. Raises `NotFound`, `Unreadable`."""
        wanted = identifier.strip().upper()
        part = wanted.removeprefix("CLR-").partition("-")[0]
        is_issue = part.isdecimal() and len(part) <= 9
        known = self._of_issue(int(part)) if is_issue else self._ledgers.read().clarifications
        for clarification in known:
            if clarification.id.upper() == wanted:
                return clarification
        raise NotFound(f"No clarification {identifier!r}.", "See `memtui clarify`.")

    def _of_issue(self, issue: int) -> Sequence[Clarification]:
        """Return the clarifications of an issue, not cleaned. Raises `Unreadable` for a broken
        ledger.
        """
        return self._ledgers.of_issue(issue).clarifications

    def _apply(
        self,
        kind: str,
        pairs: Sequence[tuple[Clarification | None, Clarification]],
        figures: Mapping[str, int] = MappingProxyType({}),
    ) -> list[Clarification]:
        """Carry out changes as one operation, and emit their events. Return the clarifications
        after it.
        """
        changes = tuple(
            ClarificationChange(
                after.issue,
                after.id,
                before.record if before else None,
                clarification_record(after),
            )
            for before, after in sorted(pairs, key=lambda pair: (pair[1].issue, pair[1].id))
        )
        counts = {"clarifications": len(changes), **figures}
        plan = Plan(Action(kind, counts), clarifications=changes)
        applied = apply_plan(self._store.backend, plan, self._store.clock())
        emitted = [self._event(*pair, applied.operation_id) for pair in pairs]
        for event in emitted:
            if event is not None:
                self._store.events.emit(event)
        if not any(emitted):
            self._store.recorder.changed(
                kind, plan.ids, applied.operation_id, applied.action, applied.changed
            )
        return [replace(clean(after), operation=applied.operation_id) for _, after in pairs]

    def _event(
        self, before: Clarification | None, after: Clarification, operation: str
    ) -> events.Event | None:
        """Return the event of a clarification's new state; None where nothing was written in it."""
        kind = _EVENTS.get(after.status)
        if kind is None or (before is not None and len(before.thread) == len(after.thread)):
            return None
        return kind(
            id=after.id,
            issue_number=after.issue,
            asker=after.asker,
            asked=after.asked,
            topic=after.topic,
            blocking=after.blocking,
            round=after.round,
            timestamp=self._store.clock(),
            operation_id=operation,
        )
