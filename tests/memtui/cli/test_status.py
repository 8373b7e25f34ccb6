"""Commands that tell how memory is: status, digest, compaction and open questions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.cli import status_line
from memtui.cli.digest import _within
from store import Observation, open_memory
from store.backends.location import FOLDER
from store.platform.home import user_folder
from tests.memtui.cli.conftest import NOW, Run, observation

SIX = "6 memories · 0 new · next claude-code session "


@pytest.fixture
def made(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Collects each time that the line was made anew."""
    made: list[object] = []
    keep = status_line.keep_line

    def counted(*made_of: Any) -> None:  # noqa: ANN401
        made.append(made_of)
        keep(*made_of)

    monkeypatch.setattr("memtui.cli.status.keep_line", counted)
    return made


def test_a_line_is_made_once_until_memory_changes(memtui: Run, made: list[object]) -> None:
    lines = {memtui("status", "--short").out for _ in range(3)}
    assert len(made) == 1
    [line] = lines
    assert line.startswith(SIX)
    memtui("add", "Locks are held by the kernel.")
    assert memtui("status", "--short").out.startswith("7 memories · 1 new")


def test_a_line_is_made_anew_after_five_minutes(
    memtui: Run, made: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("status", "--short")
    now = time.time()
    for seconds, times in ((290, 1), (310, 2)):
        monkeypatch.setattr(time, "time", lambda after=seconds: now + after)
        memtui("status", "--short")
        assert len(made) == times


def test_a_line_is_of_the_place_and_the_settings_it_was_made_with(
    memtui: Run, made: list[object], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("status", "--short")
    monkeypatch.setenv("MEMTUI_MAX_TOKENS", "10")
    assert memtui("status", "--short").out.startswith(SIX)
    monkeypatch.delenv("MEMTUI_MAX_TOKENS")
    monkeypatch.chdir(tmp_path)
    assert memtui("status", "--short").out == ""
    memtui("status", "--short", "--dir", str(project))
    assert memtui("status", "--short").out == ""
    assert len(made) == 2


def test_what_no_line_can_be_read_from_is_passed_over(memtui: Run, made: list[object]) -> None:
    memtui("status", "--short")
    for kept in user_folder("cache").joinpath("status").iterdir():
        kept.write_bytes(b"\xff\0\0")
    assert memtui("status", "--short").out.startswith(SIX)
    assert len(made) == 2


# `memtui digest`: what memory has of the last days, in the zone of the user.


LINK = "[pay](https://evil.example) <img src=x> **bold**\n# Heading"


@pytest.fixture
def week(tmp_path: Path) -> Path:
    """A memory with one of each kind from two days ago, and older ones."""
    now = datetime.now(UTC)
    kinds = "decision lesson procedure error code-change handoff task key-fact".split()
    recent, old = now - timedelta(days=2), now - timedelta(days=9)
    notes = [
        observation(
            at + 20 * (when is old),
            category=kind,
            content=f"{'Old' if when is old else 'New'} {kind}",
            timestamp=when - timedelta(minutes=at),
        )
        for when in (recent, old)
        for at, kind in enumerate(kinds)
    ]
    done = observation(40, category="task", content="Done task", tags=("done",), timestamp=now)
    folder = tmp_path / "week"
    with open_memory(folder) as memory:
        memory.store([*notes, done])
    return folder


def test_each_memory_of_the_days_is_in_its_section(memtui: Run, week: Path) -> None:
    shown = json.loads(memtui("digest", "--json", "--dir", str(week)).out)
    assert {name: [one["summary"] for one in part] for name, part in list(shown.items())[2:]} == {
        "decided": ["New decision"],
        "learned": ["New lesson", "New procedure", "New key-fact"],
        "fixed": ["New error", "New code-change"],
        "open": ["New handoff", "New task", "Old task"],
    }
    today = datetime.now().astimezone().date()
    assert shown["from"] == str(today - timedelta(days=6))
    assert shown["to"] == str(today)


def test_memories_are_text_in_markdown(memtui: Run, tmp_path: Path) -> None:
    folder = tmp_path / "hostile"
    with open_memory(folder) as memory:
        memory.store([observation(1, content=LINK, timestamp=datetime.now(UTC))])
    done = memtui("digest", "--markdown", "--dir", str(folder))
    (bullet,) = (line for line in done.out.splitlines() if line.startswith("- "))
    assert r"\[pay\](https://evil.example) \<img src=x\> \*\*bold\*\*" in bullet
    assert done.out.count("\n# ") == 0
    assert "## Decided" in done.out


def test_of_many_the_newest_are_shown_and_the_rest_is_found_by_a_search(
    memtui: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    now = datetime.now(UTC)
    with open_memory(folder) as memory:
        memory.store([observation(at, content=f"Chose {at}", timestamp=now) for at in range(23)])
    lines = memtui("digest", "--days", "3", "--dir", str(folder)).out.splitlines()
    first = datetime.now().astimezone().date() - timedelta(days=2)
    assert len(lines) == 3 + 20 + 1
    assert lines[-1] == f"  and 3 more: memtui search 'category:decision after:{first}'"


@pytest.mark.parametrize("form", [(), ("--markdown",)])
def test_of_an_empty_memory_one_sentence_is_printed(
    memtui: Run, tmp_path: Path, form: tuple[str, ...]
) -> None:
    (tmp_path / "none" / ".agentx" / "memory").mkdir(parents=True)
    done = memtui("digest", *form, "--days", "1", "--dir", str(tmp_path / "none"))
    today = datetime.now().astimezone().date()
    assert done.code == 0
    assert done.out == (f"Nothing was decided, learned or fixed on {today}, and nothing is open.\n")


def test_what_makes_no_sense_is_refused(memtui: Run, week: Path) -> None:
    for given in (("--days", "0"), ("--days", "week"), ("--markdown", "--json")):
        done = memtui("digest", *given, "--dir", str(week))
        assert (done.code, done.out, "--" in done.err) == (2, "", True)
    assert memtui("digest", "--days", "9" * 30, "--dir", str(week)).code == 0, "all days"


@pytest.fixture
def auckland(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A zone whose offset changed on 5 April 2026, from +13:00 to +12:00."""
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def entry(when: datetime) -> Observation:
    return Observation("engineer", 1, "decision", "", "a", "", 1, when)


@pytest.mark.usefixtures("auckland")
def test_days_are_those_of_the_user_s_clock() -> None:
    first, last = date(2026, 4, 4), date(2026, 4, 6)
    for when, is_within in (
        (datetime(2026, 4, 3, 10, 59, 59, tzinfo=UTC), False),
        (datetime(2026, 4, 3, 11, tzinfo=UTC), True),
        (datetime(2026, 4, 6, 11, 59, 59, tzinfo=UTC), True),
        (datetime(2026, 4, 6, 12, tzinfo=UTC), False),
    ):
        assert bool(_within([entry(when)], first, last)) is is_within


# `compact` and `prune`: shown first, applied, undone.


_SAME = "The lock on issue-29.json gives up after 5 seconds"


@pytest.fixture
def old(project: Path) -> Path:
    """A project whose issue 3 says the same thing three times, long ago."""
    texts = (f"{_SAME}.", f"{_SAME}!", f"{_SAME} .")
    with open_memory(project / FOLDER) as memory:
        memory.store(
            [
                observation(
                    40 + number,
                    issue_number=3,
                    content=text,
                    timestamp=NOW.replace(year=2025, day=number + 1),
                )
                for number, text in enumerate(texts)
            ]
        )
    return project


def held(project: Path, issue: int) -> list[Observation]:
    with open_memory(project) as memory:
        return memory.by_issue(issue)


@pytest.mark.parametrize("what", [["--issue", "3"], ["--stale"], ["--all"]])
def test_a_compaction_is_shown_applied_and_undone(memtui: Run, old: Path, what: list[str]) -> None:
    before = held(old, 3)
    dry = memtui("compact", *what, "--dry-run")
    assert "memories into" in dry.out.splitlines()[0]
    assert "characters into" in dry.out
    assert dry.out.count("  - obs-engineer-29") >= 3
    assert f"  + {_SAME}" in dry.out
    assert held(old, 3) == before
    done = memtui("compact", *what, "--yes")
    assert (done.code, "memories into" in done.out, "memtui undo" in done.err) == (0, True, True)
    assert len(held(old, 3)) == 1
    assert memtui("compact", *what, "--yes").err == "Nothing to do.\n"
    memtui("undo", "--yes")
    assert held(old, 3) == before


# `memtui clarify`: conversations between agents as the terminal shows them.


ASK = ("clarify", "ask", "--issue", "29", "--to", "architect", "--topic", "API contract")


def test_a_broken_workflow_is_named_wherever_it_counts(memtui: Run, project: Path) -> None:
    workflow = project / ".agentx" / "workflows" / "team.toml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("[[steps")
    named = "workflows/team.toml"
    assert f"{named}: It is not valid TOML" in memtui("clarify").err
    assert f"{named}: It is not valid TOML" in memtui("doctor").out
    assert f"Fix {named}" in memtui(*ASK, "--from", "engineer", "Which status?").err


def test_misuse_is_said_in_a_sentence(memtui: Run, project: Path) -> None:
    assert "Undo with" in memtui(*ASK, "--from", "engineer", "Which status?").err
    for misuse, said in (
        ("answer CLR-29-009 x --from architect", "No clarification 'CLR-29-009'"),
        ("answer CLR-29-001 x --from reviewer", "Only architect can answer"),
        ("resolve CLR-29-001 --from engineer", "has no answer"),
        ("abandon CLR-29-001 --from architect", "Only engineer can abandon"),
    ):
        done = memtui("clarify", *misuse.split())
        assert done.code == 2 and said in done.err
    done = memtui("clarify", "answer", "CLR-29-001", " ", "--from", "architect")
    assert done.code == 2 and "text is empty" in done.err
    assert memtui("clarify", "abandon", "CLR-29-001", "--from", "engineer").code == 0
    assert "abandoned" in memtui("clarify").out


def test_what_is_not_there_leaves_nothing(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty := tmp_path / "empty").mkdir()
    monkeypatch.chdir(empty)
    assert memtui("clarify", "resolve", "CLR-29-001", "--from", "engineer").code == 2
    assert not list(empty.iterdir())
