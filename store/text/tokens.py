"""Token counts of a text: an estimate that doesn't undercount, and exact counters.

The estimate is linear over features of the text (`store.text.features`). The weights are the
cheapest ones that no calibration text exceeds; `python -m tests.bench.tokens` measures them against
real tokenizers and fits them again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from operator import mul
from types import MappingProxyType
from typing import Protocol

from store.text.features import FEATURES, features

_REMEMBERED, _LINES, _SHORT = 6_000, 2_000, 4_000
"""How many texts and lines are kept with their counts; the characters of a text short enough."""


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


@dataclass(frozen=True, eq=False)
class Estimate:
    """A counter fitted to tokenizers: the weights are how many tokens each feature costs."""

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
