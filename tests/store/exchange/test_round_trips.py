"""What is exported comes back equal, field by field, in every format."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.backends import open_backend
from store.errors import Conflict
from store.exchange.agentx import read_memory, to_agentx_store
from store.exchange.json_lines import read_json_lines, to_json_lines
from store.exchange.memory_bank import read_markdown_bank, to_markdown_bank
from store.exchange.values import Reading
from store.model import Category, Observation
from store.records import estimate_tokens, first_line
from tests.store.factories import NOW, observation, record, write_issue

TRICKY = (
    "<!-- memtui {} -->", "- 2026-01-01: bullet", "<private>", "-->", "\r", "\t", "\x1b[31m",
    "\u2028", "\u202e", "\ud800", "```", "# Heading", "\n", "\n\n", "  ", "日本", "a", "\0", "\x7f",
)  # fmt: skip
_texts = st.lists(st.sampled_from(TRICKY), min_size=1, max_size=6).map("".join)
_ids = _texts.filter(lambda text: "<private>" not in text)
"""An id that holds what is private comes back under another name."""
_contents = _texts.filter(lambda text: bool(first_line(text)))
_times = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
).map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000))
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_texts, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def _observations(draw: st.DrawFn) -> Observation:
    content = draw(_contents)
    return Observation(
        id=draw(_ids),
        agent=draw(_texts),
        issue_number=draw(st.integers(0, 3)),
        category=draw(st.sampled_from(list(Category)).map(str) | _texts),
        content=content,
        summary=draw(st.just(first_line(content)) | _texts),
        tokens=draw(st.just(estimate_tokens(content)) | st.integers(0, 10**6)),
        timestamp=draw(_times),
        session_id=draw(st.just("") | _texts),
        recall_count=draw(st.integers(0, 9)),
        relevance_score=draw(st.floats(0, 1)),
        archived=draw(st.booleans()),
        tags=tuple(draw(st.lists(_texts, max_size=2))),
        pinned=draw(st.booleans()),
        muted=draw(st.booleans()),
        last_recalled=draw(st.none() | _times),
        sources=tuple(draw(st.lists(_texts, max_size=2))),
        seen_count=draw(st.integers(0, 3)),
        extra=draw(st.dictionaries(_texts, _json, max_size=2)),
    )


_many = st.lists(_observations(), max_size=4, unique_by=lambda item: item.id)


def found_in(reading: Reading) -> list[Observation]:
    assert reading.problems == ()
    return in_order(item.observation for item in reading.incoming)


def in_order(observations: object) -> list[Observation]:
    assert not isinstance(observations, str)
    return sorted(observations, key=lambda item: item.id)  # type: ignore[call-overload,no-any-return]


@settings(max_examples=8)
@given(_many)
def test_a_memory_bank_gives_back_what_was_written(observations: list[Observation]) -> None:
    text = to_markdown_bank(observations)
    assert found_in(read_markdown_bank(text, "bank.md")) == in_order(observations)
    text.encode()


@settings(max_examples=8)
@given(_many)
def test_json_lines_give_back_what_was_written(observations: list[Observation]) -> None:
    text = to_json_lines(observations)
    assert found_in(read_json_lines(text, "all.jsonl")) == in_order(observations)
    assert text.count("\n") == len(observations)
    text.encode()


@settings(max_examples=6)
@given(_many)
def test_a_store_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, observations: list[Observation]
) -> None:
    folder = tmp_path_factory.mktemp("store") / "memory"
    assert to_agentx_store(observations, folder, NOW) == len(observations)
    assert found_in(read_memory(open_backend(folder))) == in_order(observations)


def test_what_is_written_acts_on_no_terminal() -> None:
    hostile = observation("a\x1b[2Jb", id="x\u202e", category="c\x1b", tags=("\x9b",))
    for text in (to_markdown_bank([hostile]), to_json_lines([hostile])):
        assert not {"\x1b", "\u202e", "\x9b"} & set(text)


def test_what_we_wrote_stays_private_where_it_was_made_so() -> None:
    ours = to_markdown_bank([observation("Hidden", id="a", timestamp=NOW)])
    reading = read_markdown_bank(f"- kept\n<private>\n{ours}</private>\n", "bank.md")
    assert [item.observation.content for item in reading.incoming] == ["kept"]


def test_a_store_s_damage_is_said_and_the_rest_read(tmp_path: Path) -> None:
    write_issue(tmp_path, 1, record("a", big=10**30), {"id": "b"})
    write_issue(tmp_path, 1, record("c"), archived=True)
    (tmp_path / "issue-2.json").write_text("{")
    reading = read_memory(open_backend(tmp_path))
    one, archived = (item.observation for item in reading.incoming)
    assert one.extra == {"big": 10**30}
    assert archived.archived
    assert len(reading.problems) == 2


def test_a_store_is_never_written_over_another(tmp_path: Path) -> None:
    write_issue(tmp_path, 1, record("a"))
    with pytest.raises(Conflict):
        to_agentx_store([observation(id="b", timestamp=NOW)], tmp_path, NOW)


def test_a_store_is_never_written_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "an extension"}')
    (tmp_path / ".gitignore").write_text("node_modules")
    with pytest.raises(Conflict, match=r"is not empty \(\.gitignore\)"):
        to_agentx_store([observation(id="b", timestamp=NOW)], tmp_path, NOW)
    assert (tmp_path / "manifest.json").read_text() == '{"name": "an extension"}'
    assert sorted(each.name for each in tmp_path.iterdir()) == [".gitignore", "manifest.json"]
