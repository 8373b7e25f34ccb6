"""How much is looked at for what is related to a memory, and in which order it is told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.model import Observation
from store.related import relation_of
from tests.store.factories import NOW, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


def _made(name: str, content: str, minutes: int = 0, **fields: Any) -> Observation:  # noqa: ANN401
    at = NOW - timedelta(minutes=minutes)
    return observation(content, id=f"obs-{name}", timestamp=at, category="error", **fields)


def _told(memory: Memory, name: str) -> list[str]:
    found = memory.related(memory.get(f"obs-{name}"))
    return [f"{it.relation} {it.observation.id.removeprefix('obs-')}" for it in found]


def test_the_twelve_newest_of_a_session_are_told(memory: Memory) -> None:
    memory.store(
        [
            *(
                _made(f"s{at:02d}", f"Asked about {at} teas", at, session_id="s")
                for at in range(14)
            ),
            _made("other", "Asked about none", session_id="t"),
            _made("nobody", "Asked by nobody"),
            _made("nobody2", "Asked again by nobody"),
        ]
    )
    assert _told(memory, "s00") == [f"same session s{at:02d}" for at in range(1, 13)]
    assert _told(memory, "s13") == [f"same session s{at:02d}" for at in range(12)]
    assert _told(memory, "nobody") == []


def test_what_is_of_the_same_file_is_found_whatever_its_issue(
    memory: Memory,
) -> None:
    memory.store(
        [
            observation("a.py: renamed the lease", id="obs-it", category="code-change"),
            *(
                observation(
                    f"a.py: renamed {at} times",
                    id=f"obs-f{at:02d}",
                    category="code-change",
                    issue_number=at + 1,
                    timestamp=NOW - timedelta(minutes=at),
                )
                for at in range(13)
            ),
        ]
    )
    assert _told(memory, "it") == [f"same file f{at:02d}" for at in range(12)]


def test_of_an_issue_the_three_hundred_last_are_looked_at(
    memory: Memory,
) -> None:
    memory.store(
        [
            _made("first", "Asked first", session_id="s"),
            _made("it", "Asked about it", session_id="s"),
            *(_made(f"n{at:03d}", f"Asked of {at}") for at in range(299)),
        ]
    )
    assert _told(memory, "it") == []
    assert _told(memory, "first") == ["same session it"]


def test_the_closest_relation_is_told_once_and_the_newest_first(memory: Memory) -> None:
    memory.store(
        [
            _made("it", "See [[obs-aaa]], [[Lock rules]] and [[obs-it]]", session_id="s"),
            _made("aaa", "Waits, see [[obs-it]]", 3, session_id="s"),
            _made("rules", "# Lock rules\nold", 9),
            _made("rules2", "# Lock rules\nnew", 2),
            _made("from", 'Told of "it" in [[obs-it]]', 5),
            _made("from2", "Told in [[obs-it]] too", 1),
            _made("near", "Told beside obs-it", 1),
            _made("merged", "All of it", 4, sources=("obs-it", "session:x#1")),
            _made("part", "Part of it", 4),
            _made("same", "Asked then", 6, session_id="s"),
        ]
    )
    assert _told(memory, "it") == [
        "links to rules2",
        "links to aaa",
        "linked from from2",
        "linked from from",
        "merged into merged",
        "same session same",
    ]
    assert _told(memory, "rules2") == ["linked from it"]
    assert _told(memory, "merged") == ["merged from it"]


def test_what_stands_no_more_is_passed_over(memory: Memory) -> None:
    memory.store(
        [
            _made("it", "See [[obs-gone]], [[tiny]] and [[?]]", sources=("obs-none", "tool:obs-x")),
            _made("x", "Tiny it is"),
        ]
    )
    assert _told(memory, "it") == []


OLD = observation("Exports run on Monday nights at 02:00.", id="old", session_id="s")
NEW = observation(
    "Exports now run on Tuesday nights at 02:00.", id="new", session_id="s",
    timestamp=NOW, sources=("old",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "same_file", "relation"),
    [
        (OLD, OLD, True, None),
        (OLD, NEW, False, "merged into"),
        (NEW, OLD, False, "supersedes"),
        (OLD, NEW._replace(sources=()), True, "superseded by"),
        (OLD, NEW._replace(sources=(), category="error"), True, "same file"),
        (OLD, NEW._replace(sources=(), category="error"), False, "same session"),
        (OLD, NEW._replace(sources=(), category="error", session_id="t"), False, None),
        (
            OLD._replace(session_id=""),
            NEW._replace(sources=(), category="error", session_id=""),
            False,
            None,
        ),
    ],
)
def test_how_two_memories_are_related(
    one: Observation, other: Observation, same_file: bool, relation: str | None
) -> None:
    at = NOW - timedelta(days=1)
    found = relation_of(one._replace(timestamp=at) if one is not NEW else one,
                        other._replace(timestamp=at) if other is OLD else other,
                        same_file=same_file)  # fmt: skip
    assert found == relation


def test_a_link_by_an_id_is_to_what_has_it_and_else_to_the_newest_of_the_name(
    memory: Memory,
) -> None:
    memory.store(
        [
            _made("one", "By its id [[obs-lock]], by its name [[Lock order]]", 0),
            _made("lock", "Held by the kernel", 90, summary="Kernel"),
            _made("called", "Not that", 5, summary="obs-lock"),
            *(_made(f"named{at}", f"Order {at}", at, summary="Lock order") for at in (30, 20, 25)),
        ]
    )
    assert _told(memory, "one") == ["links to named20", "links to lock"]
    assert _told(memory, "named20") == ["linked from one"]
    assert _told(memory, "lock") == ["linked from one"]
