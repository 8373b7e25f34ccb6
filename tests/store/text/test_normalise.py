from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.text.normalise import Kind, chunks, normalise, tokens
from store.text.roots import root
from store.text.vocabulary import UNITS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixed the  Lock\ttimeout.", "fixed the lock timeouts"),
        ("retry after 30 seconds", "Retry after 30s"),
        ("retry five times", "retry 5 times"),
        ("at most 1,000 tokens", "at most 1000 tokens"),
        ("half: 50 percent", "half: 50%"),
        ("decided on 27 February 2026", "decided on 2026-02-27"),
        ("decided on Feb 27th, 2026", "decided on 2026/02/27"),
        ("seen 2026-02-27T10:00:00Z", "seen 2026-02-27"),
        ("see ./src/lock.py", "see /home/ann/project/src/lock.py"),
        ("see src\\lock.py", "see src/lock.py"),
        ("repair the config", "fix the configuration"),
        ("don't use it", "never use it"),
        ("ﬁle “x”", "file x"),
    ],
)
def test_rewordings_compare_equal(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


def test_a_number_in_words_is_that_number_and_its_unit_in_any_spelling_that_unit() -> None:
    words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for number, word in enumerate(words, 2):
        assert normalise(f"after {word} tries") == normalise(f"after {number} tries")
    for spelling, unit in UNITS.items():
        assert normalise(f"wait 7 {spelling} more") == normalise(f"wait 7{unit} more")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("timeout is 5 s", "timeout is 30 s"),
        ("timeout is 5 s", "timeout is 5 ms"),
        ("use tabs", "do not use tabs"),
        ("see src/lock.py", "see src/gate.py"),
        ("on 2026-02-27", "on 2026-02-28"),
        ("call open_memory", "call close_memory"),
        ("v1.2.3", "v1.2.4"),
    ],
)
def test_different_statements_stay_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("in src/store/lock.py:120.", Kind.PATH, "src/store/lock.py"),
        ("the manifest.json file", Kind.PATH, "manifest.json"),
        ("of C:\\work\\a.txt", Kind.PATH, "work/a.txt"),
        ("the .gitignore", Kind.PATH, ".gitignore"),
        ("by `LockTimeout`", Kind.IDENTIFIER, "locktimeout"),
        ("with --dry-run", Kind.IDENTIFIER, "--dry-run"),
        ("store.open_memory()", Kind.IDENTIFIER, "store.open_memory"),
        ("utf-8 text", Kind.IDENTIFIER, "utf-8"),
        ("at https://example.org/a?b=1.", Kind.IDENTIFIER, "https://example.org/a?b=1"),
        ("version v1.2.3", Kind.NUMBER, "1.2.3"),
        ("took 3.5 ms", Kind.NUMBER, "3.5ms"),
        ("May 8, 2023", Kind.DATE, "2023-05-08"),
    ],
)
def test_pieces_are_told_apart(text: str, kind: Kind, value: str) -> None:
    assert value in [
        token.value for chunk in chunks(text)[0] for token in tokens(chunk) if token.kind is kind
    ]


def test_root_strips_inflection() -> None:
    assert root("Configurations") == root("configuration") != root("config")
    assert root("retries") == root("retry")
    assert root("stopped") == root("stopping") == root("stop")


@settings(max_examples=10)
@given(st.text(alphabet=st.characters(exclude_categories=["N", "Cs"]), max_size=300))
def test_any_text_has_a_common_form_without_case(text: str) -> None:
    form = normalise(text)
    assert form == form.casefold()
    assert normalise(text.replace(" ", "  ").replace("\n", "\n\n")) == form
