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


def of(text: str) -> dict[str, int]:
    """What `features` found, without the zeros."""
    return {name: n for name, n in zip(FEATURES, features(text), strict=True) if n}


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
