"""Tools on one memory: arguments in, structured answer out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memtui.serve.mcp.tool_answers import ANSWER_BYTES
from memtui.serve.mcp.tool_arguments import (
    Add,
    Context,
    ForFiles,
    Get,
    NewMemory,
    Outcome,
    Remove,
    Search,
    Update,
)
from memtui.words.notices import sentence
from store.backends.tombstones import digest_of
from store.errors import AmbiguousId, Conflict, NotFound
from store.memory import Memory
from store.merge.versions import CONFLICT, REMOVED, proposed, version_of
from store.model import EntrySource, Hit, Observation, SearchResult
from store.operations.batch import StoreReport
from store.redaction.sanitizer import cleaned_text
from store.search.query import Query
from store.text.display import visible
from store.text.turns import defused

Answer = dict[str, Any]
Call = Callable[["Memory", Any, str], Answer]
"""A tool: the memory, its arguments, and who asks."""

_WHY, _LINE = 160, 160
"""Characters of a hit's passage and line; eight hits of them stay inside 4 KB."""
_ADDED = "addedBy"
"""The record's key for the client that added it by a tool."""
_OUTCOMES = "outcomes"
"""The record's key for whether a memory helped."""
_NOTES = 5
"""How many notes on its outcomes a memory keeps, the newest last."""
_PER_FILE = 5
_ASK = "Ask the user, who can add it."
_IDS = "Use an id from memory_search, or the end of one."


class ToolError(Exception):
    """A failed call; its message is for the model, with what to do instead."""


