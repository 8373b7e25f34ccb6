"""What other tools wrote, imported: memory banks, topics, issues, long texts."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.words.notices import sentence
from store.errors import InvalidObservation
from store.exchange.json_lines import read_json_lines
from store.exchange.long_text import pieces
from store.exchange.memory_bank import read_markdown_bank, to_markdown_bank
from store.exchange.sources import read_source
from store.exchange.topics import has_group_of
from store.model import MAX_CONTENT, UNDATED, Category, Observation
from store.notice import notice
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


# other_tools


def lines(*records: object) -> str:
    return "\n".join(json.dumps(each) for each in records)


def test_issues_of_beads_are_tasks_with_status_and_links_as_tags() -> None:
    link = {"issue_id": "bd-1", "depends_on_id": "bd-2", "type": "blocks"}
    first = {
        "id": "bd-1",
        "title": "The cart loses a row",
        "description": "After a reload.",
        "status": "open",
        "priority": 1,
        "issue_type": "bug",
        "labels": ["cart", "Web UI"],
        "dependencies": [link, "odd"],
        "assignee": "Ana Lima",
        "updated_at": "2026-01-03T10:00:00Z",
    }
    second = {"id": "bd-2", "title": "Keep rows", "status": "closed", "issue_type": "task"}
    reading = read_json_lines(lines(first, second, {"status": "open"}, 7), "issues.jsonl")
    open_, closed = (each.observation for each in reading.incoming)
    assert open_.content == "The cart loses a row (bd-1)\nDescription: After a reload."
    assert open_.tags == ("open", "bug", "cart", "web-ui", "p1", "blocks:bd-2")
    assert (open_.category, open_.agent, open_.sources) == (
        Category.TASK,
        "Ana-Lima",
        ("beads:bd-1",),
    )
    assert open_.is_open_task
    assert not closed.is_open_task
    assert [problem.place for problem in reading.problems] == [
        "issues.jsonl, line 3",
        "issues.jsonl, line 4",
    ]


def test_a_knowledge_graph_is_facts_with_relations_as_tags() -> None:
    shop = {"type": "entity", "name": "shop", "entityType": "service", "observations": ["in Go"]}
    uses = {"type": "relation", "from": "shop", "to": "tax", "relationType": "uses"}
    empty = {"type": "entity", "name": "tax", "entityType": "service", "observations": []}
    reading = read_json_lines(lines(shop, uses, empty), "memory.jsonl")
    (fact,) = (each.observation for each in reading.incoming)
    assert fact.content == "shop (service):\n- in Go\n- shop uses tax."
    assert fact.summary == "shop (service): in Go"
    assert fact.tags == ("service", "uses:tax")
    assert fact.category == Category.KEY_FACT
    assert reading.problems == (notice("nothing-said", about="tax").at("memory.jsonl, line 3"),)


def test_lines_that_are_no_records_are_named_and_passed_over() -> None:
    text = lines({"id": "a", "title": " One ", "status": "open"}, {"title": "", "status": "open"})
    reading = read_json_lines(f"\n{text}\n{{no json\n[1]\n", "x.jsonl")
    (one,) = (each.observation for each in reading.incoming)
    assert (one.content, one.tags, one.agent) == ("One (a)", ("open",), "beads")
    assert [it.place for it in reading.problems] == [f"x.jsonl, line {it}" for it in (3, 4, 5)]
    assert [it.kind for it in reading.problems] == ["no-title", "skipped", "no-object"]


# Notes that clients keep by themselves: Claude Code's, a memory a file; Codex's, all in one.


SHOP = Path("/srv/shop")
TOPIC = """---
name: retry-budget
description: Never more than three attempts to the bank's API
metadata:
  type: feedback
---

The bank counts each attempt. See [[user-pnpm]].
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    topic = tmp_path / "retry-budget.md"
    topic.write_text(TOPIC)
    os.utime(topic, (86_400, 86_400))
    (tmp_path / "MEMORY.md").write_text("# Memory\n- [Retry](retry-budget.md) — three attempts\n")
    return tmp_path


def test_a_session_is_no_notes(folder: Path) -> None:
    history = folder / "2026.md"
    history.write_text("<!-- Generated by SpecStory, Markdown v2.1.0 -->\n")
    with pytest.raises(InvalidObservation, match="is an agent session") as raised:
        read_source(history)
    assert raised.value.hint == f"Capture it: `memtui capture {history}`."
    assert "Capture it" in str(read_source(folder).problems[0].values["text"])


CODEX = """# Task Group: shop upload retries
scope: the upload and its tests
applies_to: cwd=/srv/shop; reuse_rule=safe in this checkout

## Task 1: Retry the upload, success

### rollout_summary_files

- rollout_summaries/2026-11-01-retry.md (cwd=/srv/shop, thread_id=1)

### keywords

- retry, upload

## User preferences

- when the upload fails, never retry more than three times [Task 1]

# Task Group: the bakery's ovens
applies_to: cwd=/srv/shop-two; reuse_rule=there only

## Reusable knowledge

- The oven is preheated at six [Task 1]
"""


def test_of_codexs_notes_those_of_the_project_are_memories(tmp_path: Path) -> None:
    notes = tmp_path / "MEMORY.md"
    notes.write_text(CODEX)

    def read(project: str) -> list[tuple[str, str]]:
        reading = read_source(notes, project=Path(project))
        found = [incoming.observation for incoming in reading.incoming]
        return [(memory.agent, memory.content) for memory in found]

    (learned,) = read("/srv/shop")
    assert learned == (
        "codex",
        "User preferences: when the upload fails, never retry more than three times [Task 1]",
    )
    assert [agent for agent, _ in read("/srv/shop-two")] == ["codex"]
    assert read("/srv/other") == []
    assert has_group_of(CODEX.replace("cwd=/srv/shop;", "cwd=/a and /srv/shop/web;"), SHOP)
    assert not has_group_of(CODEX.replace("cwd=/srv/shop;", "cwd=unknown;"), SHOP)


# Cutting what is too long for one observation.


def test_a_mark_is_never_cut() -> None:
    mark = "[redacted some-rule 1a2b]"
    found = pieces("x" * 1_890 + mark + "y" * 500)
    assert found == ["x" * 1_890, mark + "y" * 500]
    found = pieces(f"{'x' * 1_000} {'x' * 400}{mark}{'y' * 900}")
    assert found == ["x" * 1_000 + " ", "x" * 400 + mark + "y" * 900]


@given(st.lists(st.sampled_from(("word", " ", ". ", "\n", "\n\n", "x" * 700)), max_size=60))
def test_nothing_but_white_space_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    found = pieces(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(piece) <= MAX_CONTENT for piece in found)
