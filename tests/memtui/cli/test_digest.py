"""`memtui digest`: what memory has of the last days, in the zone of the user."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from memtui.cli.digest import _within
from store import open_memory
from store.model import Observation
from tests.memtui.cli.conftest import Run, observation

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
