from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import InvalidObservation
from store.exchange.json_lines import read_json_lines
from store.exchange.sources import read_source
from store.model import Category
from store.notice import notice


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


def test_reading_again_gives_the_same_ids_and_long_texts_are_cut() -> None:
    long = {"type": "entity", "name": "shop", "observations": ["It sells. " * 300]}
    one, other = (read_json_lines(lines(long), "memory.jsonl").incoming for _ in range(2))
    assert [each.observation.id for each in one] == [each.observation.id for each in other]
    assert len(one) > 1
    assert all(len(each.observation.content) <= 2_000 for each in one)


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '[{"a": 1}]'), ("b.txt", "[1]"), ("c.json", "7")]
)
def test_json_of_nobody_is_refused_not_stored_whole(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InvalidObservation, match="JSON of an unknown format"):
        read_source(path)


def test_a_short_bullet_keeps_the_words_of_its_heading(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    long = (
        "Releases are started by hand from the page of the release, never by pushing a tag alone."
    )
    path.write_text(f"# Notes\n\n## Deploy (2026-01-05)\n\n- only on Fridays\n- {long}\n")
    short, whole = (each.observation for each in read_source(path).incoming)
    assert short.content == "Deploy: only on Fridays"
    assert short.summary == "only on Fridays"
    assert whole.content == long


def test_lines_that_are_no_records_are_named_and_passed_over() -> None:
    text = lines({"id": "a", "title": " One ", "status": "open"}, {"title": "", "status": "open"})
    reading = read_json_lines(f"\n{text}\n{{no json\n[1]\n", "x.jsonl")
    (one,) = (each.observation for each in reading.incoming)
    assert (one.content, one.tags, one.agent) == ("One (a)", ("open",), "beads")
    assert [it.place for it in reading.problems] == [f"x.jsonl, line {it}" for it in (3, 4, 5)]
    assert [it.kind for it in reading.problems] == ["no-title", "skipped", "no-object"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"agent": "a", x}', "not valid JSON: Expecting property name enclosed in double quotes"
         " at column 16."),
        ('{"id": ' + "9" * 5_000 + "}", "a number has too many digits."),
        ('{"a":' * 70 + "1" + "}" * 70, "it nests more than 64 levels deep."),
        ("[1]", "not a JSON object."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_line_is_said_in_words(line: str, said: str) -> None:
    record = {"agent": "a", "issueNumber": 3, "category": "lesson", "content": "One."}
    reading = read_json_lines(f"{lines(record)}\n{line}", "x.jsonl")
    assert len(reading.incoming) == 1
    assert [(it.values["text"], it.place) for it in reading.problems] == [(said, "x.jsonl, line 2")]


def test_the_first_line_tells_whose_lines_they_are() -> None:
    beads = {"title": "One", "issue_type": "bug"}
    for other in ({"title": "One"}, {**beads, "content": "x"}, {"type": "thing"}, {"title": 1}):
        assert not read_json_lines(lines(other), "x.jsonl").incoming
    assert read_json_lines(lines(beads), "x.jsonl").incoming
    assert read_json_lines(f"\n \n{lines(beads)}", "x.jsonl").incoming


def test_an_issue_without_an_id_is_dated_and_named_by_its_line() -> None:
    issue = {"title": "One", "status": "done", "created_at": "2026-01-02T00:00:00Z"}
    updated = {**issue, "updated_at": "2026-01-03T00:00:00Z", "status": ""}
    link = {"dependencies": [{"depends_on_id": "b"}, {"type": "blocks"}], "priority": "high"}
    reading = read_json_lines(lines(issue, updated, {**updated, **link}), "x.jsonl")
    first, second, third = (each.observation for each in reading.incoming)
    assert [it.timestamp.day for it in (first, second)] == [2, 3]
    assert (first.sources, first.tags) == (("beads:1",), ("done",))
    assert second.tags == ("open",)
    assert third.tags == ("open", "depends:b")


def test_relations_alone_are_facts_and_what_says_nothing_is_named() -> None:
    told = [
        {"type": "relation", "from": "a", "to": "b"},
        {"type": "relation", "from": "", "to": "b"},
        {"type": "entity", "name": "a", "entityType": "service", "observations": ["one", 5, " "]},
        {"type": "entity", "name": "a", "observations": ["two"]},
        {"type": "entity", "name": " "},
        {"type": "entity", "name": "c"},
        {"type": "entity", "name": "d", "observations": ["three"]},
    ]
    reading = read_json_lines(lines(*told), "x.jsonl")
    fact, last = (each.observation for each in reading.incoming)
    assert last.content == "d:\n- three"
    assert fact.content == "a (service):\n- one\n- two\n- a relates to b."
    assert fact.tags == ("service", "relates-to:b")
    assert {(it.kind, it.place) for it in reading.problems} == {
        ("no-name", "x.jsonl, line 5"),
        ("nothing-said", "x.jsonl, line 6"),
    }


def test_a_long_issue_is_parts_of_one_id_that_say_which_they_are() -> None:
    long = {"id": "a", "title": "One", "status": "open", "notes": "Some words of it. " * 300}
    reading = read_json_lines(lines(long), "x.jsonl")
    parts = [each.observation for each in reading.incoming]
    assert len(parts) > 2
    stem = parts[0].id.removesuffix("-1")
    assert [it.id for it in parts] == [f"{stem}-{number + 1}" for number in range(len(parts))]
    assert parts[1].summary == f"(2 of {len(parts)}) One (a)"
    assert read_json_lines(lines(long), "x.jsonl").incoming == reading.incoming


def test_tags_and_agents_are_plain_and_short() -> None:
    issue = {
        "title": "One",
        "status": "A b/C",
        "labels": ["x" * 50, "--", "a b/c"],
        "assignee": "é!",
    }
    (one,) = (each.observation for each in read_json_lines(lines(issue), "x.jsonl").incoming)
    assert one.tags == ("a-b-c", "x" * 40)
    assert one.agent == "é"
    named = {"title": "One", "status": "open", "assignee": "b" * 50}
    (one,) = (each.observation for each in read_json_lines(lines(named), "x.jsonl").incoming)
    assert one.agent == "b" * 40
