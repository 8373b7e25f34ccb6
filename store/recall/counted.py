"""Packing by an exact counter: by its estimate, counted once, and mended.

A real tokenizer takes a hundred times as long as the estimate, and packing asks for the size of a
hundred texts. So these are estimated; the beginning of the text is counted, which says about what
the estimate is off by, and then the text as a whole.
"""

from __future__ import annotations

from collections.abc import Callable

from store.recall.injector import Packed
from store.recall.values import Limits
from store.text.tokens import Counter, Exact, Scaled

_FULL, _ENOUGH = 0.9, 0.97
"""The parts of the budget from which tokens are what stopped the packing, and that are enough."""
_TRIES, _MORE = 2, 1.01
"""How often more is tried to be put in, and the care taken where a text came out too long."""
_SPARED = 1.015
"""What a sample is taken to tell too little: one text in ten then has to be packed again."""
_SAMPLE, _LONG = 6_000, 12_000
"""The characters of a text that tell the scale of the rest, and from which on a text is long: to
count one of 20,000 tokens takes 75 ms, its beginning 8."""


def pack_counted(
    pack: Callable[[Counter], Packed], counter: Counter, limits: Limits
) -> tuple[Packed, float]:
    """What `pack` makes of the limits by a counter, its tokens counted by that; and what estimated
    tokens are times, to be about the counter's.
    """
    if not isinstance(counter, Exact):
        return pack(counter), 1.0
    scale = _sampled(pack, counter)
    packed, tokens = _packed(pack, counter, scale)
    for _ in range(_TRIES):
        if tokens <= limits.tokens and not _has_room(packed, tokens, scale, counter, limits):
            break
        scale = tokens / max(1, counter.rough.count(packed.text))
        packed, tokens = _packed(pack, counter, scale)
    while tokens > limits.tokens:
        scale *= _MORE * tokens / limits.tokens
        packed, tokens = _packed(pack, counter, scale)
    return packed._replace(tokens=tokens), scale


def _sampled(pack: Callable[[Counter], Packed], counter: Exact) -> float:
    """About what the estimate of a long text is off by, from its beginning; 1 for a short one."""
    text = pack(_scaled(counter, 1.0)).text
    if len(text) < _LONG:
        return 1.0
    middle = (len(text) - _SAMPLE) // 2
    sample = text[middle : middle + _SAMPLE]
    return _SPARED * counter.count(sample) / max(1, counter.rough.count(sample))


def _scaled(counter: Exact, scale: float) -> Scaled:
    return Scaled(counter.rough, scale, counter.name, counter.characters_each)


def _packed(pack: Callable[[Counter], Packed], counter: Exact, scale: float) -> tuple[Packed, int]:
    packed = pack(_scaled(counter, scale))
    return packed, counter.count(packed.text)


def _has_room(packed: Packed, tokens: int, scale: float, counter: Exact, limits: Limits) -> bool:
    """Whether it was the estimate that kept more from coming in, and nothing else."""
    most = limits.length
    return (
        tokens < limits.tokens * _ENOUGH
        and counter.rough.count(packed.text) * scale >= limits.tokens * _FULL
        and (most is None or limits.measure(packed.text) < most * _ENOUGH)
    )
