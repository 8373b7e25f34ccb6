"""JSON lines of other tools: the issues of beads, and the knowledge graph of the MCP memory server.

What links one record to another (a dependency, a relation) becomes a tag, so that it can be
searched; ids are derived, so that importing again brings only what is new.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from store.exchange.long_text import pieces
from store.exchange.values import DerivedIds, Incoming, Problems, Reading
from store.model import UNDATED, Category, Observation
from store.notice import Notice, notice
from store.platform.bounds import load_json
from store.records import first_line, parse_time
from store.redaction.sanitizer import sanitize

Record = Mapping[str, Any]
_BEADS, _GRAPH = "beads", "knowledge-graph"
_NOT_TAG = re.compile(r"[^\w:.-]+")
_LONGEST_TAG = 40
_DONE = frozenset({"closed", "done", "tombstone"})
_SECTIONS = ("description", "design", "acceptance_criteria", "notes", "close_reason")


def reader_of(text: str) -> Callable[[str, str], Reading] | None:
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


def _read_beads(text: str, name: str) -> Reading:
    """An issue is a task, tagged by its status, kind, labels and what it depends on."""
    incoming: list[Incoming] = []
    problems = Problems()
    ids = DerivedIds(name)
    for number, record in _records(text, name, problems):
        place = f"{name}, line {number}"
        title = record.get("title")
        if not isinstance(title, str) or not title.strip():
            problems.append(notice("no-title").at(place))
            continue
        status = _text(record.get("status")) or "open"
        tags = ["done"] if status in _DONE else []
        tags += [status, _text(record.get("issue_type")), *_texts(record.get("labels"))]
        if isinstance(record.get("priority"), int):
            tags.append(f"p{record['priority']}")
        for link in _mappings(record.get("dependencies")):
            kind, other = _text(link.get("type")) or "depends", _text(link.get("depends_on_id"))
            tags.append(f"{kind}:{other}" if other else "")
        told = [f"{key.replace('_', ' ').capitalize()}: {value}" for key in _SECTIONS
                if (value := _text(record.get(key)))]  # fmt: skip
        known = _text(record.get("id"))
        head = f"{title.strip()} ({known})" if known else title.strip()
        observation = Observation(
            agent=_agent(record.get("assignee")) or _BEADS,
            issue_number=0,
            category=Category.TASK,
            content="\n".join((head, *told)),
            timestamp=_moment(record.get("updated_at"), record.get("created_at")),
            tags=_tags(tags),
            sources=(f"{_BEADS}:{known or number}",),
        )
        incoming += _cut(observation, head, place, ids)
    return Reading(tuple(incoming), problems.told())


def _read_graph(text: str, name: str) -> Reading:
    """An entity with what was observed of it is a fact, tagged by its relations."""
    entities: dict[str, tuple[str, list[str], int]] = {}
    relations: dict[str, list[tuple[str, str]]] = defaultdict(list)
    problems = Problems()
    for number, record in _records(text, name, problems):
        if record.get("type") == "relation":
            source, target = _text(record.get("from")), _text(record.get("to"))
            if source and target:
                relations[source].append(
                    (_text(record.get("relationType")) or "relates to", target)
                )
                entities.setdefault(source, ("", [], number))
            continue
        entity = _text(record.get("name"))
        if not entity:
            problems.append(notice("no-name").at(f"{name}, line {number}"))
            continue
        kind, told, line = entities.get(entity, ("", [], number))
        told += _texts(record.get("observations"))
        entities[entity] = (_text(record.get("entityType")) or kind, told, line)
    ids = DerivedIds(name)
    incoming: list[Incoming] = []
    for entity, (kind, told, line) in entities.items():
        links = [f"{entity} {relation} {target}." for relation, target in relations[entity]]
        if not told and not links:
            problems.append(notice("nothing-said", about=entity).at(f"{name}, line {line}"))
            continue
        head = f"{entity} ({kind})" if kind else entity
        observation = Observation(
            agent=_GRAPH,
            issue_number=0,
            category=Category.KEY_FACT,
            content="\n".join((f"{head}:", *(f"- {link}" for link in (*told, *links)))),
            timestamp=UNDATED,
            tags=_tags([kind, *(f"{rel}:{target}" for rel, target in relations[entity])]),
            sources=(f"{_GRAPH}:{entity}",),
        )
        incoming += _cut(observation, head, f"{name}, line {line}", ids)
    return Reading(tuple(incoming), problems.told())


def _records(text: str, name: str, problems: list[Notice]) -> Iterator[tuple[int, Record]]:
    """The objects of the lines; a line that holds none becomes a problem."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = load_json(line)
        except ValueError as error:
            said = notice("skipped", text=f"not valid JSON: {error}.")
            problems.append(said.at(f"{name}, line {number}"))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            problems.append(notice("no-object").at(f"{name}, line {number}"))


def _cut(observation: Observation, head: str, place: str, ids: DerivedIds) -> Iterator[Incoming]:
    """The observation, in parts where its text is too long for one."""
    parts = pieces(observation.content, lambda long: sanitize(long).text)
    known = ids.make(observation.timestamp, observation.content)
    for number, part in enumerate(parts, 1):
        several = len(parts) > 1
        yield Incoming(
            observation._replace(
                id=f"{known}-{number}" if several else known,
                content=part,
                summary=f"({number} of {len(parts)}) {head}" if several else _summary(part),
            ),
            place,
        )


def _summary(text: str) -> str:
    """The first line; with the one after it, where it only introduces that."""
    first, _, rest = text.partition("\n")
    return f"{first} {first_line(rest.removeprefix('- '))}" if first.endswith(":") else first


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [text for each in value if (text := _text(each))] if isinstance(value, list) else []


def _mappings(value: object) -> list[Record]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _agent(value: object) -> str:
    return re.sub(r"[^\w.-]+", "-", _text(value)).strip("-")[:40]


def _tags(words: Iterable[str]) -> tuple[str, ...]:
    slugs = (_NOT_TAG.sub("-", word.casefold()).strip("-")[:_LONGEST_TAG] for word in words)
    return tuple(dict.fromkeys(slug for slug in slugs if slug))


def _moment(*values: object) -> datetime:
    """The first of the values that is a date and time."""
    for value in values:
        try:
            return parse_time(_text(value))
        except ValueError:
            continue
    return UNDATED
