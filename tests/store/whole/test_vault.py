"""Days of changes to a vault that people write in too: what each leaves in its files, and undo."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.notices import sentence
from memtui.words.sentences import done
from store import Memory, open_memory
from store.backends.vault.layout import SIDE
from store.errors import StoreError
from store.model import Layout, Location, Observation
from store.operations.apply import Applied
from tests.store.backends.vault.vaults import FILES, make_vault
from tests.store.factories import Clock, Ids, observation

Step = Callable[[Memory], object]
EARLIER, LATER = 1_772_000_000, 1_773_000_000
"""When files were written, in seconds since 1970."""
PINNED = {"pinned": True}
_OPERATION = re.compile(r"Operation \w{4}\b")
MORE = {
    ".vault/archive/notes/Lock rules.md": "Locks were files once.\n",
    "dev/handoffs.md": "Vorher\n\n<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nTwice\n\n---\n",
    "qa.md": "## Lessons\n- Flat, as an earlier version wrote it\n",
    "notes/empty.md": "\n",
}


def _change(how: str, *of: object) -> Step:
    return lambda memory: memory.apply(getattr(memory.plan, how)(*of))


def _store(*observations: Observation) -> Step:
    return lambda memory: memory.store(observations)


def _write(path: str, old: str, new: str) -> Step:
    """Somebody edits a file by hand."""

    def write(memory: Memory) -> None:
        place = memory.path / path
        place.write_text(place.read_text().replace(old, new))
        os.utime(place, (LATER, LATER))

    return write


def _new(content: str, **fields: object) -> Observation:
    return observation(content, agent="dev", issue_number=0, **fields)


STEPS: tuple[tuple[str, Step], ...] = (
    ("store", _store(_new("Use locks\n\n- of the kernel", tags=("a", "b c")), _new("Second"))),
    ("store the same", _store(_new("Second"))),
    ("store a task", _store(_new("Mend it\nsoon", category="task", tags=("later",)))),
    ("store for an issue", _store(_new("Of 29", category="lesson")._replace(issue_number=29))),
    ("store another kind", _store(_new("Odd", category="custom", pinned=True, session_id="s"))),
    ("edit", _change("edit", "1773679871839", {"content": "We decided\n\n---\n\nso", "tags": ()})),
    ("pin", _change("edit", ["1773679871000", "1773700000000"], PINNED)),
    ("tag", _change("tag", ["1773679871000"], ["x"], [])),
    ("close a task", _change("tag", ["1773600000000"], ["done"], [])),
    ("archive", _change("archive", ["1773679871000"])),
    ("pin what is archived", lambda it: it.apply(it.plan.edit(_id(it, "Locks"), PINNED))),
    ("archive a note", lambda it: it.apply(it.plan.archive(_id(it, "See")))),
    ("write by hand", _write("dev/lessons.md", "com lista", "com outra lista #nova")),
    ("mute what was written", lambda it: it.apply(it.plan.edit(_id(it, "Outra"), {"muted": True}))),
    ("remove", lambda it: it.apply(it.plan.remove(_id(it, "Escrito")))),
    ("undo", lambda it: it.undo()),
    ("restore", _change("restore", ["1773679871000"])),
    ("another layout", _change("layout", Layout.EACH)),
    ("forget", lambda it: it.forget(it.plan.forget(_id(it, "Second")))),
    ("flat files", lambda it: it.apply(it.exchange.plan_migration())),
    ("undo", lambda it: it.undo()),
    ("undo", lambda it: it.undo()),
    ("redo", lambda it: it.redo()),
)


def _id(memory: Memory, start: str) -> str:
    [found] = [it.id for it in _all(memory) if it.content.lstrip("# ").startswith(start)]
    return found


def _all(memory: Memory) -> list[Observation]:
    return [
        it
        for issue in sorted(memory.backend.issues())
        for location in Location
        for it in memory.backend.read(issue).observations(location)
    ]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    folder = make_vault(tmp_path / ".memory", FILES | MORE)
    for path in folder.rglob("*.md"):
        os.utime(path, (EARLIER, EARLIER))
    opened = open_memory(folder, cache=tmp_path / "cache", clock=Clock(), new_id=Ids())
    with opened as memory:
        yield memory


def _said(memory: Memory) -> list[str]:
    """Every record, in its place and its order."""
    told = []
    for it in _all(memory):
        flags = [name for name in ("archived", "pinned", "muted") if getattr(it, name)]
        told.append(
            f"#{it.issue_number} {it.id} {it.agent} {it.category} {it.timestamp:%F %T}"
            f" {it.content!r} {','.join(it.tags)} {' '.join(flags)} {it.session_id}".rstrip()
        )
    return told


def _files(folder: Path) -> dict[str, list[str]]:
    """All Markdown, and what is kept beside it of each memory."""
    files = {
        str(path.relative_to(folder)): path.read_bytes().decode().splitlines(keepends=True)
        for path in sorted(folder.rglob("*.md*"))
    }
    beside = folder / SIDE / "records.json"
    if beside.exists():
        told = json.loads(beside.read_text())["memories"]
        files["beside"] = [f"{name}: {json.dumps(it)}\n" for name, it in told.items()]
    return files


def _differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    told = []
    for path in sorted(before.keys() | after.keys()):
        sides = before.get(path, []), after.get(path, [])
        told += [it.rstrip("\n") for it in unified_diff(*sides, path, path, n=1)]
        told += [f"{path} is gone"] if path not in after else []
    return told


def _answer(value: object) -> object:
    if isinstance(value, Applied):
        left = [sentence(it) for it in value.left]
        return [done(value.action), value.changed, left, value.final, value.unfinished, value.added]
    return value


def test_days_of_changes_to_a_vault(memory: Memory, snapshot: SnapshotAssertion) -> None:
    files, said = _files(memory.path), _said(memory)
    story = ["at first", *said]
    for name, step in STEPS:
        try:
            answer = json.dumps(_answer(step(memory)))
        except StoreError as error:
            answer = _OPERATION.sub("Operation …", f"refused: {error.message} {error.hint}")
        after, now = _files(memory.path), _said(memory)
        story += ["", f"== {name}: {answer}", *_differences(files, after)]
        story += [*(f"< {it}" for it in said if it not in now)]
        story += [*(f"> {it}" for it in now if it not in said)]
        files, said = after, now
    problems = [f"{it.path}: {it.message}" for it in memory.problems]
    found = [
        f"{it.kind} {it.path} {sentence(it.notice)}" for it in memory.doctor.examine().findings
    ]
    assert "\n".join([*story, "", "at last", *said, *problems, *found]) == snapshot
