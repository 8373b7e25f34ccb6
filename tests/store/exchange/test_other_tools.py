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


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '[{"a": 1}]'), ("b.txt", "[1]"), ("c.json", "7")]
)
def test_json_of_nobody_is_refused_not_stored_whole(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InvalidObservation, match="JSON of an unknown format"):
        read_source(path)


def test_lines_that_are_no_records_are_named_and_passed_over() -> None:
    text = lines({"id": "a", "title": " One ", "status": "open"}, {"title": "", "status": "open"})
    reading = read_json_lines(f"\n{text}\n{{no json\n[1]\n", "x.jsonl")
    (one,) = (each.observation for each in reading.incoming)
    assert (one.content, one.tags, one.agent) == ("One (a)", ("open",), "beads")
    assert [it.place for it in reading.problems] == [f"x.jsonl, line {it}" for it in (3, 4, 5)]
    assert [it.kind for it in reading.problems] == ["no-title", "skipped", "no-object"]
