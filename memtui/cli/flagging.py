"""Plans that set a mark of observations, titled for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from store.operations.plan import Plan
    from store.pipeline import MemoryPipeline

_VERBS = {
    ("pinned", True): "Pin",
    ("pinned", False): "Unpin",
    ("muted", True): "Mute",
    ("muted", False): "Unmute",
}


def plan_flag(
    memory: MemoryPipeline,
    identifiers: Sequence[str],
    flag: Literal["pinned", "muted"],
    *,
    on: bool,
) -> Plan:
    """A plan that pins or mutes observations, or takes that back."""
    from memtui.words import plural

    title = f"{_VERBS[flag, on]} {plural(len(identifiers), 'observation')}"
    return memory.plan_edit(list(identifiers), {flag: on}, title)
