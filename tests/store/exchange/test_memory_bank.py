"""Reading memory banks that people keep by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.words.notices import sentence
from store.exchange.memory_bank import read_markdown_bank, to_markdown_bank
from store.exchange.sources import read_source
from store.model import UNDATED, Observation
from tests.store.exchange.keys import made_up_key
from tests.store.factories import NOW, observation


def read(text: str, name: str = "notes.md") -> list[Observation]:
    return [item.observation for item in read_markdown_bank(text, name).incoming]


def contents(text: str) -> list[str]:
    return [observation.content for observation in read(text)]


def problems(text: str) -> str:
    return "\n".join(map(sentence, read_markdown_bank(text, "notes.md").problems))


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("bullet", "content", "date"),
    [
        ("* 2026-03-08 - said", "said", day(2026, 3, 8)),
        ("+ [2026-03-08] said", "said", day(2026, 3, 8)),
        ("1. (2026-03-08) said", "said", day(2026, 3, 8)),
        ("2) **2026-03-08**: said", "said", day(2026, 3, 8)),
        ("- **2026-03-08:** said", "said", day(2026, 3, 8)),
        ("- 2026/03/08 — said", "said", day(2026, 3, 8)),
        ("- 2026-03-08T10:30Z: said", "said", datetime(2026, 3, 8, 10, 30, tzinfo=UTC)),
        ("2026-03-08: said", "said", day(2026, 3, 8)),
        ("- **2026-03-08 — Title.** said", "**2026-03-08 — Title.** said", day(2026, 3, 8)),
        ("- said (2026-03-08).", "said (2026-03-08).", day(2026, 3, 8)),
        ("- 2026-03-08", "2026-03-08", day(2026, 3, 8)),
        ("- 2026-13-45: said", "2026-13-45: said", UNDATED),
        ("- said", "said", UNDATED),
    ],
)
def test_dates_are_taken_as_people_write_them(bullet: str, content: str, date: datetime) -> None:
    (found,) = read(bullet)
    assert (found.content, found.timestamp) == (content, date)


def test_a_bullet_comes_in_whole() -> None:
    text = (
        "- first\n  second line\nlazy line\n\n  after a blank\n\n  ```\n  - code\n  ```\n- next\n"
    )
    assert contents(text) == [
        "first\nsecond line\nlazy line\n\nafter a blank\n\n```\n- code\n```",
        "next",
    ]


def test_a_bullet_in_a_bullet_is_one_of_its_own_and_keeps_what_it_is_in() -> None:
    found = read("- 2026-03-08: Release\n  - build\n    - sign\n  - 2026-03-09: upload\n- other\n")
    assert [item.content for item in found] == [
        "Release",
        "Release\nbuild",
        "Release › build\nsign",
        "Release\nupload",
        "other",
    ]
    assert found[2].summary == "sign"
    deep = read("".join(f"{'  ' * depth}- {depth}\n" for depth in range(12)))
    assert deep[-1].content == f"{' › '.join(map(str, range(1, 11)))}\n11"
    assert [item.timestamp for item in found[1:4]] == [
        day(2026, 3, 8),
        day(2026, 3, 8),
        day(2026, 3, 9),
    ]


@pytest.mark.parametrize(
    ("heading", "name", "category"),
    [
        ("", "pitfalls.md", "lesson"),
        ("", "conventions.md", "procedure"),
        ("", "decisions/0001-locks.md", "decision"),
        ("", "techContext.md", "key-fact"),
        ("", "misc.md", "key-fact"),
        ("# Build decisions", "pitfalls.md", "decision"),
        ("# Decisions\n## Known bugs", "notes.md", "error"),
        ("# Something", "projectbrief.md", "key-fact"),
        ("# Project Brief", "x.md", "project"),
        ("", "pitfalls", "lesson"),
        ("# The 2026-99-99 of bugs", "x.md", "error"),
    ],
)
def test_the_nearest_title_tells_the_category(heading: str, name: str, category: str) -> None:
    (found,) = read(f"{heading}\n- said\n", name)
    assert found.category == category


def test_headings_give_tags_and_dates() -> None:
    found = read("## 2026-03-08 Power Shell!\n- said\n### Deep\n- 2026-01-01: more\n")
    assert found[0].tags == ("power-shell",)
    assert found[0].timestamp == day(2026, 3, 8)
    assert found[1].tags == ("deep",)
    assert found[1].timestamp == day(2026, 1, 1)


def test_boxes_are_tasks() -> None:
    done, still_open = read("- [x] ship it\n- [ ] 2026-03-08: test it\n")
    assert (done.content, done.category, done.tags) == ("ship it", "task", ("done",))
    assert (still_open.content, still_open.tags) == ("test it", ())
    assert still_open.is_open_task
    assert still_open.timestamp == day(2026, 3, 8)


def test_what_is_no_memory_is_left_out_and_said() -> None:
    text = "---\ntitle: x\n---\n<!-- lint: off -->\n- a\n<private>\n- b\n</private>\n"
    assert contents(text) == ["a"]
    said = problems(text)
    assert "line 1: the front matter (3 lines) was skipped." in said
    assert "line 4: a comment was skipped." in said
    assert "1 private passage was skipped." in said
    assert "1 note has no date; today's is used" in said


def test_a_secret_is_not_cut_in_two() -> None:
    secret = made_up_key()
    found = contents(f"- {'x ' * 935}token {secret} {'y ' * 500}\n")
    assert all(secret[6:12] not in content for content in found)
    assert sum(content.count("[redacted") for content in found) == 1
    assert all(content.count("[redacted") == content.count("]") for content in found)


@given(
    st.lists(st.sampled_from(("- a", "  - b", "1. c", "```", "text", "", "# H", "---", "\t* d")))
)
def test_every_line_of_any_bank_is_kept(lines: list[str]) -> None:
    text = "\n".join(["- 0", *lines])
    found = contents(text)
    for word in ("a", "b", "c", "d"):
        bullets = sum(line.strip().endswith(f" {word}") for line in lines)
        assert sum(content.split().count(word) for content in found) >= bullets
    assert len({item.id for item in read(text)}) == len(found)


@given(st.text(alphabet="-*# \t\n`<>!ab[]()x1.2026-3:\0\u2028", max_size=120))
def test_no_text_is_refused(text: str) -> None:
    for item in read(text):
        assert item.content.strip()
        assert item.id


def test_nothing_that_is_said_ends_its_comment(tmp_path: Path) -> None:
    said = observation(
        "a -- b --> c\x1b --> d",
        id="a-1",
        timestamp=NOW,
        summary="so --> it is",
        tokens=7,
        session_id="s-->1",
    )
    text = to_markdown_bank([said])
    [comment] = [line for line in text.splitlines() if line.startswith("<!--")]
    assert comment.count(">") == 1
    (tmp_path / "bank.md").write_text(text)
    [found] = read_source(tmp_path / "bank.md").incoming
    assert found.observation == said
