"""Days of changes to one memory: what each does, what is refused, and what undo and redo leave."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.notices import sentence
from memtui.words.sentences import done
from store import Memory
from store.errors import StoreError
from store.model import Layout, Location
from store.operations.apply import Applied
from store.operations.plan import Plan
from tests.store.factories import Clock, make_memory, observation
from tests.store.whole.plain import as_text

Step = Callable[[Memory], object]


def _change(how: str, *of: object) -> Step:
    """Plan a change, and apply the plan."""
    return lambda memory: memory.apply(getattr(memory.plan, how)(*of))


def _do(how: str, *of: object) -> Step:
    return lambda memory: getattr(memory, how)(*of)


_OPERATION = re.compile(r"Operation \w{4}\b")
STEPS: tuple[tuple[str, Step], ...] = (
    ("store", _do("store", [observation("Chose plain files"), observation("Locks go stale")])),
    ("store again", _do("store", [observation("Chose plain files", tags=("new",))])),
    ("store", _do("store", [observation("Ship it", issue_number=0, category="task")])),
    ("edit", _change("edit", "obs-1", {"content": "Chose plain JSON files", "tags": ("disk",)})),
    ("edit to the same", _change("edit", "obs-1", {"content": "Chose plain JSON files"})),
    ("edit what is not there", _change("edit", "obs-9", {"content": "x"})),
    ("edit to nothing", _change("edit", "obs-1", {"content": " "})),
    ("edit a secret in", _change("edit", "obs-2", {"content": "Locks: password=Hunter2hunter2"})),
    ("pin both", _change("edit", ["obs-1", "obs-2"], {"pinned": True})),
    ("tag", _change("tag", ["obs-1", "obs-2"], ["disk", "b"], ["a"])),
    ("archive", _change("archive", ["obs-1"])),
    ("archive again", _change("archive", ["obs-1"])),
    ("undo", _do("undo")),
    ("undo", _do("undo")),
    ("redo", _do("redo")),
    ("redo", _do("redo")),
    ("redo", _do("redo")),
    ("edit what is archived", _change("edit", "obs-1", {"content": "Chose JSON"})),
    ("restore", _change("restore", ["obs-1"])),
    ("restore again", _change("restore", ["obs-1"])),
    ("remove what is not there", _change("remove", ["obs-2", "obs-3"])),
    ("remove", _change("remove", ["obs-2", "obs-4"])),
    ("store beside", _do("store", [observation("Locks are ours", tags=("late",))])),
    ("undo the removal by name", lambda memory: memory.undo(memory.history.operations()[1].id)),
    ("undo the removal again", lambda memory: memory.undo(memory.history.operations()[2].id)),
    ("a file each", _change("layout", Layout.EACH)),
    ("remove", _change("remove", ["obs-2"])),
    ("a file an issue", _change("layout", Layout.PER_ISSUE)),
    ("the same layout", _change("layout", Layout.PER_ISSUE)),
    ("undo the layout", _do("undo")),
    ("undo the removal", _do("undo")),
    ("forget", lambda memory: memory.forget(memory.plan.forget(["obs-1"]))),
    ("undo", _do("undo")),
    ("undo", _do("undo")),
    ("undo a name", _do("undo", "20200101T000000000-none")),
    ("redo", _do("redo")),
)
"""What happens, a minute apart."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with make_memory(tmp_path, clock) as memory:
        yield memory


def _standing(memory: Memory) -> list[str]:
    """Every record, in its place and its order."""
    found = []
    for issue in sorted(memory.backend.issues()):
        for location in Location:
            for it in memory.backend.read(issue).held():
                one = it.observation
                if one is not None and it.location is location:
                    flags = "".join(name[0] for name in ("pinned", "muted") if getattr(one, name))
                    found.append(
                        f"#{issue} {location} {one.id} {one.category} {one.content!r}"
                        f" {','.join(one.tags)} {flags} seen {one.seen_count} {dict(one.extra)}"
                    )
    return found


def _answer(value: object) -> object:
    if isinstance(value, Applied):
        left = [sentence(it) for it in value.left]
        return [done(value.action), value.changed, left, value.final, value.unfinished, value.added]
    return value


def test_days_of_changes(memory: Memory, clock: Clock, snapshot: SnapshotAssertion) -> None:
    story: list[object] = []
    before: list[str] = []
    for name, step in STEPS:
        clock.pass_by(minutes=1)
        try:
            answer = _answer(step(memory))
        except StoreError as error:
            answer = _OPERATION.sub("Operation …", f"refused: {error.message} {error.hint}")
        now = _standing(memory)
        gone = [f"- {line}" for line in before if line not in now]
        story.append([name, answer, [*gone, *(f"+ {it}" for it in now if it not in before)]])
        before = now
    assert as_text(story) == snapshot(name="story")
    told = [
        f"{done(it.action)} | {it.count} {it.about} {it.undone}"
        for it in memory.history.operations()
    ]
    assert as_text(told) == snapshot(name="history")
    logged = [
        f"{it.time:%H:%M} {it.kind} {it.agent} {it.issue} {','.join(it.ids)}"
        for it in reversed(memory.activity().entries)
    ]
    assert as_text(logged) == snapshot(name="log")
    memory.index.settle()
    names = sorted(
        str(path.relative_to(memory.path)) for path in memory.path.rglob("*") if path.is_file()
    )
    assert as_text([it for it in names if not it.startswith("operations/")]) == snapshot(
        name="files"
    )
    manifest = json.loads((memory.path / "manifest.json").read_text())
    assert as_text(manifest) == snapshot(name="manifest")


def _planned(plan: Plan) -> object:
    return [done(plan.action), [sentence(it) for it in plan.notes], plan.changes, plan.moves]


def test_what_plans_say(memory: Memory, snapshot: SnapshotAssertion) -> None:
    memory.store(
        [
            observation("Chose plain files", pinned=True, tags=("disk",)),
            observation("Locks go stale", agent="reviewer"),
            observation("Ship it", issue_number=0, category="task"),
        ]
    )
    memory.apply(memory.plan.archive(["obs-2"]))
    told = {
        "edit": memory.plan.edit(["obs-1", "obs-3"], {"tags": ("a", "b"), "muted": True}),
        "a long one": memory.plan.edit("obs-1", {"content": "x" * 20_000, "summary": "y" * 900}),
        "tag": memory.plan.tag(["obs-1", "obs-3"], ["new"], ["disk"]),
        "archive": memory.plan.archive(["obs-1", "obs-2", "obs-3"]),
        "restore": memory.plan.restore(["obs-1", "obs-2"]),
        "remove": memory.plan.remove(["obs-1", "obs-2"]),
        "forget": memory.plan.forget(["obs-1", "obs-2"]),
        "undo": memory.history.plan_undo(),
    }
    text = as_text({name: _planned(plan) for name, plan in told.items()})
    assert re.sub(r"(x|y)\1{99,}", lambda it: f"({len(it[0])} {it[1]})", text) == snapshot
