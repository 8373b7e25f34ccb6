"""The estimate holds against what is known of tokenizers, and against real ones where installed."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text.features import FEATURES, features
from store.text.tokens import Family, counter_for, estimate, exact

NOTE = (
    "Chose one JSON file per issue over SQLite: a merge conflict stays readable, and "
    "`JsonObservationStore.save()` replaces src/store/disk/files.py atomically (fsync, rename).\n"
)

PIECES = [
    ": ",
    ":",
    "a1",
    "é1: ",
    "Bo",
    "\n",
    "\n  ",
    "aaaaaaaa",
    "the",
    " ",
    "  ",
    "of ",
    "é",
    "漢",
    "\t",
]


def of(text: str) -> dict[str, int]:
    """What `features` found, without the zeros."""
    return {name: n for name, n in zip(FEATURES, features(text), strict=True) if n}


def test_features_name_what_they_count() -> None:
    assert of("bc Cd\n") == {"upper": 1, "space": 1, "break": 1, "word": 2}
    assert of("setName") == {"upper": 1, "word": 1, "hump": 1, "usual": 1}
    assert of("v2") == {"digit": 1, "word": 1, "mixed": 1, "v": 1}
    assert of("selected") == {"word": 1, "long": 1}
    assert of("kiz") == {"word": 1, "kz": 2}
    assert of("tsi oua-aB") == {
        "upper": 1, "space": 1, "mark": 1, "word": 3, "hump": 1, "usual": 4, "ending": 2,
    }  # fmt: skip
    assert of("the file is, in the  end") == {
        "space": 3, "mark": 1, "word": 3, "usual": 2, "common": 3,
    }  # fmt: skip
    assert of("é я अ → 漢 한 😀 \x07") == {
        "latin": 1, "cyrillic": 1, "indic": 1, "symbol": 1, "ideograph": 1, "hangul": 1,
        "astral": 1, "control": 1, "space": 7,
    }  # fmt: skip


@pytest.mark.parametrize("family", Family)
def test_an_empty_text_takes_nothing(family: Family) -> None:
    assert estimate(family).count("") == 0


@pytest.mark.parametrize("family", Family)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_a_text_takes_what_its_lines_do(family: Family, text: str) -> None:
    weights = estimate(family).weights

    def taken(line: str) -> int:
        pairs = zip(FEATURES, features(line), strict=True)
        return sum(round(weights[name] * 100) * number for name, number in pairs)

    first, *others = text.split("\n")
    whole = taken(first) + sum(taken("\n") + taken(line) for line in others)
    assert estimate(family).count(text) == -(-whole // 100)


@pytest.mark.parametrize("family", Family)
@given(st.text(max_size=200), st.text(max_size=200))
def test_further_words_take_no_less(family: Family, one: str, other: str) -> None:
    counter = estimate(family)
    assert counter.count(f"{one} {other}") >= counter.count(one)


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_text_is_counted_lone_surrogates_too(text: str) -> None:
    assert estimate().count(text) >= 0
    assert estimate().count(text + "\ud800") >= estimate().count(text)


@pytest.mark.parametrize("family", Family)
def test_the_estimate_is_above_the_exact_count_of_packed_notes(family: Family) -> None:
    real = exact(family)
    if real is None:
        pytest.skip("the extra memtui[tokens] is not installed for this Python")
    for text in (NOTE * 10, "- `a1b2c3` 2026-03-04 " * 40, "錠 ロック 한국어 → é 😀 " * 40):
        assert real.count(text) <= estimate(family).count(text)


def test_without_the_extra_the_estimate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    exact.cache_clear()
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.setitem(sys.modules, "ctok", None)
    assert [exact(family) for family in Family] == [None, None]
    assert counter_for(Family.GPT) is estimate(Family.GPT)
    exact.cache_clear()


def test_with_the_extra_the_real_tokenizers_count(monkeypatch: pytest.MonkeyPatch) -> None:
    words = SimpleNamespace(encode_ordinary=str.split)
    splintr = SimpleNamespace(Tokenizer=SimpleNamespace(from_pretrained=lambda name: words))
    ctok = SimpleNamespace(token_count=lambda text, version: 12 + len(text))
    exact.cache_clear()
    monkeypatch.setitem(sys.modules, "splintr", splintr)
    monkeypatch.setitem(sys.modules, "ctok", ctok)
    assert counter_for(Family.GPT).count("three words \ud800") == 3
    assert counter_for(Family.CLAUDE).count("four") == 4
    assert counter_for(Family.CLAUDE, exactly=False) is estimate(Family.CLAUDE)
    assert "exact" in counter_for(Family.GPT).name
    exact.cache_clear()
