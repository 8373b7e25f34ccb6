"""Folders are listed in no order that anybody promises: what is read of a memory does not tell."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memtui.words.notices import sentence
from store import Memory, open_memory
from store.backends.location import FOLDER
from store.backends.text_kinds import TextKind
from store.model import Layout
from tests.store.backends.vault.vaults import FILES, make_vault
from tests.store.factories import NOW, Clock, make_memory, observation, record, write_issue

Order = Callable[[list[Any]], list[Any]]


def _files(root: Path) -> Path:
    """Issues and archives, what is broken or left over, what was set aside."""
    memory = make_memory(root)
    for issue in (3, 1, 2):
        memory.store([observation(f"Chose {name} files", issue_number=issue) for name in "cab"])
    memory.apply(memory.plan.archive(["obs-2", "obs-5"]))
    memory.continuation.checkpoint(
        "dev", [{"role": "user", "text": "Go on"}], "chat", branch="main"
    )
    memory.close()
    folder = root / FOLDER
    for name in ("issue-8.json", "issue-7.json", "issue-9.json"):
        (folder / name).write_text('{"observations": [')
    for name in ("issue-2.recovered.json", "issue-1.recovered.json"):
        write_issue(root, 5, record(name)).replace(folder / name)
    for name in (".issue-3.json.1-00000000.tmp", ".issue-1.json.1-00000000.tmp", "notes.txt", "b"):
        (folder / name).write_text("half")
        os.utime(folder / name, (0, 0))
    for name in ("b.json", "c.json", "a.json"):
        (folder / "sessions").mkdir(exist_ok=True)
        (folder / "sessions" / name).write_text("{")
    for begin in (40, 0, 20):
        (folder / "activity").mkdir(exist_ok=True)
        line = f'{{"type": "stored", "at": {begin:02}, "a": 1}}'[:19] + "\n"
        (folder / "activity" / f"{begin:016}.jsonl").write_text(line)
    for name in ("issue-3-20260301T110000000.json", "issue-1-20260301T100000000.json"):
        (folder / "quarantine").mkdir(exist_ok=True)
        (folder / "quarantine" / name).write_text("{}")
    return folder


def _each(root: Path) -> Path:
    """A file for each memory, some of them broken, one id in several."""
    memory = make_memory(root)
    memory.store([observation(f"Chose {name} files", issue_number=3) for name in "dcab"])
    memory.apply(memory.plan.archive(["obs-2", "obs-4"]))
    memory.apply(memory.plan.layout(Layout.EACH))
    memory.close()
    folder = root / FOLDER
    first = next(iter(sorted((folder / "issue-3").glob("*.json"))))
    for name in ("zz.json", "aa.json"):
        (folder / "issue-3" / name).write_bytes(first.read_bytes())
    for name in ("zy.json", "ab.json"):
        (folder / "issue-3" / name).write_text('{"id": ')
    return folder


def _vault(root: Path) -> Path:
    twice = {"b/decisions.md": FILES["dev/decisions.md"], "a/lessons.md": "<!-- id:1 -->\n## x\n"}
    folder = make_vault(root / ".memory", FILES | twice)
    for name in ("notes/y.md", "notes/x.md", "notes/z.md"):
        (folder / name).symlink_to("Lock rules.md")
    return folder


@contextmanager
def _listed(order: Order, patched: pytest.MonkeyPatch) -> Iterator[None]:
    """Every folder listed in an order."""
    listdir, scandir = os.listdir, os.scandir
    later = time.time_ns() + 3_600_000_000_000  # what was just written has its hash in its stamp

    class Scanned:
        def __init__(self, path: Any = ".") -> None:  # noqa: ANN401 - a path of any kind
            with scandir(path) as found:
                self._left = iter(order(sorted(found, key=lambda it: it.name)))

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return self._left

        def __next__(self) -> os.DirEntry[str]:
            return next(self._left)

        def __enter__(self) -> Scanned:
            return self

        def __exit__(self, *_: object) -> None:
            return

        def close(self) -> None:
            return

    with patched.context() as patch:
        patch.setattr(os, "listdir", lambda path=".": order(sorted(listdir(path))))
        patch.setattr(os, "scandir", Scanned)
        patch.setattr(time, "time_ns", lambda: later)
        yield


def _told(memory: Memory) -> list[object]:
    """What is read of a memory, and all that is wrong with it."""
    told: list[object] = []
    backend = memory.backend
    for issue in sorted(backend.issues()):
        found = backend.read(issue)
        told += [(it.location, it.observation or it.record.value) for it in found.held()]
        told += found.problems
    told += [sorted(backend.names(kind)) for kind in TextKind]
    told += [(it.id, it.action) for it in memory.history.operations()]
    assert backend.files is not None
    told += [name for name, _ in backend.files.set_aside()]
    examined = memory.doctor.examine()
    told += [(it.kind, it.path, sentence(it.notice)) for it in examined.findings]
    told += [*memory.problems, memory.search("chose").hits, memory.continuation.recover()]
    changes = backend.changes_since({})
    told += [{issue: sorted(it.splitlines()) for issue, it in changes.stamps.items()}]
    told += [changes.sizes, backend.activity_stamp(), *backend.activity_backwards()]
    return told


ORDERS: tuple[Order, ...] = (
    lambda found: found,
    lambda found: found[::-1],
    lambda found: [*found[1::2], *found[::2]],
)


@pytest.mark.parametrize("make", [_files, _each, _vault])
def test_what_is_read_does_not_depend_on_how_folders_are_listed(
    make: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path)
    told = []
    for at, order in enumerate(ORDERS):
        with _listed(order, monkeypatch):
            memory = open_memory(folder, cache=tmp_path / f"cache-{at}", clock=Clock(NOW))
            told.append(_told(memory))
            memory.close()
    assert len(told[0]) > 9
    assert told[1] == told[0]
    assert told[2] == told[0]
