"""Plans that pin and mute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from store import Memory
from store.operations.plan import Plan

Flag: TypeAlias = Literal["pinned", "muted"]

_KINDS: dict[tuple[Flag, bool], str] = {
    ("pinned", True): "pin",
    ("pinned", False): "unpin",
    ("muted", True): "mute",
    ("muted", False): "unmute",
}


def plan_flag(memory: Memory, ids: Sequence[str], flag: Flag, *, on: bool) -> Plan:
    """A plan that pins or mutes observations, or takes that back."""
    return memory.plan.edit(ids, {flag: on}, _KINDS[flag, on])
