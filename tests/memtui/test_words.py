"""Words for people: fields, finders, notices, plans and queries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from string import Formatter

import pytest

from memtui.words.fields import field_in_words, field_name
from memtui.words.notices import _TIMED, SENTENCES, error_in_words, problem_in_words, sentence
from memtui.words.origins import finder_of, messages_of
from memtui.words.plans import plan_text
from memtui.words.queries import in_words, understood
from store.action import Action
from store.errors import Conflict, InvalidQuery
from store.model import FINDER, Facets, Location, SearchResult
from store.notice import notice
from store.operations.plan import Change, Move, Plan
from store.redaction.sharing import Kind
from store.search.query import parse_query
from store.settings.files import Mistake, MistakeKind
from tests.sources import sources
from tests.store.factories import NOW, record

DAY_AFTER = datetime(2026, 3, 2, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("main", "main"),
        ("5a6d12f" + "0" * 33, "5a6d12f"),
        ("2026-03-02T14:02:00.000Z", "today 14:02"),
        ("2026-03-01T14:02:00+01:00", "2026-03-01 13:02"),
        ("2026-99-99T14:02:00Z", "2026-99-99T14:02:00Z"),
        ("2026-03-02", "2026-03-02"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (["auth", "löck"], "auth, löck"),
        ([{"a": 1}], '[{"a": 1}]'),
        ({"calm": True}, '{"calm": true}'),
        ({1}, "{1}"),
    ],
)
def test_values(value: object, words: str) -> None:
    assert field_in_words(value, DAY_AFTER) == words


def test_names() -> None:
    assert [field_name(key) for key in ("editedAt", "branch")] == ["edited", "branch"]


# What a memory is from, in words.


def test_the_messages_that_a_memory_rests_on_are_named_by_session() -> None:
    sources = ("session:s-1#12", "tool:t1", "session:s-1#15", "session:a#b#3", "obs-1", "session:")
    assert messages_of(sources) == ("messages 12, 15 of s-1", "message 3 of a#b")


def test_a_finder_is_named_and_an_unknown_one_by_its_own_name() -> None:
    assert finder_of({FINDER: "model"}) == "language model"
    assert finder_of({FINDER: "oracle"}) == "oracle"
    assert finder_of({}) == finder_of({FINDER: 3}) == ""


# What the store tells by kind and values has its sentence here, and every sentence its kind.


SETTINGS = {"setting-misspelt", "variable-value"} | {f"setting-{kind}" for kind in MistakeKind}
UNSHARED = {f"not-shared-{kind}" for kind in Kind}


def _told() -> Iterator[tuple[str, set[str]]]:
    """The kind and the names of the values of every notice that the store makes."""
    for source in sources("store"):
        if "notice(" not in source.text:
            continue
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "notice":
                kinds = [it.value for it in ast.walk(node.args[0]) if isinstance(it, ast.Constant)]
                for kind in kinds:
                    yield str(kind), {str(it.arg) for it in node.keywords}


def test_every_notice_has_a_sentence_and_every_sentence_a_notice() -> None:
    told = dict(_told())
    assert set(told) == set(SENTENCES) - SETTINGS - UNSHARED - {"quoted"} | set(_TIMED)
    for kind, names in told.items():
        fields = {name for _, name, _, _ in Formatter().parse(SENTENCES.get(kind, "")) if name}
        assert fields <= names, kind


def test_an_error_says_why() -> None:
    why = (notice("memory-changed-since", id="b", issue=29),)
    assert error_in_words(Conflict("Nothing changed.", "", why)) == (
        "Nothing changed: b in issue 29 has changed since; left unchanged."
    )
    meant = (notice("field-misspelt", field="catgory", meant="category"),)
    assert error_in_words(InvalidQuery("The query is not clear.", "", meant)) == (
        "The query is not clear: `catgory:` is not a field; did you mean `category:`?"
    )
    assert error_in_words(Conflict("Undone.")) == "Undone."


@pytest.mark.parametrize("kind", MistakeKind)
def test_every_mistake_in_the_settings_has_a_sentence(kind: MistakeKind) -> None:
    said = sentence(Mistake(kind, "settings.toml", "max_token", 3, "max_tokens").notice)
    assert said.startswith("settings.toml, line 3: ") and said[-1] in ".?"


def test_a_problem_is_told_by_its_kind() -> None:
    said = problem_in_words("manifest-rebuilt", "", 1_234.4)
    assert said == "Memory manifest rebuilt from issue files (took 1,234ms)."
    assert problem_in_words("missing", "1").startswith("1 memory that was stored is in no file")
    assert problem_in_words("lock-timeout", "Held.") == "Held. The next write fixes it."
    assert problem_in_words("hook stop", "No {braces} here.") == "No {braces} here."
    assert problem_in_words("capture-failed", "") == "capture-failed"


# A plan in words and marks.


ROW = "    decision · engineer · Chose plain files for the record"


def _describe(*changes: Change, **fields: object) -> list[str]:
    return plan_text(Plan(Action("edit"), changes, **fields)).splitlines()  # type: ignore[arg-type]


def test_what_is_made_and_what_goes() -> None:
    assert _describe(
        Change(Location.ISSUE, 29, "a", None, record("a")),
        Change(Location.ISSUE, 29, "b", record("b", summary=""), None),
        notes=(notice("redacted", passages=1),),
    ) == [
        "Edit",
        "  1 secret or private passage was redacted.",
        "",
        "+ #29 a (new)",
        ROW,
        "- #29 b (removed)",
        ROW,
    ]


def test_what_changes_is_told_key_by_key_without_counters() -> None:
    before = record("a", tags=["x", "y"], note="old\nlines", recallCount=1)
    after = record("a", content="y" * 900, note="new", recallCount=2, pinned=True)
    assert _describe(Change(Location.ISSUE, 29, "a", before, after))[2:] == [
        "~ #29 a",
        ROW,
        "    - content: Chose plain files for the record",
        f"    + content: {'y' * 399}…",
        "    - note: old\\nlines",
        "    + note: new",
        "    + pinned: yes",
        "    - tags: x, y",
    ]


def test_what_a_vaults_compaction_takes_away_and_what_comes_back_is_said() -> None:
    cut = Move(".vault/memtui/trash/2026-dev.json.new", "conversations/dev.json")
    gone = Move("dev.md.bak", ".vault/memtui/trash/2026-dev.md.bak")
    told = _describe(moves=(cut, gone))
    assert "~ cut conversations/dev.json to its last messages" in told
    assert "- dev.md.bak, kept for 30 days in .vault/memtui/trash/" in told
    told = _describe(moves=(gone.inverse(), cut.inverse()))
    assert "+ dev.md.bak, from .vault/memtui/trash/" in told
    assert "~ put back what was cut from conversations/dev.json" in told


def test_a_secret_that_is_taken_out_is_not_shown_again() -> None:
    before, after = record("a", content="It is hunter2."), record("a", content="It is [redacted].")
    lines = _describe(Change(Location.ISSUE, 29, "a", before, after, forget=True))
    assert "hunter2" not in "\n".join(lines)
    assert "    + content: It is [redacted]." in lines


# What was understood of a query, said in words.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "everything · newest first"),
        ("(", "everything · newest first"),
        ("lock tim", "lock + tim…"),
        ("x" * 60, "x" * 39 + "…"),
        ('"a b" -c agent:x,y', '"a b" + not c · agent x or y'),
        ("-agent:x sort:oldest", "not agent x · oldest first"),
        (
            "is:open after:2026-01 before:2026-02-03",
            "open · from 2026-01-01 · before 2026-02-03 · newest first",
        ),
        ("-is:muted sort:tokens", "not muted · by tokens"),
        ("lock in:all", "lock · in memories and sessions"),
    ],
)
def test_what_was_understood_is_said(text: str, words: str) -> None:
    assert in_words(parse_query(text, NOW)) == words


def test_what_was_not_understood_follows() -> None:
    notes = (notice("name-misspelt", field="tag", name="dsk", meant="disk"),)
    found = SearchResult("tag:dsk", 0, (), Facets(), notes)
    assert understood(found, NOW) == "tag dsk · newest first · no tag `dsk`; did you mean `disk`?"
