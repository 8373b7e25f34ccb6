from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.hooks.capturing import capture_session, failure_of
from memtui.hooks.reading import HookInput, parse_input, read_within
from store.capture.plan import CapturePlan
from store.errors import NotFound, Unreadable
from store.model import Category, Observation
from store.settings import Settings
from tests.store.capture.transcripts import ClaudeCode

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class FakeMemory:
    """Remembers what it was asked to capture."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = Settings()
        self.plans: list[CapturePlan] = []

    def by_issue(self, issue: int) -> Sequence[Observation]:
        return ()

    def capture(self, plan: CapturePlan) -> Sequence[str]:
        self.plans.append(plan)
        return [f"obs-{number}" for number, _ in enumerate(plan.kept)]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project on branch feature/29-locks with a transcript beside it."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature/29-locks\n")
    made = ClaudeCode(cwd=str(root), branch="").user("Always keep the lock short.")
    made.edit("store/lock.py")
    (tmp_path / "s-1.jsonl").write_text("\n".join(made.lines))
    return root


def run(
    hook: str, shop: Path, environ: dict[str, str] | None = None, **more: str
) -> tuple[CapturePlan, FakeMemory]:
    opened: list[FakeMemory] = []

    def open_project(folder: Path) -> FakeMemory:
        opened.append(FakeMemory(folder))
        return opened[-1]

    given = HookInput(
        session_id="s-1", folder=str(shop), transcript_path=str(shop.parent / "s-1.jsonl")
    )
    given = replace(given, **more)  # type: ignore[arg-type]
    plan = capture_session(hook, given, environ or {}, NOW, open_project)
    assert opened[0].plans == [plan]
    return plan, opened[0]


def test_the_end_of_a_session_is_captured_where_it_belongs(shop: Path) -> None:
    last = "The lock gives up after five seconds now, and its tests pass on both systems. Done."
    plan, memory = run("session-end", shop, last_words=last)
    assert memory.folder == shop
    kept = {each.observation.category: each.observation for each in plan.kept}
    assert kept[Category.CODE_CHANGE].content.startswith("store/lock.py: ")
    assert kept[Category.HANDOFF].content == last
    assert {each.issue_number for each in kept.values()} == {29}
    assert {each.agent for each in kept.values()} == {"claude-code"}


@pytest.mark.parametrize("hook", ["stop", "pre-compact"])
def test_before_the_end_there_is_no_handoff(shop: Path, hook: str) -> None:
    plan, _ = run(hook, shop, last_words="The lock gives up after five seconds now. " * 3)
    categories = {each.observation.category for each in plan.kept}
    assert Category.CODE_CHANGE in categories
    assert Category.HANDOFF not in categories


def test_agent_and_issue_may_be_named(shop: Path) -> None:
    plan, _ = run("session-end", shop, {"MEMTUI_ISSUE": "7"}, agent_type="reviewer")
    assert {(e.observation.agent, e.observation.issue_number) for e in plan.kept} == {
        ("reviewer", 7)
    }


def test_a_summary_is_captured_from_the_input_itself(shop: Path) -> None:
    summary = "Summary:\n7. Pending Tasks:\n   - Document the new timeout in the manual\n"
    plan, _ = run("post-compact", shop, summary=summary)
    assert [each.observation.category for each in plan.kept] == [Category.TASK]


def test_a_session_without_a_project(tmp_path: Path, shop: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    plan, memory = run("session-end", shop, folder=str(outside))
    assert memory.folder in (outside, *outside.parents)
    assert plan.kept


@pytest.mark.parametrize("named", ["", "gone.jsonl"])
def test_a_transcript_that_is_gone_is_said(shop: Path, named: str) -> None:
    with pytest.raises(NotFound) as raised:
        run("session-end", shop, transcript_path=named and str(shop / named))
    assert "memtui capture" in failure_of(raised.value)


def test_a_transcript_in_no_known_format_is_said(shop: Path) -> None:
    strange = shop / "strange.txt"
    strange.write_text("what is this?")
    with pytest.raises(Unreadable):
        run("session-end", shop, transcript_path=str(strange))


def test_the_input_is_read_field_by_field() -> None:
    sent = {
        "session_id": "s",
        "transcript_path": "/t",
        "cwd": "/c",
        "hook_event_name": "Stop",
        "last_assistant_message": "bye",
        "compact_summary": None,
        "prompt": 7,
    }
    read = parse_input(json.dumps(sent))
    assert read is not None
    assert (read.session_id, read.transcript_path, read.folder) == ("s", "/t", "/c")
    assert (read.event, read.last_words, read.summary, read.prompt) == ("Stop", "bye", "", "")
    assert parse_input("") is None
    assert parse_input("[1]") is None


@given(st.text(max_size=60))
def test_any_input_is_read_or_refused(text: str) -> None:
    assert parse_input(text) is None or isinstance(parse_input(text), HookInput)


def test_reading_ends_when_the_writer_does_or_is_silent() -> None:
    reader, writer = os.pipe()
    os.write(writer, '{"é": 1}'.encode())
    assert read_within(reader, 0.02) == '{"é": 1}'
    os.close(writer)
    assert read_within(reader, 5) == ""
    os.close(reader)


def test_a_file_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "input.json"
    path.write_text("{}" * 50_000)
    descriptor = os.open(path, os.O_RDONLY)
    assert len(read_within(descriptor, 5)) == 100_000
    os.close(descriptor)
