"""What is told before a memory: that its branch is not merged, that it was amended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.model import Observation
from store.recall.request import RecallRequest
from store.recall.terms import Clean, Handle
from store.recall.values import Ranked


def amendments(ranked: Sequence[Ranked], handle: Handle) -> dict[str, str]:
    """For the id of each that another candidate amends: when, and how that one is named."""
    known = {it.observation.id: it.observation for it in ranked}
    found = {}
    for it in ranked:
        newer = known.get(it.amended_by)
        if newer is not None:
            day = newer.timestamp
            found[it.observation.id] = f"amended {day.day} {day:%b} by {handle(newer)}"
    return found


def with_caveats(clean: Clean, request: RecallRequest, amends: Mapping[str, str]) -> Clean:
    """Cleans an observation, and puts its caveats before what it says."""
    if not request.unmerged and not amends:  # most recalls: each note is asked for some times
        return clean
    return lambda it: _marked(clean(it), request, amends.get(it.id, ""))


def _marked(observation: Observation, request: RecallRequest, amended: str) -> Observation:
    """An observation that says where it was learned, where that branch is not merged, and that it
    was amended.
    """
    branch = request.unmerged_branch(observation)
    marks = [
        mark for mark in (f"on branch {branch}, not merged" if branch else "", amended) if mark
    ]
    if not marks:
        return observation
    said = f"({'; '.join(marks)}) "
    return observation._replace(
        content=said + observation.content, summary=said + observation.summary
    )
