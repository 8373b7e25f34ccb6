"""Plans that set a mark of observations, titled for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from memtui.formatting import plural

if TYPE_CHECKING:
    from store.operations.plan import Plan
    from store.pipeline import MemoryPipeline

Flag: TypeAlias = Literal["pinned", "muted"]

_VERBS: dict[tuple[Flag, bool], str] = {
    ("pinned", True): "Pin",
    ("pinned", False): "Unpin",
    ("muted", True): "Mute",
    ("muted", False): "Unmute",
}


def plan_flag(memory: MemoryPipeline, ids: Sequence[str], flag: Flag, *, on: bool) -> Plan:
    """A plan that pins or mutes observations, or takes that back."""
    plan = memory.plan_edit(ids, {flag: on})
    return replace(plan, title=f"{_VERBS[flag, on]} {plural(len(plan.changes), 'observation')}")
