"""JSON lines: our own, the issues of beads, and the knowledge graph of the MCP memory server.

In ours each line is a record, with the keys that it has in an issue file. Of other tools, what
links one record to another (a dependency, a relation) becomes a tag, so that it can be searched.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from store.errors import InvalidObservation
from store.exchange.values import Reader, Reading, plain_json
from store.model import UNDATED, Category, Observation, check_issue
from store.notice import notice
from store.platform.bounds import load_json
from store.platform.json_fields import items, string, strings
from store.records import InvalidRecord, first_line, format_time, from_record, parse_time, to_record

Record = Mapping[str, Any]
_BEADS, _GRAPH = "beads", "knowledge-graph"
_NOT_TAG = re.compile(r"[^\w:.-]+")
_LONGEST_TAG = 40
_DONE = frozenset({"closed", "done", "tombstone"})
_SECTIONS = ("description", "design", "acceptance_criteria", "notes", "close_reason")


def to_json_lines(observations: Iterable[Observation]) -> str:
    return "".join(f"{plain_json(to_record(observation))}\n" for observation in observations)


def read_json_lines(
    text: str,
    name: str,
    *,
    agent: str | None = None,
    issue: int | None = None,
    category: str | None = None,
) -> Reading:
    """Return the observations of JSON lines; a line that holds none becomes a problem.

    What is given holds for every line, whatever is in it. Only `agent`, `category` and
    `content` are needed: a record without `issueNumber` belongs to the project (0), one without
    `timestamp` is dated when it is stored, and one without `id` gets an id that follows from
    `name`, its date and its content. The lines of other tools are known by their first record.
    """
    reader = Reader(name)
    if (read := _other_tool(text)) is not None:
        read(text, reader)
        return reader.reading()
    keys = {"agent": agent, "issueNumber": issue, "category": category}
    given = {key: value for key, value in keys.items() if value is not None}
    for line, record in _records(text, reader):
        whole = {"timestamp": format_time(UNDATED), "id": "-", "issueNumber": 0, **record, **given}
        try:
            observation = from_record(whole, check_issue(whole["issueNumber"]))
        except (InvalidRecord, InvalidObservation) as error:
            reason = f"{error}." if isinstance(error, InvalidRecord) else str(error)
            reader.problem(notice("skipped", text=reason), reader.place(line))
            continue
        if "id" not in record:
            observation = observation._replace(id=reader.make_id(observation))
        reader.add(observation, reader.place(line))
    return reader.reading()


def _other_tool(text: str) -> Callable[[str, Reader], None] | None:
    """Find the reader of another tool's JSON lines by their beginning; None for ours."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    try:
        record = load_json(first)
    except ValueError:
        return None
    if not isinstance(record, dict) or "content" in record:
        return None
    if record.get("type") in {"entity", "relation"}:
        return _read_graph
    if isinstance(record.get("title"), str) and {"status", "issue_type"} & record.keys():
        return _read_beads
    return None


def _read_beads(text: str, reader: Reader) -> None:
    """An issue is a task, tagged by its status, kind, labels and what it depends on."""
    for line, record in _records(text, reader):
        title = _text(record.get("title"))
        if not title:
            reader.problem(notice("no-title"), reader.place(line))
            continue
        status = _text(record.get("status")) or "open"
        tags = ["done"] if status in _DONE else []
        tags += [status, _text(record.get("issue_type")), *strings(record.get("labels"))]
        if isinstance(record.get("priority"), int):
            tags.append(f"p{record['priority']}")
        for link in items(record.get("dependencies")):
            if isinstance(link, dict) and (other := _text(link.get("depends_on_id"))):
                tags.append(f"{_text(link.get('type')) or 'depends'}:{other}")
        known = _text(record.get("id"))
        head = f"{title} ({known})" if known else title
        sections = [f"{key.replace('_', ' ').capitalize()}: {value}" for key in _SECTIONS
                    if (value := _text(record.get(key)))]  # fmt: skip
        observation = Observation(
            agent=_agent(record.get("assignee")) or _BEADS,
            issue_number=0,
            category=Category.TASK,
            content="\n".join((head, *sections)),
            summary=first_line(head),
            timestamp=_moment(record.get("updated_at"), record.get("created_at")),
            tags=_tags(tags),
            sources=(f"{_BEADS}:{known or line}",),
        )
        reader.add_split(observation, line, head)


def _read_graph(text: str, reader: Reader) -> None:
    """An entity with what was observed of it is a fact, tagged by its relations."""
    entities: dict[str, tuple[str, list[str], int]] = {}
    relations: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line, record in _records(text, reader):
        if record.get("type") == "relation":
            source, target = _text(record.get("from")), _text(record.get("to"))
            if source and target:
                relation = _text(record.get("relationType")) or "relates to"
                relations[source].append((relation, target))
                entities.setdefault(source, ("", [], line))
            continue
        entity = _text(record.get("name"))
        if not entity:
            reader.problem(notice("no-name"), reader.place(line))
            continue
        kind, facts, first = entities.get(entity, ("", [], line))
        facts += filter(None, map(_text, items(record.get("observations"))))
        entities[entity] = (_text(record.get("entityType")) or kind, facts, first)
    for entity, (kind, facts, line) in entities.items():
        facts += (f"{entity} {relation} {target}." for relation, target in relations[entity])
        if not facts:
            reader.problem(notice("nothing-said", about=entity), reader.place(line))
            continue
        head = f"{entity} ({kind})" if kind else entity
        observation = Observation(
            agent=_GRAPH,
            issue_number=0,
            category=Category.KEY_FACT,
            content="\n".join((f"{head}:", *(f"- {fact}" for fact in facts))),
            summary=first_line(f"{head}: {facts[0]}"),
            timestamp=UNDATED,
            tags=_tags([kind, *map(":".join, relations[entity])]),
            sources=(f"{_GRAPH}:{entity}",),
        )
        reader.add_split(observation, line, head)


def _records(text: str, reader: Reader) -> Iterator[tuple[int, Record]]:
    """Yield the objects of the lines; a line that holds none becomes a problem."""
    # Not splitlines(): a string in JSON may hold the other line ends that Unicode has.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = load_json(line)
        except ValueError as error:
            reason = str(error)
            if isinstance(error, json.JSONDecodeError):
                reason = f"not valid JSON: {error.msg} at column {error.colno}"
            reader.problem(notice("skipped", text=f"{reason}."), reader.place(number))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            reader.problem(notice("no-object"), reader.place(number))


def _text(value: object) -> str:
    return string(value).strip()


def _agent(value: object) -> str:
    return re.sub(r"[^\w.-]+", "-", _text(value)).strip("-")[:40]


def _tags(words: Iterable[str]) -> tuple[str, ...]:
    slugs = (_NOT_TAG.sub("-", word.casefold()).strip("-")[:_LONGEST_TAG] for word in words)
    return tuple(dict.fromkeys(slug for slug in slugs if slug))


def _moment(*values: object) -> datetime:
    """Return the first of the values that is a date and time."""
    for value in values:
        try:
            return parse_time(_text(value))
        except ValueError:
            continue
    return UNDATED
