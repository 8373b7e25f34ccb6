"""What is just at a limit passes, and one more does not: each limit is met exactly."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from store.agents.session import MAX_TEXT as MAX_SAID
from store.agents.session import _bounded
from store.agents.transcript import Message, Speaker
from store.agents.vault_lines import _SHORTEST, _category_of
from store.capture.evidence.rules import is_rule
from store.errors import Unreadable
from store.exchange.long_text import pieces
from store.exchange.sources import read_source
from store.merge.bounds import MAX_VERSIONS, check_versions
from store.model import MAX_CONTENT, MAX_ISSUE, issue_named
from store.platform.bounds import MAX_DEPTH, MAX_TEXT, MAX_VALUES, excess_of
from store.search.query import MAX_LENGTH, MAX_TERMS, parse_query
from store.sessions.checkpoint import _MOST_PROCESS, _process
from store.sessions.digest import MAX_PASSAGE, _passages
from store.statistics import _BY_DAY, growth
from tests.store.factories import NOW


def _joins(number: int) -> bool:
    try:
        check_versions(["a"] * number)
    except Unreadable:
        return False
    return True


def _nested(levels: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def _stands_under_its_heading(words: str, length: int) -> bool:
    """Whether a note of this length is told with the heading that it stands under."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.md"
        path.write_text(f"# Leases\n\n- {words[: length - 1]}x\n")
        found = read_source(path)
        return [it.observation.content[:8] for it in found.incoming] == ["Leases: "]


LIMITS: dict[str, tuple[int, Callable[[int], bool]]] = {
    "text of a session": (
        MAX_SAID,
        lambda n: len(getattr(_bounded(Message(1, Speaker.USER, "x" * n)), "text", "")) == n,
    ),
    "string of a record": (MAX_TEXT, lambda n: not excess_of({"a": "x" * n})),
    "keys of a record": (MAX_VALUES, lambda n: not excess_of(dict.fromkeys(map(str, range(n))))),
    "values of a record": (MAX_VALUES, lambda n: not excess_of({"a": [0] * (n - 1)})),
    "levels of a record": (MAX_DEPTH, lambda n: not excess_of(_nested(n))),
    "versions of a memory": (MAX_VERSIONS, _joins),
    "process of a checkpoint": (_MOST_PROCESS, lambda n: _process(n) == n),
    "line that says nothing": (_SHORTEST, lambda n: _category_of("decided".ljust(n, ".")) is None),
    "text in one piece": (MAX_CONTENT, lambda n: len(pieces("x ".center(n, "x"))) == 1),
    "query": (MAX_LENGTH, lambda n: not parse_query("x" * n, NOW).notes),
    "words of a query": (MAX_TERMS, lambda n: not parse_query("x " * n, NOW).notes),
    "passage of a session": (MAX_PASSAGE, lambda n: len(_passages("x" * n)) == 1),
    "days told one by one": (_BY_DAY, lambda n: growth([1] * n).step_days == 1),
    "rule of a person": (
        240,
        lambda n: is_rule("Never push to main without a review ".ljust(n - 1, "x") + "."),
    ),
    "letters with a heading": (79, lambda n: _stands_under_its_heading("word " * 99, n)),
}


@pytest.mark.parametrize("what", LIMITS)
def test_what_is_at_a_limit_passes_and_one_more_does_not(what: str) -> None:
    most, passes = LIMITS[what]
    assert [passes(most - 1), passes(most), passes(most + 1)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("0", 0),
        ("#29", 29),
        ("999999999", MAX_ISSUE),
        ("1000000000", None),
        ("9" * 5_000, None),
        ("##29", None),
        ("-1", None),
        ("२९", None),
        ("", None),
        ("#", None),
    ],
    ids=map(str, range(10)),
)
def test_a_text_names_an_issue_by_up_to_nine_digits(text: str, issue: int | None) -> None:
    assert issue_named(text) == issue
