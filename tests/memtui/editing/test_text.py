"""Observations as texts to edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.editing.text import from_text, to_text
from store.errors import InvalidObservation
from store.model import Observation
from store.records import first_line

ONE = Observation(
    agent="engineer",
    issue_number=29,
    category="decision",
    content="Locks are per issue.\n\nOne file, one lock.",
    summary="Locks are per issue.",
    tags=("locks", "disk"),
)


def test_what_is_edited_reads_well() -> None:
    assert to_text(ONE) == (
        "---\n"
        "agent: engineer\n"
        "issue: 29\n"
        "category: decision\n"
        "tags: locks, disk\n"
        "summary:\n"
        "# Separate tags with commas. An empty summary uses the first line of the text.\n"
        "---\n"
        "\n"
        "Locks are per issue.\n\nOne file, one lock.\n"
    )


def test_every_field_can_be_changed() -> None:
    text = (
        "---\nAgent : reviewer\nissue: #30\ncategory: lesson\n"
        'tags: #locks, "a, b", locks,\nsummary: Short.\n---\nNew words.\n\n'
    )
    assert from_text(text, ONE) == {
        "agent": "reviewer",
        "issue_number": 30,
        "category": "lesson",
        "tags": ("locks", "a, b"),
        "summary": "Short.",
        "content": "New words.",
    }


def test_editors_may_write_windows_line_ends() -> None:
    assert from_text(to_text(ONE).replace("\n", "\r\n"), ONE) == {}


def test_a_line_end_of_another_kind_at_the_end_is_no_change() -> None:
    odd = ONE._replace(content="Words.\r")
    assert from_text(to_text(odd), odd) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The text is empty."),
        ("Just words.", "header is missing"),
        ("---\nagent: x\n", "The header is not closed."),
        ("---\nagnet: x\n---\nWords.", "Line 2 of the header is not valid: 'agnet: x'."),
        ("---\n\nagent\n---\nWords.", "Line 3 of the header"),
        ("---\nissue: many\n---\nWords.", "Line 2: issue 'many' is not a number."),
        ("---\nissue: 1234567890\n---\nWords.", "is not a number"),
        ('---\nagent: "x\n---\nWords.', "needs one closing quotation mark"),
        ("---\n---\n" + "x" * 2_001, "The content has 2,001 characters; the limit is 2,000."),
        (f"---\nsummary: {'x' * 241}\n---\nWords.", "The summary has 241 characters"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidObservation) as refused:
        from_text(text, ONE)
    assert said in refused.value.message
    assert refused.value.hint


hostile = st.text(max_size=20) | st.sampled_from(["---", '"', "a,b", " x ", "\n", "#x", "\r\n"])


@given(
    agent=hostile,
    issue=st.integers(0, 10**9),
    category=hostile,
    tags=st.lists(hostile, max_size=3),
    summary=hostile,
    content=hostile | st.text(max_size=300),
)
def test_a_text_that_was_not_touched_changes_nothing(
    agent: str, issue: int, category: str, tags: list[str], summary: str, content: str
) -> None:
    observation = Observation(
        agent=agent,
        issue_number=issue,
        category=category,
        tags=tuple(tags),
        summary=summary or first_line(content),
        content=content,
    )
    assert from_text(to_text(observation), observation) == {}


@given(content=st.text(min_size=1, max_size=200), tags=st.lists(st.text(min_size=1), max_size=3))
def test_what_one_writes_is_what_is_read(content: str, tags: list[str]) -> None:
    wanted = ONE._replace(content=content, tags=tuple(tags), summary=first_line(content))
    text = to_text(wanted)
    fields = from_text(text, ONE._replace(summary=first_line(ONE.content)))
    told = fields.get("content", ONE.content)
    assert told.strip("\n") == f"{content}\n".replace("\r\n", "\n").strip("\n")
    plain = dict.fromkeys(tag.lstrip("#") for tag in tags)
    assert [tag for tag in fields.get("tags", ONE.tags) if tag] == [tag for tag in plain if tag]
