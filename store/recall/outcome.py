"""What becomes of each candidate: in or out, why, and what that comes to by category."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence

from store.model import Observation
from store.recall.injector import Packed
from store.recall.overlaps import giving_way
from store.recall.reasons import Reason, Verdict
from store.recall.request import RecallRequest
from store.recall.terms import Clean, Handle
from store.recall.values import Ranked, ScoredCandidate, filling

_PINNED, _RELEVANT = Reason(Verdict.PINNED), Reason(Verdict.RELEVANT)
_PINS_FULL, _FULL = Reason(Verdict.PINS_FULL), Reason(Verdict.BUDGET_FULL)
_COMPARED_LEAST, _COMPARED_MOST = 20, 150
"""How many of the best are looked at for repeats and contradictions: those that may come in."""


def compared(ranked: Sequence[Ranked], room: int) -> int:
    """How many of the best could come into the text."""
    lengths = (len(it.observation.content) for it in ranked[:_COMPARED_MOST])
    return max(_COMPARED_LEAST, filling(lengths, room))


def refused(observation: Observation, request: RecallRequest) -> Reason | None:
    """Why a request does not want it told: muted, injected already, or from its own session."""
    if request.is_muted(observation):
        return Reason(Verdict.MUTED)
    if observation.id in request.given:
        return Reason(Verdict.INJECTED)
    if request.session_id and observation.session_id == request.session_id:
        return Reason(Verdict.OWN)
    return None


def kept_out(
    ranked: Sequence[Ranked], request: RecallRequest, handle: Handle, compared: int
) -> dict[str, Reason]:
    """Why some stay out whatever the room: refused, or giving way to one of the best `compared`."""
    out: dict[str, Reason] = {}
    memories = {it.observation.id: it.observation for it in ranked}
    standing: list[Observation] = []
    for it in ranked:
        observation = it.observation
        if reason := refused(observation, request):
            out[observation.id] = reason
        elif it.kept_as:
            out[observation.id] = Reason(Verdict.KEPT_AS, handle(memories[it.kept_as]))
        else:
            standing.append(observation)
    pinned = {it.id for it in standing if request.is_pinned(it)}
    for identifier, (why, newer) in giving_way(standing[:compared]).items():
        if identifier not in pinned:
            out[identifier] = Reason(why, handle(newer))
    return out


def scored(
    ranked: Iterable[Ranked],
    clean: Clean,
    packed: Packed,
    out: Mapping[str, Reason],
    leading: frozenset[str],
    pinned: frozenset[str],
) -> tuple[ScoredCandidate, ...]:
    """Candidates as the plan lists them, their texts as `clean` leaves them.

    `leading` are the pins told first, of all that are `pinned`.
    """
    return tuple(_scored(it, clean, packed, out, leading, pinned) for it in ranked)


def _scored(
    it: Ranked,
    clean: Clean,
    packed: Packed,
    out: Mapping[str, Reason],
    leading: frozenset[str],
    pinned: frozenset[str],
) -> ScoredCandidate:
    observation = clean(it.observation)
    identifier = observation.id
    tokens = packed.costs.get(identifier)
    if tokens is not None:
        reason = _PINNED if identifier in leading else _RELEVANT
    elif identifier in out:
        reason = out[identifier]
    elif identifier in pinned - leading:
        reason = _PINS_FULL
    else:
        reason = packed.reasons.get(identifier, _FULL)
    return ScoredCandidate(
        observation,
        it.score,
        it.factors,
        tokens is not None,
        reason,
        tokens or 0,
        packed.told.get(identifier, ""),
        it.kind,
    )


def by_category(scored: Sequence[ScoredCandidate]) -> tuple[dict[str, int], dict[str, int]]:
    """The tokens, and the number, of what is told, by category."""
    tokens: Tally[str] = Tally()
    counts: Tally[str] = Tally()
    for it in scored:
        if it.included:
            tokens[it.observation.category] += it.tokens
            counts[it.observation.category] += 1
    return dict(tokens), dict(counts)
