"""All finders, in the order of trust, and what they find in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from store.agents.session import Session
from store.capture.candidate import Candidate, Found
from store.capture.evidence import (
    answers,
    changes,
    commands,
    handoff,
    plans,
    rules,
    summaries,
    talks,
    vault_lines,
)
from store.capture.work import Reading, works_of

FINDERS: Mapping[str, Callable[[Reading], Iterator[Found]]] = MappingProxyType({
    "rules": rules.find,
    "answers": answers.find,
    "plans": plans.find,
    "talks": talks.find,
    "vault-lines": vault_lines.find,
    "summaries": summaries.find,
    "changes": changes.find,
    "commands": commands.find,
    "handoff": handoff.find,
})  # fmt: skip
"""The finders by the name that their memories carry, the most trustworthy first."""
DECIDED = frozenset({"rules", "answers", "plans", "talks"})
"""Those that find what the person settled."""
FACTS = frozenset({"changes", "commands"})
"""Those that find what was done, whatever was said of it."""


def evidence_of(
    session: Session,
    roots: tuple[str, ...] = (),
    known: frozenset[str] = frozenset(),
    *,
    is_over: bool = True,
    in_vault: bool = False,
) -> tuple[Found, ...]:
    """Return all that a session shows, each candidate with the name of its finder.

    `roots` are the project's folders, `known` the provenance of what memory rests on already. Only
    a session that `is_over` leaves a handoff, `in_vault` the one of a vault's own program.
    """
    reading = Reading(session, works_of(session), roots, known, is_over, in_vault)
    return tuple(
        found._replace(finder=name) if isinstance(found, Candidate) else found
        for name, find in FINDERS.items()
        for found in find(reading)
    )
