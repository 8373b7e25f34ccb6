"""What the store tells by kind and values has its sentence here, and every sentence its kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from string import Formatter

import pytest

from memtui.words.notices import (
    _TIMED,
    SENTENCES,
    capture_in_words,
    error_in_words,
    problem_in_words,
    sentence,
)
from store.activity.log import CaptureHealth
from store.errors import Conflict
from store.notice import Notice, notice, notice_of, notice_record, quoted
from store.settings.files import Mistake, MistakeKind
from tests.sources import sources

SETTINGS = {"setting-misspelt", "variable-value"} | {f"setting-{kind}" for kind in MistakeKind}
NOW = datetime(2026, 3, 8, 10, tzinfo=UTC)


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
    assert set(told) == set(SENTENCES) - SETTINGS - {"quoted"} | set(_TIMED)
    for kind, names in told.items():
        fields = {name for _, name, _, _ in Formatter().parse(SENTENCES.get(kind, "")) if name}
        assert fields <= names, kind


def test_an_error_says_why() -> None:
    why = (notice("memory-changed-since", id="b", issue=29),)
    assert error_in_words(Conflict("Nothing changed.", "", why)) == (
        "Nothing changed: b in issue 29 has changed since; left unchanged."
    )
    assert error_in_words(Conflict("Undone.")) == "Undone."


@pytest.mark.parametrize("kind", MistakeKind)
def test_every_mistake_in_the_settings_has_a_sentence(kind: MistakeKind) -> None:
    said = sentence(Mistake(kind, "settings.toml", "max_token", 3, "max_tokens").notice)
    assert said.startswith("settings.toml, line 3: ") and said[-1] in ".?"


def test_a_number_takes_its_noun() -> None:
    assert sentence(notice("adopt", memories=1, file="a")) == "Move 1 memory into a."
    assert sentence(notice("adopt", memories=2_000, file="a")) == "Move 2,000 memories into a."


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("A sentence of before.", "A sentence of before."),
        ({"kind": "later", "values": {"files": 3, "odd": None}}, "later: files 3"),
        ({"kind": "content-cut", "values": {"characters": "many", "most": 1}}, None),
        ({"kind": "content-cut", "values": ["no", "map"], "place": "a.md"}, "a.md: content-cut"),
    ],
)
def test_what_a_journal_holds_is_told_whatever_it_is(kept: object, said: str | None) -> None:
    told = sentence(notice_of(kept))
    assert told == said if said else "many" in told


@pytest.mark.parametrize(
    "it", [quoted("x"), notice("untold"), notice("undated", notes=3).at("a.md, line 1")]
)
def test_a_notice_is_kept_as_it_is(it: Notice) -> None:
    assert notice_of(notice_record(it)) == it


def test_a_problem_is_told_by_its_kind() -> None:
    said = problem_in_words("manifest-rebuilt", "", 1_234.4)
    assert said == "Memory manifest rebuilt from issue files (took 1,234ms)."
    assert problem_in_words("lock-timeout", "Held.") == "Held. The next write fixes it."
    assert problem_in_words("hook stop", "No {braces} here.") == "No {braces} here."
    assert problem_in_words("capture-failed", "") == "capture-failed"


@pytest.mark.parametrize(
    ("health", "said"),
    [
        (CaptureHealth(), ""),
        (CaptureHealth(NOW - timedelta(seconds=40)), "Last capture just now."),
        (CaptureHealth(NOW - timedelta(minutes=1)), "Last capture 1 minute ago."),
        (CaptureHealth(NOW - timedelta(hours=3.5)), "Last capture 3 hours ago."),
        (CaptureHealth(NOW - timedelta(days=90)), "Last capture 90 days ago."),
        (CaptureHealth(NOW, NOW), "Capture has failed since 11:00."),
        (CaptureHealth(None, NOW - timedelta(days=5)), "Capture has failed since Tuesday."),
        (CaptureHealth(NOW, NOW - timedelta(days=7)), "Capture has failed since 2026-03-01."),
    ],
)
def test_capture_in_words(health: CaptureHealth, said: str) -> None:
    assert capture_in_words(health, NOW.astimezone(timezone(timedelta(hours=1)))) == said


def test_what_a_notice_does_not_say_is_not_kept() -> None:
    assert notice_record(notice("no-title")) == {"kind": "no-title"}
    told = notice_record(notice("skipped", text="x").at("a.md"))
    assert told == {"kind": "skipped", "values": {"text": "x"}, "place": "a.md"}


def test_a_question_ends_a_sentence_alone() -> None:
    asked = notice("setting-value", key="theme", detail="unknown theme `x`; did you mean `y`?")
    assert sentence(asked) == "`theme` ignored: unknown theme `x`; did you mean `y`?"
