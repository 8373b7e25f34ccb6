"""What a query is understood as, what of a text it marks, and what may be stored or changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from syrupy.assertion import SnapshotAssertion

from memtui.words.notices import sentence
from store.errors import InvalidObservation, InvalidQuery
from store.model import UNDATED, Observation
from store.search.highlight import marks, passage, wanted
from store.search.query import check_understood, parse_query
from store.validation.prepare import Prepared, prepare, prepare_update
from tests.store.factories import NOW, Ids, observation
from tests.store.whole.plain import as_text
from tests.store.whole.test_search import QUERIES

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MORE = (
    "-lease",
    "- lease",
    "--lease",
    '-"row by row"',
    "lease OR",
    "OR lease",
    "lease or queue",
    "lease OR -queue",
    "lease*",
    "*",
    "agent:",
    "agent:a,b,,c",
    "-agent:a,b",
    'agent:"a b"',
    "AGENT:Engineer",
    "agents:engineer",
    "category:Decision,decisions",
    "layer:x,semantic",
    "issue:0 issue:#29 issue:-1 issue:1234567890",
    "is:pinned,unknown -is:archived",
    "is:stale",
    "-is:stale,open",
    "sort:newest sort:oldest",
    "sort:x",
    "-sort:newest",
    "after:7d before:2026-03-01",
    "after:2026-03-01T10:00 before:yesterday",
    "before:2026-02-30",
    "-after:7d",
    "after:1h after:2h",
    "in:sessions in:all",
    "-in:sessions",
    "in:x",
    "id:a,b -id:c",
    "tag:#lock tag:lock",
    "file:a.py:31 file:src/",
    "http://example.org/a:b",
    "10:30",
    "a:b:c",
    "said: lease",
    "Memory's lease, and (queue) & rows!",
    '"',
    '""',
    "ünïcode Straße 数据",
    "x" * 300,
    "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 9,
)
TEXTS = (
    "The lease of LeaseQueue ends; leases, LEASE and re-leased rows. leaseholder",
    "Ünïcode straße STRASSE strasse 数据库 unicode",
    "row by  row\nby row, ROW BY ROW; getRowByRow shop/load.py:31 load.py",
    "gateway " * 60 + "closes the lease " + "gateway " * 60,
    "x" * 700 + " lease",
    "",
)


def test_what_queries_are_understood_as(snapshot: SnapshotAssertion) -> None:
    told = []
    for text in (*QUERIES, *MORE):
        it = parse_query(text, NOW)
        told.append(f"{text[:60]!r}: {as_text(it)}")
        told.append(f"  {it.place} {it.order} {it.looks_at_use} {it.finds_all}")
        told += [f"  {sentence(note)}" for note in it.notes]
        try:
            check_understood(it)
        except InvalidQuery as error:
            told.append(f"  refused: {error.message} {error.hint}")
    assert re.sub(r"\n +", " ", "\n".join(told)) == snapshot


def _marked(text: str, places: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(places):
        text = f"{text[:start]}«{text[start:end]}»{text[end:]}"
    return text


def test_what_of_a_text_is_marked(snapshot: SnapshotAssertion) -> None:
    told = []
    for query in ("lease", "leases queue", '"row by row"', "strasse 数据", "load.py", "row", "-x"):
        what = wanted(parse_query(query, NOW), ())
        for text in TEXTS:
            told.append(f"{query}: {_marked(text, marks(text, what))}")
            told += [f"  {_marked(*passage(text, what, length))}" for length in (20, 100)]
    near = wanted(parse_query("leese", NOW), (("leese", "lease"),))
    told.append(_marked(TEXTS[0], marks(TEXTS[0], near)))
    assert "\n".join(told) == snapshot


WRONG: dict[str, tuple[Any, ...]] = {
    "agent": ("", "a" * 64, "a" * 65, "A.b_c-1", "a b", "-a", "é", KEY, f"x{KEY}", 7, None),
    "issue_number": (0, 999_999_999, 1_000_000_000, -1, True, "7", 7.0, None),
    "category": ("", "a" * 64, "a" * 65, "a-b", "a--b", "-a", "Aa", "a_b", KEY.lower(), 7, None),
    "content": ("", " \n", "x" * 2_000, "x" * 2_001, "<private>x</private>", f"k {KEY}", 7),
    "summary": ("", "x" * 300, "two\nlines", KEY, 7),
    "tokens": (0, -1, 10**20, "7", True),
    "timestamp": (UNDATED, NOW.replace(tzinfo=None), datetime(1, 1, 1, tzinfo=UTC), "now",
                  NOW + timedelta(microseconds=1_999)),
    "session_id": ("", "s" * 600, KEY, 7),
    "tags": ((), ("a", "a"), ("x" * 200,), ("",), (KEY,), [], "ab", (7,)),
    "id": ("", "a b", "x" * 300, KEY, "../x", 7),
    "sources": ((), ("s" * 900,), (7,)),
    "recall_count": (0, -1, "1"),
    "relevance_score": (0.0, 1.5, float("nan"), "1"),
    "last_recalled": (None, NOW, "now"),
    "extra": ({}, {"a": {1}}, {"id": 1}, {7: 1}, {"deep": [[[[[[1]]]]]]}, {"k": KEY}),
}  # fmt: skip


def _outcome(prepared: Callable[..., Prepared], *of: object) -> str:
    try:
        made = prepared(*of)
    except InvalidObservation as error:
        return f"refused: {error.message} {error.hint}"
    text = " ".join(as_text(made.observation).split()) + f" {list(map(sentence, made.notices))}"
    return re.sub(r"(x|s)\1{50,}", lambda it: f"({len(it[0])} {it[1]})", text)


def test_what_may_be_stored_and_changed(snapshot: SnapshotAssertion) -> None:
    told = []
    usual: Observation = observation(id="a-1", timestamp=NOW, summary="So", tokens=3)
    for name, values in WRONG.items():
        for value in values:
            made = usual._replace(**{name: value})
            told.append(f"{name} = {str(value)[:60]!r} {_outcome(prepare, made, NOW, Ids())}")
            told.append(f"  changed: {_outcome(prepare_update, usual, {name: value})}")
    assert "\n".join(told) == snapshot
