"""Memory that git left in conflict: seen, merged with one key; two versions side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.tui.memory.versions import ResolveScreen
from store.backends.files.issue_reader import read_issue
from store.merge.versions import CONFLICT
from tests.flows.stage import SIZES, Looks, fill, press, running
from tests.flows.stories import observations
from tests.store.backends.files.test_conflicted import merged_by_lines

pytestmark = pytest.mark.usefixtures("still")

DOCTOR = "exclamation_mark"
EDITED = "2026-03-01T09:30:00.000Z"


def in_conflict(folder: Path) -> Path:
    """A memory whose issue 29 two branches added to, and git could not merge."""
    path = folder / "memory" / "issue-29.json"
    fill(folder / "memory", observations())
    ours = path.read_bytes()
    record = json.loads(ours)
    (first, *_) = record["observations"]
    versions = []
    for day, words in ((1, "A merge keeps what both branches learned."), (2, "Locks need a name.")):
        added = {**first, "id": f"obs-branch-29-{day}", "content": words, "summary": words}
        more = {**record, "updatedAt": f"2026-03-0{day}T10:00:00.000Z"}
        more["observations"] = [*record["observations"], added]
        versions.append((json.dumps(more, indent=2) + "\n").encode())
    path.write_bytes(merged_by_lines(folder, ours, versions[0], versions[1]))
    assert b"<<<<<<< " in path.read_bytes()
    return path.parent


def edited_twice(folder: Path) -> Path:
    """A memory of which two branches edited the newest."""
    path = folder / "memory" / "issue-29.json"
    fill(folder / "memory", observations()[:1])
    record = json.loads(path.read_bytes())
    other = {
        "category": "decision",
        "content": "One file for each agent, because agents rarely write at the same time.",
        "summary": "One file for each agent, because agents rarely write at the same time.",
        "tokens": 18,
        "editedAt": "2026-02-28T16:10:00.000Z",
    }
    record["observations"][0] |= {"editedAt": EDITED, CONFLICT: [other]}
    path.write_text(json.dumps(record, indent=2))
    return path.parent


async def test_a_conflict_is_seen_and_merged(tmp_path: Path, looks: Looks) -> None:
    async with running(in_conflict(tmp_path)) as pilot:
        await press(pilot, DOCTOR)
        assert await looks(pilot, "a_conflict_is_seen", SIZES)
        await press(pilot, "enter", "enter")
        assert await looks(pilot, "a_merge_is_applied")


async def test_a_version_is_chosen_and_taken_back(tmp_path: Path, looks: Looks) -> None:
    folder = edited_twice(tmp_path)
    before = read_issue(folder, 29).observations()
    async with running(folder) as pilot:
        await press(pilot, "enter", "r")
        assert await looks(pilot, "two_versions_side_by_side", SIZES)
        for key, start in (("1", "One file for each issue"), ("2", "One file for each agent")):
            assert isinstance(pilot.app.screen, ResolveScreen)
            await press(pilot, key)
            (chosen,) = read_issue(folder, 29).observations()
            assert chosen.content.startswith(start)
            assert CONFLICT not in chosen.extra
            await press(pilot, "u")
            assert read_issue(folder, 29).observations() == before
            await press(pilot, "r")