def search(memory: Memory, arguments: Search, client: str) -> Answer:
    offset = _page(arguments.cursor)
    query = memory.parse_query(arguments.query)
    if query.place != "memories" and _is_reviewed(memory):
        raise ToolError("Sessions are not searched: the user approves what you are given.")
    found = memory.search(arguments.query, arguments.limit, offset, facets=())
    hits = [_line_of(hit) for hit in found.hits]
    if "limit" not in arguments.model_fields_set:
        hits = list(_fitting(hits, ANSWER_BYTES // 2))
    answer: Answer = {"total": found.total, "hits": hits}
    if offset + len(hits) < found.total:
        answer["nextCursor"] = str(offset + len(hits))
    if note := " ".join(_notes_on(found, query)):
        answer["note"] = note
    return answer


def _is_reviewed(memory: Memory) -> bool:
    """Return whether agents are given only what somebody approved: no messages of sessions."""
    return memory.settings.review == "before"


def _notes_on(found: SearchResult, asked: Query) -> Iterator[str]:
    """Remarks on an answer, also on parts of its query that are not understood."""
    if missed := (*found.notes, *asked.unfinished):
        yield f"In the query, {'; '.join(map(sentence, missed))}."
    if not found.total:
        yield "No matches. Try fewer or other words, or drop filters."
    elif found.relaxed:
        yield "No memory has all the words; these have at least half."


def get(memory: Memory, arguments: Get, client: str) -> Answer:
    """Return the memories in full; what does not fit is named."""
    memories: list[Answer] = []
    missing: list[str] = []
    rest: list[str] = []
    room, messages = ANSWER_BYTES // 2, not _is_reviewed(memory)
    for identifier in dict.fromkeys(arguments.ids):
        try:
            found = _memory_of(
                memory.get_redacted(identifier, fresh=not memories, messages=messages)
            )
        except (NotFound, AmbiguousId):
            missing.append(identifier)
            continue
        room -= _size(found)
        if memories and room < 0 and not arguments.all:
            rest.append(identifier)
        else:
            memories.append(found if arguments.all else _cut(found))
    if not memories:
        raise ToolError(f"No memory has the id {missing[0]!r}. {_IDS}")
    answer: Answer = {"memories": memories}
    return answer | ({"missing": missing} if missing else {}) | ({"rest": rest} if rest else {})


def context(memory: Memory, arguments: Context, client: str) -> Answer:
    is_given = arguments.model_fields_set
    agent = arguments.agent if "agent" in is_given else None
    issue = arguments.issue if "issue" in is_given else None
    budget = arguments.budget
    while True:
        recall = memory.recall.plan(agent, issue, arguments.task, budget=budget, client=client)
        ids = [_safe(item.observation.id) for item in recall.included]
        answer: Answer = {"text": recall.text, "tokens": recall.tokens, "ids": ids}
        size = _size(answer)
        if "budget" in is_given or size <= ANSWER_BYTES:
            memory.recall.inject(recall, agent, issue)
            return answer
        budget = budget * ANSWER_BYTES // (size + ANSWER_BYTES // 10)


def for_files(memory: Memory, arguments: ForFiles, client: str) -> Answer:
    files: list[Answer] = []
    is_fresh = False
    for path in dict.fromkeys(arguments.paths):
        name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
        hits: Sequence[Hit] = ()
        if any(map(str.isalnum, name)):  # a query without a word finds everything
            query = '"{}"'.format(name.replace('"', " "))
            hits = memory.search(query, _PER_FILE * 4, facets=(), fresh=not is_fresh).hits
            is_fresh = True
        best = sorted(hits, key=lambda hit: path not in f"{hit.entry.summary} {hit.snippet}")
        files.append({"path": path, "hits": [_line_of(hit) for hit in best[:_PER_FILE]]})
    while _size(files) > ANSWER_BYTES // 2 and (longest := max(files, key=_size))["hits"]:
        longest["hits"].pop()
    return {"files": files}


def add(memory: Memory, arguments: Add, client: str) -> Answer:
    """Remember one thing, or several: cleaned, once, and to be undone together."""
    several = arguments.memories
    if bool(several) == bool(arguments.content):
        raise ToolError("Give either `content` with its `category`, or `memories`.")
    if not several and arguments.category is None:
        raise ToolError("`category` is missing.")
    wanted = [
        memory.drift.anchored(_observation(given, client))._replace(level=arguments.level)
        for given in several or (arguments,)
    ]
    report = memory.add(wanted, agent=client, source=EntrySource.MCP)
    if len(report.refused) == len(wanted):
        raise Conflict("This was removed or reworded here, so it is not added again.", _ASK)
    added: list[Answer] = [
        {"refused": True} if at in report.refused else _added_as(identifier, report)
        for at, identifier in enumerate(report.ids)
    ]
    answer: Answer = {"memories": added} if several else added[0]
    if report.notices:
        answer["notices"] = list(map(sentence, report.notices))
    return answer


def _added_as(identifier: str, report: StoreReport) -> Answer:
    if identifier in report.waiting:
        return {"waiting": identifier}
    return {"id": identifier, "new": identifier not in report.twins}


def _observation(given: Add | NewMemory, client: str) -> Observation:
    return Observation(
        agent=client,
        issue_number=given.issue,
        category=given.category or "",
        content=given.content,
        tags=tuple(given.tags),
        extra={_ADDED: _added(client, given.content)},
    )


def update(memory: Memory, arguments: Update, client: str) -> Answer:
    """Correct a memory that the client added; of another it is a proposal."""
    return _change(memory, arguments.id, client, arguments.content)


def remove(memory: Memory, arguments: Remove, client: str) -> Answer:
    return _change(memory, arguments.id, client, None)


def _change(memory: Memory, identifier: str, client: str, content: str | None) -> Answer:
    """Give a memory another content, or remove it where that is None, if it is the client's own, or
    the user approves it first.
    """
    found = _named(memory, identifier)
    is_reviewed = _is_reviewed(memory)
    is_own = is_reviewed or _is_own(found, client)
    if is_own and content is None:
        plan = memory.plan.remove(found.id)
        applied = memory.apply(plan, agent=client, source=EntrySource.MCP)
    else:
        applied = memory.edit(
            found.id,
            lambda now: _changed(now, client, content, is_reviewed=is_reviewed),
            agent=client,
            source=EntrySource.MCP,
        )
        is_own = is_own and _is_own(memory.get(found.id), client)
    if is_reviewed:
        waiting = {"waiting": applied.waiting[0]} if applied.waiting else {}
        return {"id": found.id, "done": False, "proposed": True, **waiting}
    return {"id": found.id, "done": is_own, "proposed": not is_own}


def _named(memory: Memory, identifier: str) -> Observation:
    try:
        return memory.get(identifier)
    except NotFound as error:
        raise NotFound(error.message, _IDS) from error


def _changed(
    now: Observation, client: str, content: str | None, *, is_reviewed: bool
) -> dict[str, Any]:
    if content is not None and is_reviewed and not _is_own(now, client):
        return {"content": content}
    if content is not None and _is_own(now, client):
        return {"content": content, "extra": {**now.extra, _ADDED: _added(client, content)}}
    version = {REMOVED: True} if content is None else version_of(content)
    return {"extra": {**now.extra, CONFLICT: proposed(now.extra, version, client)}}


def _added(client: str, content: str) -> Answer:
    """Return the agent that added a memory, and its text then: a person who edits it owns it."""
    return {"by": client, "text": digest_of(cleaned_text(content))}


def _is_own(found: Observation, client: str) -> bool:
    added = found.extra.get(_ADDED)
    if not isinstance(added, Mapping) or found.pinned or found.agent != client:
        return False
    return (added.get("by"), added.get("text")) == (client, digest_of(found.content))


def outcome(memory: Memory, arguments: Outcome, client: str) -> Answer:
    found = _named(memory, arguments.id)
    outcomes: Answer = {}

    def with_outcome(now: Observation) -> Mapping[str, Any]:
        outcomes.update(_outcomes(now, arguments, client))
        return {"extra": {**now.extra, _OUTCOMES: outcomes}}

    memory.edit(found.id, with_outcome)  # waits for nobody: no agent is given it
    return {
        "id": found.id,
        "helped": _count(outcomes, "helped"),
        "failed": _count(outcomes, "failed"),
    }


def _outcomes(found: Observation, arguments: Outcome, client: str) -> Answer:
    kept = found.extra.get(_OUTCOMES)
    outcomes: Answer = dict(kept) if isinstance(kept, Mapping) else {}
    key = "helped" if arguments.helped else "failed"
    outcomes[key] = _count(outcomes, key) + 1
    if note := arguments.note.strip():
        notes = outcomes.get("notes")
        earlier = notes if isinstance(notes, list) else []
        outcomes["notes"] = [*earlier, f"{client}: {note}"][-_NOTES:]
    return outcomes


CALLS: Mapping[str, Call] = {
    "memory_search": search,
    "memory_get": get,
    "memory_context": context,
    "memory_for_files": for_files,
    "memory_add": add,
    "memory_update": update,
    "memory_remove": remove,
    "memory_outcome": outcome,
}
"""The call of each tool, by the tool's name."""


def in_words(answer: Answer) -> str:
    """Return a structured answer as text, for clients that show the model nothing else."""
    if "text" in answer:
        return str(answer["text"]) or "No memories for this."
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _page(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit()):
        raise ToolError("Invalid cursor. Omit it for the first page.")
    return int(cursor[:9])


def _line_of(hit: Hit) -> Answer:
    entry = hit.entry
    summary = _short(entry.summary, _LINE)
    line: Answer = {
        "id": _safe(entry.id),
        "line": summary,
        "category": _safe(entry.category),
        "issue": entry.issue_number,
        "agent": _safe(entry.agent),
        "date": entry.timestamp.date().isoformat(),
    }
    if entry.level:
        line["level"] = entry.level
    why = _short(hit.snippet, _WHY)
    return line | ({"why": why} if why and why not in summary else {})


def _memory_of(found: Observation) -> Answer:
    memory: Answer = {
        "id": _safe(found.id),
        "content": _safe(found.content),
        "category": _safe(found.category),
        "issue": found.issue_number,
        "agent": _safe(found.agent),
        "date": found.timestamp.date().isoformat(),
    }
    if found.session_id:
        memory["session"] = _safe(found.session_id)
    for name in ("tags", "sources"):
        if values := getattr(found, name):
            memory[name] = [_safe(value) for value in values]
    if found.level:
        memory["level"] = found.level
    return memory | ({"archived": True} if found.archived else {})


def _cut(memory: Answer) -> Answer:
    over = _size(memory) + len('"cut":true,') - ANSWER_BYTES
    if over <= 0:
        return memory
    content = memory["content"]
    share = max(0, 1 - over / _size(content))
    return {**memory, "content": content[: int(len(content) * share * 0.95)] + "…", "cut": True}


def _safe(text: str, *, newlines: bool = True) -> str:
    """A text of memory as an agent may be shown it: acting on no terminal, and ending no turn."""
    return defused(visible(text, newlines=newlines))


def _short(text: str, most: int) -> str:
    line = " ".join(_safe(text, newlines=False).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _fitting(parts: Iterable[Answer], room: int) -> Iterator[Answer]:
    """As many as fit into a room in bytes, the first in any case."""
    for number, part in enumerate(parts):
        room -= _size(part) + 1
        if room < 0 and number:
            return
        yield part


def _size(value: object) -> int:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "replace"))


def _count(outcomes: Answer, key: str) -> int:
    value = outcomes.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
