"""What decides how many tokens a text takes: counts of its characters by class, and of shapes."""

from __future__ import annotations

import re
from bisect import bisect
from itertools import filterfalse

COMMON_WORDS = frozenset(
    """
    A a about above across active add added address after again all already also always an And
    and another any are around as at back base be because been before being below between both
    But but by call called can case change check code command content context core could create
    current data def default description did different do does done during each else end error
    even every example except False few field File file files find first following For for
    format found from full function get git give go going good got great group had has have
    help here How how I id If if import In in include index information int into is It it its
    just key know known last left let like line list local log long look love made main make
    making many match may me means median message might more most much must my name named names
    need never new next no None not now number object of old on once one only open or order
    other our out output over own package part path people place please project python query
    read real really record related release request result results return review right root run
    said same say says search see session set share short should show since single So so some
    something start state status still store string such support take task test text than That
    that The the their them then there these they things think This this those three through
    time title to told too try two type types under up update us use used user using value
    values version want was way We we were What what When when where which while who why will
    with within without word words work working works would write written you your
    """.split()
)
"""Each is one token of every vocabulary that `python -m tests.bench.tokens` measures."""


_ASCII_PATTERNS = {
    "upper": r"[A-Z]",
    "digit": r"[0-9]",
    "space": r" ",
    "break": r"[\t\n\r]",
    "mark": r"[!-/:-@\[-`{-~]",
    "control": r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]",
    "word": r"(?<![^\x00-@\[-`{-\x7f])[A-Za-z]",
    "hump": r"(?<=[a-z])[A-Z]",
    "mixed": r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]",
    "long": r"[A-Za-z]{8}",
    "kz": r"[kz]",
    "v": r"v",
    "usual": r"[aoughnr]",
    "ending": r"[aiou](?![A-Za-z])",
}
_SCRIPTS = {
    0x80: "latin",
    0x100: "extended",
    0x400: "cyrillic",
    0x480: "extended",
    0x800: "indic",
    0x2000: "symbol",
    0x3000: "ideograph",
    0xA000: "hangul",
    0x10000: "astral",
}
"""Scripts beyond ASCII, by the code point that each begins at: a pattern of so wide a range takes
milliseconds to compile."""
_ASCII = [re.compile(pattern) for pattern in _ASCII_PATTERNS.values()]
_SCRIPT_NAMES = tuple(dict.fromkeys(_SCRIPTS.values()))
_NO_SCRIPTS = [0] * len(_SCRIPT_NAMES)
_BEGINNINGS = tuple(_SCRIPTS)

FEATURES = (*_ASCII_PATTERNS, *_SCRIPT_NAMES, "common")
"""What `features` counts, in its order; the weights are by these names."""


def features(text: str) -> list[int]:
    """Count the shapes of a line that decide how many tokens it takes.

    Classes of characters, those beyond ASCII by script; words, humps (`aB`), digits that touch
    letters, eight letters in a row. Small letters by how words with them are cut: k and z, v, those
    of "aoughnr", and words that end in a, i, o or u, as few English ones do: other languages are
    cut into more pieces. Common words after a space count as such, and as nothing else.
    """
    text, common = _without_common(text)
    shapes = [len(pattern.findall(text)) for pattern in _ASCII]
    scripts = _NO_SCRIPTS
    if not text.isascii():
        places = [bisect(_BEGINNINGS, ord(mark)) - 1 for mark in text if not mark.isascii()]
        found = [_SCRIPTS[_BEGINNINGS[place]] for place in places]
        scripts = [found.count(name) for name in _SCRIPT_NAMES]
    return [*shapes, *scripts, common]


def _without_common(line: str) -> tuple[str, int]:
    """A line without the common words that follow a single space, and how many these were."""
    first, *words = line.split(" ")
    if "  " in line:
        before = ("-", *words)
        rare = [
            word
            for previous, word in zip(before, words, strict=False)
            if not previous or word not in COMMON_WORDS
        ]
    else:
        rare = [*filterfalse(COMMON_WORDS.__contains__, words)]
    return " ".join([first, *rare]), len(words) - len(rare)
