"""How text becomes search terms."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from store.search.analyzers import (
    MAX_TERM,
    camel_parts,
    cjk_field,
    cjk_runs,
    cjk_terms,
    folded,
    plain_terms,
    stem,
    with_parts,
    without_cjk,
)


def test_terms_are_lowercase_letters_and_digits_without_accents() -> None:
    assert plain_terms("src/memory/Types.ts LOCK_TIMEOUT Café") == [
        *("src", "memory", "types", "ts", "lock", "timeout", "cafe")
    ]
    assert plain_terms("a" * MAX_TERM) == []
    assert plain_terms("a" * (MAX_TERM - 1)) == ["a" * (MAX_TERM - 1)]


@pytest.mark.parametrize("text", ["LOCK", "Σ ΟΔΟΣ", "İSTANBUL", "STRAẞE", "ÀÉ", "ДОМ", "𐐀"])
def test_small_letters_without_accents_are_those_of_the_index(text: str) -> None:
    raw = TextAnalyzerBuilder(Tokenizer.raw())
    of_index = raw.filter(Filter.lowercase()).filter(Filter.ascii_fold()).build()
    assert [folded(text)] == of_index.analyze(text)


def test_what_one_character_spells_is_found_by_it() -> None:
    assert plain_terms("Step ⑴, half a day: ½") == ["step", "1", "half", "a", "day", "½"]


@pytest.mark.parametrize(("word", "root"), [("caches", "cach"), ("locking", "lock"), ("", "")])
def test_words_are_stemmed(word: str, root: str) -> None:
    assert stem(word) == root


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("JsonObservationStore", ["json", "observation", "store"]),
        ("parseHTMLText", ["parse", "html", "text"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("plain", []),
        ("PLAIN", []),
        ("snake_Case", []),
        ("", []),
    ],
)
def test_identifiers_come_apart_at_their_humps(word: str, parts: list[str]) -> None:
    assert camel_parts(word) == parts


def test_parts_follow_the_text_each_once() -> None:
    assert with_parts("no humps here") == "no humps here"
    text = "JsonStore and TextView, JsonStore"
    assert with_parts(text) == text + "\njson store\ntext view"


@settings(max_examples=150, deadline=None)
@given(st.text("abZQ19_ -é\ud800锁😀", max_size=30))
def test_the_parts_are_those_of_every_identifier_in_the_text(text: str) -> None:
    words = dict.fromkeys(re.findall("[A-Za-z0-9]+", text))
    parts = [" ".join(camel_parts(word)) for word in words if camel_parts(word)]
    assert with_parts(text) == "\n".join([text, *parts])


def test_chinese_japanese_and_korean_are_searched_in_pairs() -> None:
    text = "Lock 锁定超时 と ロック、잠금"
    assert cjk_runs(text) == ["锁定超时", "と", "ロック", "잠금"]
    assert without_cjk(text).split() == ["Lock", "、"]
    assert cjk_terms("锁定超时") == ["锁定", "定超", "超时", "时"]
    assert cjk_field("锁定 x 超") == "锁定 定 超"
    assert (cjk_runs("plain"), without_cjk("plain")) == ([], "plain")


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40))
def test_what_is_no_run_stands_outside_of_them(text: str) -> None:
    assert not cjk_runs(without_cjk(text))
    assert all(run in text for run in cjk_runs(text))
