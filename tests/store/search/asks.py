"""What the rows ask of search: of a query alone, of texts, and of an index that holds `HELD`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memtui.words.notices import sentence
from store.backends.files.activity import append_activity
from store.backends.files.backend import FilesBackend
from store.errors import InvalidQuery, StoreError
from store.model import FACETS
from store.search import analyzers, highlight, relevance
from store.search.dates import parse_moment
from store.search.documents import observation_of
from store.search.index import SearchIndex
from store.search.names import naming
from store.search.query import Query, check_understood, parse_query
from store.search.reader import IndexReader
from tests.rows import Ask
from tests.store.factories import NOW, record, write_issue

STALE = timedelta(days=90)


def _record(name: str, content: str, day: str, **keys: Any) -> dict[str, Any]:  # noqa: ANN401
    said = {"content": content, "summary": content.partition("\n")[0], "tokens": len(content)}
    return record(name, **{**said, "timestamp": f"{day}T10:00:00.000Z", **keys})


HELD: dict[int, list[dict[str, Any]]] = {
    29: [
        _record("limit", "The lock times out after 5 retries", "2026-02-27", tags=["disk", "ci"]),
        _record("built", "manifest.json is built from src/memory/types.ts", "2026-02-26",
                agent="architect", category="key-fact", tags=["disk"]),
        _record("class", "JsonObservationStore keeps one file of each issue", "2026-02-25",
                agent="code-reviewer", sessionId="s2", pinned=True),
        _record("chinese", "锁定超时：清单被锁定", "2026-02-24", category="error"),
        _record("tests", "Tests of the lock wait\nThe till keeper waits for the manifest lock.",
                "2025-10-01", agent="code-reviewer", category="lesson", sessionId="s2"),
        _record("both", "Test the till by hand", "2025-10-02", agent="architect",
                category="task", pinned=True, muted=True, sessionId=""),
        _record("flagged", "The old lock waited for ever", "2025-10-03", archived=True),
    ],
    7: [
        _record("odd", "After the fall of the till: a café broke", "2026-01-15", issueNumber=7,
                category="post-mortem", tags=["done"]),
        _record("costly", "Whom the keeper of the lock calls", "2026-01-31", issueNumber=7,
                tokens=900, recallCount=3, category="task", tags=["done"]),
        _record("told", "The till keeps a queue of manifests", "2025-10-04", issueNumber=7,
                agent="architect", recallCount=1),
        _record("named", "Ask the warden first", "2026-02-01", issueNumber=7,
                properties={"aliases": ["Gatekeeper"]}),
    ],
}  # fmt: skip
"""The memories of the index, by their issues; `told` was recalled three times more by the log."""
ARCHIVE = [_record("moved", "The lock moved to the archive", "2026-02-20", issueNumber=7)]


@cache
def index() -> SearchIndex:
    """An index in memory of all of these."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for issue, held in HELD.items():
            write_issue(folder, issue, *held)
        write_issue(folder, 7, *ARCHIVE, archived=True)
        for day in (10, 12, 11):
            told = {"type": "recalled", "observationIds": ["told"]}
            append_activity(folder, {**told, "timestamp": f"2026-02-{day}T00:00:00.000Z"})
        made = SearchIndex(FilesBackend(folder), None)
        made.catch_up()
        return made


def _reader() -> IndexReader:
    made = index()
    return IndexReader(made.searcher, made.schema, made.tail)


def _query(text: str) -> str:
    """A query taken apart: whatever is not as in an empty one."""
    query, empty = parse_query(text, NOW), Query()
    told = [
        f"{name} {getattr(query, name)}"
        for name in ("before", "after", "sort", "place")
        if getattr(query, name) != getattr(empty, name)
    ]
    for term in query.terms:
        kinds = [it for it in ("phrase", "negated", "prefix") if getattr(term, it)]
        told.append(" ".join([*kinds, f"term {term.text!r}"]))
    told += [
        f"{'not ' if item.negated else ''}{item.field} {'|'.join(item.values)}"
        for item in (*query.filters, *query.flags)
    ]
    told += [f"note: {sentence(it)}" for it in query.notes]
    told += [f"unfinished: {sentence(it)}" for it in query.unfinished]
    told.append(query.order)
    told += [it for it in ("finds_all", "looks_at_use") if getattr(query, it)]
    return "; ".join(told)


