"""Everything the doctor finds of one issue's files, in each state that they may be in."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.backends.files.doctor import issue_facts, layout_facts, leftovers
from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import LAYOUT, issue_name, recovered_name
from store.backends.files.locks import StoreLock
from store.backends.protocol import Fact
from store.model import Layout
from tests.store.factories import make_store, record

OWN, RECOVERED = issue_name(29), recovered_name(29)
ONE = record("k1", content="Ours")
STATES: dict[str, dict[str, Any]] = {
    "well": {OWN: [ONE]},
    "nothing": {},
    "own is broken": {OWN: "{"},
    "own is broken, one recovered": {OWN: "{", RECOVERED: [ONE]},
    "own and recovered": {OWN: [ONE], RECOVERED: [record("k1", content="Old"), record("k2")]},
    "own and recovered of no ids": {OWN: [ONE], RECOVERED: [7, {}, record("k3")]},
    "recovered alone": {RECOVERED: [ONE]},
    "recovered is broken": {OWN: [ONE], RECOVERED: "["},
    "both are broken": {OWN: "{", RECOVERED: "["},
    "archive is broken": {OWN: [ONE], "archive/issue-29-archived.json": "{"},
    "archive is broken, one recovered": {
        OWN: [ONE],
        RECOVERED: [record("k2")],
        "archive/issue-29-archived.json": "{",
    },
    "both locations are broken, one recovered": {
        OWN: "{",
        RECOVERED: [record("k2")],
        "archive/issue-29-archived.json": "{",
    },
    "own is a folder": {OWN: None, RECOVERED: [ONE]},
    "own is a link": {OWN: Path("elsewhere.json"), "elsewhere.json": [ONE]},
    "in both layouts": {OWN: [ONE], "issue-29/k9.json": record("k9")},
    "each, one file is left": {
        LAYOUT: {"layout": Layout.EACH},
        OWN: [ONE],
        "issue-29/k9.json": record("k9"),
    },
    "one each is broken": {"issue-29/k9.json": "{", "issue-29/k8.json": record("k8")},
}


LAYOUTS = (
    None,
    json.dumps({"layout": Layout.EACH}),
    json.dumps({"layout": Layout.PER_ISSUE, "theirs": 1}),
    json.dumps({"layout": "other"}),
    json.dumps({"layout": ["one"]}),
    json.dumps({}),
    "[]",
    "7",
    "{",
    "[" * 9_000,
    "\udcff",
)


def _laid(folder: Path, state: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    for name, what in state.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(what, list):
            path.write_text(json.dumps({"version": 1, "issueNumber": 29, "observations": what}))
        elif isinstance(what, Path):
            path.symlink_to(folder / what)
        elif what is None:
            path.mkdir()
        else:
            path.write_text(what if isinstance(what, str) else json.dumps(what))


def _told(fact: Fact) -> str:
    parts = [
        f"  {fact.kind} {fact.path}",
        f"{fact.notice.kind} {dict(fact.notice.values)}",
        f"{fact.repair.kind} {dict(fact.repair.values)}" if fact.repair else "no repair",
        *(f"{source} > {target}" for source, target in fact.moves),
        *(f"adopts {name}: {it['content']}" for name, it in fact.adopt.items()),
    ]
    return " | ".join(parts)


def test_what_is_found_of_an_issue(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    lines = []
    for name, state in STATES.items():
        folder = tmp_path / name
        _laid(folder, state)
        facts = [_told(it) for it in issue_facts(read_issue(folder, 29), "now")]
        lines += [f"{name}:", *(it.replace(str(folder), "<memory>") for it in facts)]
    assert "\n".join(lines) == snapshot


def test_what_is_found_of_the_layout(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    lines: list[str] = []
    for text in LAYOUTS:
        folder = tmp_path / f"{len(lines)}"
        folder.mkdir()
        if text is not None:
            (folder / LAYOUT).write_bytes(text.encode("utf-8", "surrogateescape"))
        lines += [f"{text!r:.60}", *map(_told, layout_facts(folder, "now"))]
    folder = tmp_path / "folder"
    (folder / LAYOUT).mkdir(parents=True)
    lines += ["a folder", *map(_told, layout_facts(folder, "now"))]
    assert "\n".join(lines) == snapshot


@pytest.mark.parametrize(
    ("age", "alive", "held", "is_left"),
    [
        (3_600, True, False, False),
        (3_600.5, True, False, True),
        (0, True, False, False),
        (0, False, False, True),
        (0, False, True, False),
        (3_601, False, True, True),
        (-9, True, False, False),
    ],
)
def test_how_old_a_temporary_file_is_that_was_left(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    age: float,
    alive: bool,
    held: bool,
    is_left: bool,
) -> None:
    store = make_store(tmp_path)
    store.folder.mkdir(parents=True)
    pid = os.getpid() if alive else 2**22 - 1
    path = store.folder / f".issue-1.json.{pid}-0123abcd.tmp"
    path.write_text("")
    os.utime(path, (2**30, 2**30))
    monkeypatch.setattr(time, "time", lambda: 2**30 + age)
    monkeypatch.setattr(StoreLock, "is_held", lambda _: held)
    assert [it.path for it in leftovers(store.folder, "now")] == ([path.name] if is_left else [])
