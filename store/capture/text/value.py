"""How much a sentence is worth keeping: a sum of weights that were learned.

A sentence is seen by its words and by where it stands in a message. The weights, in `value.json`,
are those of two logistic regressions, over what agents and what persons said in 334 sessions of 26
projects, in which the sentences that the next session needs were marked; `tests/bench/value.py`
learns them. In projects that they were not learned from they put a marked sentence of an agent
before another one 85 times in 100, and a person's 83 times.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

from store.agents.transcript import Message, Speaker
from store.capture.text.prose import CODE_NAME, parted, plain, without_code
from store.text.regex import regex

_HEADING = regex(r"\s{0,3}(?:#{1,6}\s+(?=\S)|\*\*(?=[^*]+\*\*:?\s*$))")
_ITEM = regex(r"(\s*)(?:[-*•+]|\d{1,2}[.)])\s+(?=\S)")
_ROW = regex(r"\s*\|")
_RULER = regex(r"[\s|:-]+$")
_WORD = regex(r"[a-z][a-z']+")
_CODE = regex(r"`[^`]*`")
_LONGEST_LEAD, _MOST_WORDS = 80, 60
"""Characters of a line that leads to others, and words of a sentence that count."""
_PLACES, _LENGTHS = (0, 1, 3, 7, 15, 30), (20, 40, 60, 90, 130, 180, 250, 400)
"""Up to which place in its message, and how many characters, sentences are alike."""
_MOST_NAMES = 3
_FILE = Path(__file__).with_name("value.json")
_SCALE = 100
"""The weights are kept as whole numbers of hundredths."""


class Kind(StrEnum):
    """What a sentence stands in."""

    TEXT = "text"
    ITEM = "item"
    ROW = "row"


class Sentence(NamedTuple):
    """A sentence of a message, and where it stands: below which `head`, in which paragraph, item or
    row (`block`, counted), at which `place` of the message; and whether that `closes` a turn.
    """

    text: str
    speaker: Speaker
    head: str
    kind: str
    block: int
    place: int
    closes: bool


def sentences_in(said: Message, *, closes: bool) -> Iterator[Sentence]:
    """The sentences of a message, without code, headings and lines that only lead to others."""
    head = lead = ""
    block = place = 0
    for line in without_code(said.text).splitlines():
        if not line.strip() or _RULER.match(line):
            continue
        block += 1
        told = plain(line.strip().lstrip("# "))
        if _ROW.match(line):
            row = " – ".join(cell.strip() for cell in line.strip(" |").split("|"))
            yield Sentence(plain(row), said.speaker, lead or head, Kind.ROW, block, place, closes)
            place += 1
        elif _HEADING.match(line) and not told.endswith(":"):
            head, lead = told, ""
            place += 1
        elif told.endswith(":") and len(told) <= _LONGEST_LEAD and not _ITEM.match(line):
            lead = told.rstrip(":")
            place += 1
        else:
            kind = Kind.ITEM if _ITEM.match(line) else Kind.TEXT
            for part in parted(told):
                yield Sentence(part, said.speaker, lead or head, kind, block, place, closes)
                place += 1
            lead = "" if kind == Kind.TEXT else lead


def value_of(sentence: Sentence) -> float:
    """How much a sentence is worth keeping: the log of the odds that a reader would mark it."""
    weights = _weights()[sentence.speaker]
    return sum(filter(None, map(weights.get, features_of(sentence)))) / _SCALE


def features_of(sentence: Sentence) -> Iterator[str]:
    """What a sentence is seen by, each thing once."""
    text = sentence.text
    yield "*"
    yield f"kind {sentence.kind}"
    yield f"closes {sentence.closes:d}"
    yield f"place {_bucket(sentence.place, _PLACES)}"
    yield f"length {_bucket(len(text), _LENGTHS)}"
    yield f"names {min(_MOST_NAMES, len(CODE_NAME.findall(text)))}"
    yield f"ends {text[-1:]}" if text[-1:] in "?:." else "ends"
    words = _WORD.findall(_CODE.sub(" ", text).lower().replace("’", "'"))[:_MOST_WORDS]
    yield from dict.fromkeys(words)
    if words:
        yield f"^{words[0]}"
    if sentence.head:
        yield "#"
        yield from dict.fromkeys(f"#{word}" for word in _WORD.findall(sentence.head.lower()))


def _bucket(size: int, bounds: tuple[int, ...]) -> int:
    return next((at for at, bound in enumerate(bounds) if size <= bound), len(bounds))


@cache
def _weights() -> Mapping[str, Mapping[str, int]]:
    """The weights of what is seen, by the speaker."""
    return cast("dict[str, dict[str, int]]", json.loads(_FILE.read_bytes()))
