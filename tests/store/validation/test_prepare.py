"""The door: what may be stored, and what it gets when it comes in."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import InvalidObservation
from store.notice import notice
from store.records import first_line, new_record, to_record
from store.redaction.sanitizer import clean_observation
from store.validation.prepare import Prepared, prepare, prepare_update
from tests.store.factories import NOW, Ids, observation
from tests.store.redaction.test_sanitizer import EXAMPLES


def _prepared(content: str = "Chose plain files", **fields: Any) -> Prepared:  # noqa: ANN401
    return prepare(observation(content, **fields), NOW, Ids())


def test_what_was_left_out_is_filled_in() -> None:
    item = _prepared("\nChose  plain files\nbecause git merges them").observation
    assert item.id == "obs-1"
    assert item.content == "Chose  plain files\nbecause git merges them"
    assert item.summary == "Chose plain files"
    assert item.tokens == 11
    assert item.timestamp == NOW


def test_what_was_given_is_kept() -> None:
    time = datetime(2026, 2, 27, 10, 0, 0, 123_999, timezone(timedelta(hours=2)))
    item = _prepared(id="keep-1", summary="two  words\nmore", timestamp=time, tokens=99).observation
    assert (item.id, item.summary) == ("keep-1", "two words")
    assert item.timestamp == time.replace(microsecond=123_000)
    assert item.tokens == 5


@pytest.mark.parametrize("content", ["", " \n\t ", None, 7, b"bytes"])
def test_content_must_say_something(content: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidObservation, match="content"):
        _prepared(content)


_NO_COUNTS = (True, -1, 1.5, "1", None)
_NO_FLAGS = (0, 1, "yes", None)
_NO_TEXTS = ("a", None, 7, ("a", 7), [None], {"a": 1}.items())
_WRONG: dict[str, tuple[Any, ...]] = {
    "agent": ("", "x" * 65, " ", "../up", "ünï", "a\0", "a/b", "\ud800", 7, None, b"agent"),
    "issue_number": (-1, 1_000_000_000, "29", 29.0, True, None, [29]),
    "category": ("", "Decision", "key fact", "key--fact", "-fact", "fact-", "7", "d\n", None, "é"),
    "timestamp": (
        datetime(2026, 2, 27),
        "2026-02-27T10:00:00Z",
        1_772_186_400,
        None,
        datetime.min.replace(tzinfo=timezone(timedelta(hours=2))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-2))),
    ),
    "recall_count": _NO_COUNTS,
    "seen_count": _NO_COUNTS,
    "relevance_score": (True, "1", None, float("inf"), float("nan"), 10**400),
    "archived": _NO_FLAGS,
    "pinned": _NO_FLAGS,
    "muted": _NO_FLAGS,
    "tags": _NO_TEXTS,
    "sources": _NO_TEXTS,
    "last_recalled": ("2026-02-27T10:00:00Z", 0, False, datetime(2026, 2, 27)),
    "extra": (None, 7, ["a"], {7: 1}, {"id": "a"}, {"a": float("nan")}, {"a": {1, 2}}, {"a": b""}),
}


@pytest.mark.parametrize("field", _WRONG)
def test_the_door_refuses(field: str) -> None:
    for value in _WRONG[field]:
        with pytest.raises(InvalidObservation, match=f"{field.replace('_', ' ')} .*is not valid"):
            _prepared(**{field: value})


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=40))
def test_any_text_is_stored_or_refused(content: str) -> None:
    try:
        item = _prepared(content).observation
    except InvalidObservation:
        assert not content.strip() or "private" in content
        return
    assert new_record(to_record(item)).exact()["content"] == content.strip("\n")


@pytest.mark.parametrize("field", ["content", "tags", "extra"])
def test_a_secret_is_taken_out_of_any_field(field: str) -> None:
    for template, secret in EXAMPLES:
        text = " ".join(template.replace("{}", secret).replace("!r", "").split())
        fields: dict[str, Any] = {field: text}
        fields |= {"tags": ("first", text)} if field == "tags" else {}
        fields |= {"extra": {"told": [{text: text}]}} if field == "extra" else {}
        given = observation(**fields)
        expected, redactions = clean_observation(given)
        said = (notice("redacted", passages=len(redactions)),) if redactions else ()
        done = prepare(given, NOW, Ids())
        assert done.notices == said
        summary = first_line(expected.summary) or first_line(expected.content)
        assert done.observation._replace(
            id="", tokens=0, timestamp=given.timestamp
        ) == expected._replace(summary=summary)


@pytest.mark.parametrize(
    ("before", "after"), [("Chose files", "Chose rows"), ("", "Chose rows"), ("Mine", "Mine")]
)
def test_a_summary_follows_the_content_only_where_it_did_before(before: str, after: str) -> None:
    held = prepare(observation("Chose files\nThey merge", summary=before), NOW, Ids()).observation
    edited = prepare_update(held, {"content": "Chose rows\nThey join"}).observation
    assert edited.summary == after


def test_an_edit_sets_fields_and_what_follows_from_them() -> None:
    held = _prepared("Chose plain files").observation
    edited = prepare_update(held, {"content": "Chose SQLite after all"}).observation
    assert (edited.summary, edited.tokens) == ("Chose SQLite after all", 6)
    named = prepare_update(held, {"summary": "Our choice", "content": "Chose files"}).observation
    assert named.summary == "Our choice"
    assert prepare_update(named, {"content": "Chose stone"}).observation.summary == "Our choice"


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "other"},
        {"issue_number": 7},
        {"agent": "!?"},
        {"content": ""},
        {"nonsense": 1},
        {"extra": {"id": "other"}},
    ],
)
def test_an_edit_that_can_not_be_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidObservation):
        prepare_update(observation(id="obs-1"), fields)


def test_each_field_that_is_wrong_is_named_with_its_rule_once() -> None:
    wrong: dict[str, Any] = {"agent": "!?", "pinned": 1, "muted": 0, "tags": "a"}
    with pytest.raises(InvalidObservation) as caught:
        _prepared(" ", **wrong)
    assert caught.value.message == (
        "agent '!?' is not valid. tags 'a' is not valid. pinned 1 is not valid. "
        "muted 0 is not valid. The content is empty."
    )
    assert caught.value.hint == (
        "agent must be 1 to 64 letters, digits, `.`, `_` or `-`. tags must be a list of strings. "
        "pinned must be true or false. muted must be true or false. Write what was learned."
    )
    with pytest.raises(InvalidObservation) as caught:
        prepare_update(observation(), {"pinned": 1, "seen_count": -1})
    assert caught.value.message == "pinned 1 is not valid. seen count -1 is not valid."
