"""How text becomes search terms."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.search.analyzers import (
    MAX_TERM,
    camel_parts,
    cjk_field,
    cjk_runs,
    cjk_terms,
    plain_terms,
    without_cjk,
)
from tests.store.factories import make_memory, observation


def test_terms_are_lowercase_letters_and_digits_without_accents() -> None:
    assert plain_terms("src/memory/Types.ts LOCK_TIMEOUT Café") == [
        *("src", "memory", "types", "ts", "lock", "timeout", "cafe")
    ]
    assert plain_terms("a" * MAX_TERM) == []
    assert plain_terms("a" * (MAX_TERM - 1)) == ["a" * (MAX_TERM - 1)]


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


def test_chinese_japanese_and_korean_are_searched_in_pairs() -> None:
    text = "Lock 锁定超时 と ロック、잠금"
    assert cjk_runs(text) == ["锁定超时", "と", "ロック", "잠금"]
    assert without_cjk(text).split() == ["Lock", "、"]
    assert cjk_terms("锁定超时") == ["锁定", "定超", "超时", "时"]
    assert cjk_field("锁定 x 超") == "锁定 定 超"
    assert (cjk_runs("plain"), without_cjk("plain")) == ([], "plain")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("把应用刷新token一次，5分钟后", "token"),
        ("把应用刷新token一次，5分钟后", "5分钟"),
        ("ระบบค้นหาช้า", "ค้นหา"),
        ("Templates of C++ differ", "c++"),
        ("Delegates of C# differ", "C#"),
        ("ﾊﾝｶｸのまま", "ハンカク"),
        ("ハンカクのまま", "ﾊﾝｶｸ"),
    ],
)
def test_words_between_odd_characters_are_found(tmp_path: Path, text: str, query: str) -> None:
    memory = make_memory(tmp_path)
    memory.add([observation(text), observation("Something else in C, in the same memory")])
    assert [hit.entry.summary for hit in memory.search(query).hits] == [text]
