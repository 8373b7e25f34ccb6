"""Packing by an exact counter: by its estimate, counted once, and mended.

A real tokenizer takes a hundred times as long as the estimate, and packing asks for the size of a
hundred texts. So these are estimated; the text as a whole is counted, and says what the estimate
was off by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from store.recall.injector import Packed
from store.recall.values import Limits
from store.text.tokens import Counter, Estimate, Exact

_FULL, _ENOUGH = 0.9, 0.98
"""The parts of the budget from which tokens are what stopped the packing, and that are enough."""
_TRIES, _MORE = 2, 1.01
"""How often more is tried to be put in, and the care taken where a text came out too long."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """An estimate, times what an exact counter found of a text that it was off by."""

    of: Estimate
    scale: float
    name: str
    characters_each: float

    def count(self, text: str) -> int:
        """About the tokens that `text` takes by the exact counter."""
        return ceil(self.of.count(text) * self.scale)


def pack_counted(
    pack: Callable[[Counter], Packed], counter: Counter, limits: Limits
) -> tuple[Packed, float]:
    """What `pack` makes of the limits by a counter, its tokens counted by that; and what estimated
    tokens are times, to be about the counter's.
    """
    if not isinstance(counter, Exact):
        return pack(counter), 1.0
    scale, packed, tokens = 1.0, *_packed(pack, counter, 1.0)
    for _ in range(_TRIES):
        if tokens <= limits.tokens and not _has_room(packed, tokens, scale, counter, limits):
            break
        scale = tokens / max(1, counter.rough.count(packed.text))
        packed, tokens = _packed(pack, counter, scale)
    while tokens > limits.tokens:
        scale *= _MORE * tokens / limits.tokens
        packed, tokens = _packed(pack, counter, scale)
    return packed._replace(tokens=tokens), scale


def _packed(pack: Callable[[Counter], Packed], counter: Exact, scale: float) -> tuple[Packed, int]:
    packed = pack(Scaled(counter.rough, scale, counter.name, counter.characters_each))
    return packed, counter.count(packed.text) if packed.text else 0


def _has_room(packed: Packed, tokens: int, scale: float, counter: Exact, limits: Limits) -> bool:
    """Whether it was the estimate that kept more from coming in, and nothing else."""
    most = limits.length
    return (
        bool(packed.text)
        and tokens < limits.tokens * _ENOUGH
        and counter.rough.count(packed.text) * scale >= limits.tokens * _FULL
        and (most is None or limits.measure(packed.text) < most * _ENOUGH)
    )
