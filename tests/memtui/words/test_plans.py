"""A plan in words and marks."""

from __future__ import annotations

from memtui.words.plans import plan_text
from store.action import Action
from store.model import Location
from store.notice import notice
from store.operations.plan import Change, Move, Plan
from tests.store.factories import record

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