def _spans(text: str) -> list[str]:
    return [f"{it.kind} {text[it.start : it.end]}" for it in parse_query(text, NOW).spans]


def _refused(text: str) -> list[str]:
    """What is said of a query by which nothing is changed."""
    try:
        check_understood(parse_query(text, NOW))
    except InvalidQuery as error:
        return [error.message, *map(sentence, error.notes)]
    return []


def _marked(text: str, marks: highlight.Marks) -> str:
    for start, end in reversed(marks):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def _found(text: str) -> str:
    """What a query finds, as marked rows, and what is said of it."""
    found = _reader().search(parse_query(text, NOW), NOW, STALE, limit=20, offset=0, facets=())
    rows = [f"{it.entry.id}: {_marked(it.snippet, it.marks)}" for it in found.hits]
    told = ["relaxed"] if found.relaxed else []
    told += [f"{typed} is near {held}" for typed, held in found.near]
    told += [f"note: {sentence(it)}" for it in found.notes]
    return " · ".join(["; ".join([f"{found.total}", *told]), *rows])


def _ids(text: str) -> str:
    """The ids of what a query finds, in its order."""
    return " ".join(_reader().ids(parse_query(text, NOW), NOW, STALE))


def _facets(text: str) -> str:
    query = parse_query(text, NOW)
    found = _reader().search(query, NOW, STALE, limit=0, offset=0, facets=FACETS).facets
    told = {name: dict(sorted(it.items())) for name, it in found._asdict().items()}
    return "; ".join(f"{name} {it}" for name, it in told.items())


def _got(text: str) -> str:
    try:
        found = _reader().get(text)
    except StoreError as error:
        return f"{error.message} {error.hint}"
    use = f"{found.recall_count} {found.last_recalled:%d %B}" if found.last_recalled else ""
    return " ".join([found.id, *(["archived"] if found.archived else []), use]).strip()


def _relevant(text: str) -> str:
    """The ids of what is relevant to a task, best first; those with no word of it in brackets."""
    made = index()
    best = relevance.relevant(made.searcher, made.schema, text, most=20).best
    ids = [(observation_of(made.searcher.doc(it.address)).id, it.own) for it in best]
    return " ".join(name if own else f"({name})" for name, own in ids)


def _naming(text: str) -> str:
    """The ids of what has one of some names, one a line."""
    made = index()
    found = naming(made.searcher, made.schema, text.split("\n"))
    return " ".join(observation_of(made.searcher.doc(it)).id for it in found)


def _of_query(ask: Callable[[highlight.Wanted, str], Any]) -> Ask:
    """Of a query and a text, with a line `---` between them."""

    def asked(text: str) -> Any:  # noqa: ANN401 - whatever is asked
        query, _, said = text.partition("\n---\n")
        return ask(highlight.wanted(parse_query(query, NOW)), said)

    return asked


def _passage(what: highlight.Wanted, text: str) -> str:
    return _marked(*highlight.passage(text, what, 40))


ASKS: dict[str, Ask] = {
    "query": _query,
    "query.refused": _refused,
    "query.spans": _spans,
    "found": _found,
    "found.ids": _ids,
    "found.facets": _facets,
    "found.get": _got,
    "found.naming": _naming,
    "found.relevant": _relevant,
    "dates": lambda text: parse_moment(text, NOW),
    "highlight": _of_query(lambda what, text: _marked(text, highlight.marks(text, what))),
    "highlight.passage": _of_query(_passage),
    "words": lambda text: analyzers.plain_terms(analyzers.with_parts(text)),
    "words.cjk": analyzers.cjk_field,
    "words.telling": lambda text: list(relevance.significant_words(text)),
    "words.stems": relevance.stems_of,
}
