"""Token counts of a text: an estimate that doesn't undercount, and exact counters.

The estimate is linear over features of the text (`store.text.tokens`). The weights are the
cheapest ones that no calibration text exceeds; `python -m tests.bench.tokens` measures them against
real tokenizers and fits them again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from itertools import filterfalse
from operator import mul
from types import MappingProxyType
from typing import Protocol

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


def _class_of(byte: int) -> str:
    """Return the class of a byte of UTF-8: a lead byte tells the script, what follows it is silent.

    Small letters by how words with them are cut: few English words have a k, z or v.
    """
    char = chr(byte)
    for letters, name in (("kz", "k"), ("v", "v"), ("aou", "o"), ("ghnr", "r"), ("i", "j")):
        if char in letters:
            return name
    if "a" <= char <= "z":
        return "c"
    if "A" <= char <= "Z":
        return "U"
    if "0" <= char <= "9":
        return "0"
    if char == " ":
        return " "
    if char in "\t\n\r":
        return "n"
    if byte < 0x20 or byte == 0x7F:
        return "x"
    scripts = ((0x80, "."), (0xC0, "-"), (0xC4, "l"), (0xD0, "e"), (0xD2, "y"), (0xE0, "e"))
    wide = ((0xE2, "i"), (0xE3, "s"), (0xEA, "h"), (0xF0, "g"), (0x100, "m"))
    return next(name for end, name in scripts + wide if byte < end)


_NAMES = tuple(map(_class_of, range(256)))
CLASSES = "".join(_NAMES).encode("ascii")
_RUNS = bytes.maketrans(b"kvorjcU", b"aaaaaaa")
_SCRIPTS = (b"l", b"e", b"y", b"i", b"s", b"h", b"g", b"m")
_NONE = (0,) * len(_SCRIPTS)
_FLAGGED = ("kvorjcU", "U", "0", " ", "or", "oj", "leyishgm-")
"""The classes of each flag: letters, capitals, digits, spaces, usual letters, endings, and what is
beyond ASCII."""
_FLAGS = bytes(
    sum((name in classes) << flag for flag, classes in enumerate(_FLAGGED)) for name in _NAMES
)
_LONGEST = 4_096


@lru_cache(maxsize=8)
def _first_flags(length: int) -> int:
    """Return a number with the first flag of each of so many bytes set."""
    return int.from_bytes(b"\1" * length, "little")


FEATURES = (
    "upper", "digit", "space", "break", "mark", "control", "latin", "extended", "cyrillic", "indic",
    "symbol", "ideograph", "hangul", "astral", "word", "hump", "mixed", "long", "kz", "v", "usual",
    "ending", "common",
)  # fmt: skip
"""What `features` counts, in its order; the weights are by these names."""


def features(text: str) -> tuple[int, ...]:
    """Count the classes and shapes of a line that decide how many tokens it takes.

    Characters: capitals, digits, spaces, other white space, ASCII marks, control characters, then
    by script beyond ASCII. Shapes: words (runs of ASCII letters), humps (`aB`), digits that touch
    letters, eight letters in a row. Of small letters: k and z, v, those of "aoughnr", and words
    that end in a, i, o or u, as few English ones do: other languages are cut into more pieces.
    Common words after a space count as such, and as nothing else.
    """
    text, common = _without_common(text)
    data = text.encode("utf-8", "surrogatepass")
    classes = data.translate(CLASSES)
    of = classes.count
    flags = int.from_bytes(data.translate(_FLAGS), "little")
    first = _first_flags(max(_LONGEST, len(data)))
    letters, capitals, digits = flags & first, flags >> 1 & first, flags >> 2 & first
    endings = flags >> 5 & first
    after_letters = letters << 8
    return (
        capitals.bit_count(),
        digits.bit_count(),
        (flags >> 3 & first).bit_count(),
        *map(of, (b"n", b".", b"x")),
        *(_NONE if text.isascii() else map(of, _SCRIPTS)),
        (letters ^ (letters & (after_letters | (flags >> 6 & first) << 8))).bit_count(),
        (capitals & (after_letters ^ capitals << 8)).bit_count() if capitals else 0,
        (digits & after_letters).bit_count() + (letters & digits << 8).bit_count() if digits else 0,
        classes.translate(_RUNS).count(b"aaaaaaaa"),
        of(b"k"),
        of(b"v"),
        (flags >> 4 & first).bit_count(),
        (endings ^ (endings & letters >> 8)).bit_count(),
        common,
    )


def _without_common(line: str) -> tuple[str, int]:
    """A line without the common words that follow a single space, and how many these were."""
    first, *words = line.split(" ")
    if "  " in line:
        before = ("-", *words)
        rare = [it for at, it in enumerate(words) if not before[at] or it not in COMMON_WORDS]
    else:
        rare = [*filterfalse(COMMON_WORDS.__contains__, words)]
    return " ".join([first, *rare]), len(words) - len(rare)


class Family(StrEnum):
    """The tokenizers whose counts differ enough to matter."""

    CLAUDE = "claude"
    GPT = "gpt"


class Counter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """Name of the counter for the screen."""

    @property
    def characters_each(self) -> float:
        """About how many characters of English notes take one of its tokens."""

    def count(self, text: str) -> int:
        """Return the tokens that `text` takes."""


_REMEMBERED, _LINES, _SHORT = 6_000, 2_000, 4_000
"""How many texts and lines are kept with their counts; the characters of a text short enough."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A counter fitted to tokenizers: the weights say how many tokens each feature costs."""

    name: str
    weights: Mapping[str, float]
    characters_each: float

    def count(self, text: str) -> int:
        """Return the tokens that `text` takes at most, for any text that looks like notes.

        No feature reaches over a line's end, so a text takes what its lines take.
        """
        lines = text.split("\n")
        hundredths = sum(map(self._line, lines)) + (len(lines) - 1) * self._line("\n")
        return -(-hundredths // 100)

    @cached_property
    def _line(self) -> Callable[[str], int]:
        """Hundredths of the tokens of a line; recall counts the same ones again and again."""
        weights = tuple(round(self.weights[name] * 100) for name in FEATURES)
        return lru_cache(maxsize=_LINES)(lambda line: sum(map(mul, weights, features(line))))


_WEIGHTS: Mapping[Family, Mapping[str, float]] = MappingProxyType(
    {
        Family.CLAUDE: {
            "upper": 0.43, "digit": 0.93, "space": 0.5, "break": 0.91, "mark": 1.11,
            "control": 0.01, "latin": 4.3, "extended": 2.43, "cyrillic": 0.86, "indic":
            3.08, "symbol": 2.82, "ideograph": 2.17, "hangul": 2.42, "astral": 4.08,
            "word": 1.14, "hump": 1.22, "mixed": 0.26, "long": 1.64, "kz": 3.06, "v":
            2.04, "usual": 0.01, "ending": 1.89, "common": 1.02,
        },
        Family.GPT: {
            "upper": 0.01, "digit": 0.68, "space": 0.33, "break": 0.72, "mark": 0.71,
            "control": 1.02, "latin": 2.05, "extended": 2.55, "cyrillic": 0.75, "indic":
            3.04, "symbol": 2.6, "ideograph": 1.97, "hangul": 2.34, "astral": 4.01,
            "word": 1.33, "hump": 0.83, "mixed": 1.05, "long": 0.01, "kz": 0.04, "v":
            0.92, "usual": 0.01, "ending": 1.48, "common": 1.03,
        },
    }
)  # fmt: skip
_CHARACTERS: Mapping[Family, float] = MappingProxyType({Family.CLAUDE: 2.5, Family.GPT: 3.3})
_ESTIMATES = {
    family: Estimate(f"{name} (estimated)", _WEIGHTS[family], _CHARACTERS[family])
    for family, name in ((Family.CLAUDE, "Claude"), (Family.GPT, "o200k"))
}


def estimate(family: Family = Family.CLAUDE) -> Estimate:
    """The estimate for a family. Claude's is the higher one, and so the safe choice for any."""
    return _ESTIMATES[family]


@dataclass(frozen=True, eq=False)
class Exact:
    """A counter that asks a real tokenizer."""

    name: str
    measure: Callable[[str], int]
    characters_each: float = 4.0
    """As SPEC-29 reckons."""

    def count(self, text: str) -> int:
        """Return the tokens that `text` takes; those of short texts are kept."""
        return self._known(text) if len(text) <= _SHORT else self.measure(text)

    @cached_property
    def _known(self) -> Callable[[str], int]:
        return lru_cache(maxsize=_REMEMBERED)(self.measure)


@cache
def exact(family: Family) -> Exact | None:
    """Return the exact counter of a family, or None where the extra `memtui[tokens]` is not
    installed.

    Something else that goes by the name of its packages is as good as nothing.
    """
    try:
        return _gpt() if family is Family.GPT else _claude()
    except (ImportError, AttributeError):
        return None


def _gpt() -> Exact:
    encoder = importlib.import_module("splintr").Tokenizer.from_pretrained("o200k_base")
    return Exact(
        "o200k (exact)",
        lambda text: len(encoder.encode_ordinary(_encodable(text))),
    )


def _claude() -> Exact:
    """Claude's newest vocabulary, the costliest, without the frame around a whole message."""
    count = importlib.import_module("ctok").token_count
    frame = count("", "4.7")
    return Exact("Claude (exact)", lambda text: count(_encodable(text), "4.7") - frame)


def _encodable(text: str) -> str:
    """`text` with lone surrogates, which tokenizers refuse, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def counter_for(family: Family, *, exactly: bool = True) -> Counter:
    """Return the best counter at hand: the exact one where it is installed and wanted."""
    return (exact(family) if exactly else None) or estimate(family)
