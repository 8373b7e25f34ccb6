"""A recall from end to end: candidates, ranked, packed and worded. It changes nothing."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from datetime import datetime

from store.model import Observation
from store.recall.candidates import Offers
from store.recall.injector import Clean, Handle, Packed, pack
from store.recall.overlaps import giving_way
from store.recall.profiles import Profile, profile_named
from store.recall.request import RecallRequest
from store.recall.values import (
    Candidate,
    Limits,
    Ranked,
    Recall,
    ScoredCandidate,
    family_of,
    filling,
    limits_of,
)
from store.text.tokens import Counter, counter_for

_COMPARED_LEAST, _COMPARED_MOST = 20, 150
"""How many of the best are looked at for repeats and contradictions: those that may come in."""
_PAST = "the room was filled by what ranks higher"
_MUTED, _GIVEN = "muted", "already told to this session"


def recall(
    offers: Offers,
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float] | None = None,
    clean: Clean = lambda observation: observation,
) -> Recall:
    """What would be put in front of a session; a request without a budget gets nothing.

    `weights` replace some of the profile's own; what comes in is as `clean` leaves it. Raises
    `InvalidObservation` for an unknown profile.
    """
    profile = profile_named(request.profile, weights)
    limits = limits_of(request.channel, request.budget or 0)
    counter = counter_for(family_of(request.channel))
    if limits.tokens <= 0:
        return Recall(
            profile=profile.name, channel=request.channel, counter=counter.name, limits=limits
        )
    room = limits.room(counter.characters_each)
    candidates = offers.candidates(request, room, filtered=profile.filtered)
    return plan(candidates, request, profile, limits, counter, offers.handle, now, clean)


def plan(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    profile: Profile,
    limits: Limits,
    counter: Counter,
    handle: Handle,
    now: datetime,
    clean: Clean = lambda observation: observation,
) -> Recall:
    """The recall of given candidates: ranked, weeded, packed and worded. Pure."""
    room = limits.room(counter.characters_each)
    ranked = profile.rank([it for it in candidates if profile.admits(it, request)], request, now)
    out = _kept_out(ranked, request, handle, _compared(ranked, room) if profile.fills else 0)
    pinned = frozenset(it.observation.id for it in ranked if request.is_pinned(it.observation))
    packable = [it for it in ranked if it.observation.id not in out]
    packed = pack(
        packable,
        profile,
        limits,
        counter,
        handle,
        pinned,
        lambda it: _with_branch(clean(it), request),
    )
    scored = tuple(_scored(it, packed, out, pinned) for it in ranked)
    included = [it for it in scored if it.included]
    by_category: Tally[str] = Tally()
    for it in included:
        by_category[it.observation.category] += it.tokens
    return Recall(
        candidates=scored,
        text=packed.text,
        tokens=packed.tokens,
        tokens_by_category=dict(by_category),
        count_by_category=dict(Tally(it.observation.category for it in included)),
        packaging=packed.packaging,
        left_out=len(packable) - len(packed.costs),
        counter=counter.name,
        profile=profile.name,
        channel=request.channel,
        budget=limits.tokens if request.budget is None else request.budget,
        limits=limits,
    )


def _compared(ranked: Sequence[Ranked], room: int) -> int:
    """How many of the best could come into the text."""
    lengths = (len(it.observation.content) for it in ranked[:_COMPARED_MOST])
    return max(_COMPARED_LEAST, filling(lengths, room))


def _kept_out(
    ranked: Sequence[Ranked], request: RecallRequest, handle: Handle, compared: int
) -> dict[str, str]:
    """Why some stay out whatever the room: muted, told already, or giving way to a newer one."""
    out: dict[str, str] = {}
    standing: list[Observation] = []
    for it in ranked:
        observation = it.observation
        if request.is_muted(observation):
            out[observation.id] = _MUTED
        elif observation.id in request.given:
            out[observation.id] = _GIVEN
        else:
            standing.append(observation)
    pinned = {it.id for it in standing if request.is_pinned(it)}
    for identifier, (reason, newer) in giving_way(standing[:compared]).items():
        if identifier not in pinned:
            out[identifier] = f"{reason} {handle(newer)}, which is newer"
    return out


def _scored(
    it: Ranked, packed: Packed, out: Mapping[str, str], pinned: frozenset[str]
) -> ScoredCandidate:
    identifier = it.observation.id
    included = identifier in packed.costs
    reason = out.get(identifier) or packed.reasons.get(identifier, _PAST)
    if included:
        reason = "pinned" if identifier in pinned else _strongest(it.factors)
    return ScoredCandidate(
        observation=it.observation,
        score=it.score,
        factors=it.factors,
        included=included,
        reason=reason,
        tokens=packed.costs.get(identifier, 0),
    )


def _strongest(factors: Mapping[str, float]) -> str:
    """The two factors that count most, in words."""
    best = sorted(factors.items(), key=lambda item: -item[1])[:2]
    return ", ".join(name for name, _ in best) or "nothing else to say"


def _with_branch(observation: Observation, request: RecallRequest) -> Observation:
    """An observation that says where it was learned, where that branch is not merged."""
    branch = request.unmerged_branch(observation)
    if not branch:
        return observation
    said = f"(on branch {branch}, not merged) "
    return observation._replace(
        content=said + observation.content, summary=said + observation.summary
    )
