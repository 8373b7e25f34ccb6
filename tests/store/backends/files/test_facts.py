"""Everything the doctor finds of one issue's files, in each state that they may be in."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from store.backends.files.doctor import issue_facts, layout_facts, leftovers
from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import LAYOUT, archive_name, issue_name, recovered_name
from store.backends.files.locks import StoreLock
from store.model import Layout
from tests.store.factories import make_store, record

OWN, RECOVERED, ARCHIVE = issue_name(29), recovered_name(29), archive_name(29)
BROKEN = "{"
LEFT, EACH = "issue-29/k9.json", json.dumps({"layout": Layout.EACH})


def _issue(*records: object) -> str:
    return json.dumps({"version": 1, "issueNumber": 29, "observations": records})


ONE, TWO = _issue(record("k1", content="Ours")), _issue(record("k2"))
ALONE = json.dumps(record("k9"))


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        ({OWN: ONE}, []),
        ({}, []),
        ({RECOVERED: ONE}, []),
        ({OWN: BROKEN}, [("unreadable-file", OWN, [OWN], "")]),
        ({OWN: BROKEN, RECOVERED: ONE}, [("unreadable-file", OWN, [OWN, RECOVERED], "")]),
        (
            {OWN: ONE, RECOVERED: _issue(record("k1"), record("k2"), 7, {})},
            [("recovered-file", RECOVERED, [RECOVERED], "k2")],
        ),
        (
            {OWN: BROKEN, RECOVERED: "["},
            [("unreadable-file", OWN, [OWN], ""), ("unreadable-file", RECOVERED, [RECOVERED], "")],
        ),
        (
            {OWN: ONE, RECOVERED: TWO, ARCHIVE: BROKEN},
            [
                ("unreadable-file", ARCHIVE, [ARCHIVE], ""),
                ("recovered-file", RECOVERED, [RECOVERED], "k2"),
            ],
        ),
        (
            {OWN: BROKEN, RECOVERED: TWO, ARCHIVE: BROKEN},
            [
                ("unreadable-file", ARCHIVE, [ARCHIVE], ""),
                ("unreadable-file", OWN, [OWN, RECOVERED], ""),
            ],
        ),
        ({OWN: ONE, LEFT: ALONE}, [("layout", "issue-29", [], "")]),
        ({LAYOUT: EACH, OWN: ONE, LEFT: ALONE}, [("layout", OWN, [], "")]),
        (
            {LEFT: BROKEN, "issue-29/k8.json": ALONE},
            [("unreadable-file", LEFT, [LEFT], ""), ("layout", "issue-29", [], "")],
        ),
    ],
)
def test_what_is_found_of_an_issue(
    tmp_path: Path, files: dict[str, str], facts: list[tuple[str, str, list[str], str]]
) -> None:
    """Kind and part of each fact, what its repair moves, and what it adopts."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = list(issue_facts(read_issue(tmp_path, 29), "now"))
    told = [(it.kind, it.path, [old for old, _ in it.moves], "".join(it.adopt)) for it in found]
    assert told == facts
    for fact in found:
        moves = dict(fact.moves)
        assert moves.get(RECOVERED) in (None, OWN, f"quarantine/now-{RECOVERED}")
        assert (OWN in moves.values()) is (len(moves) == 2)
        assert (fact.repair is None) is (not moves)


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        (EACH, True),
        (json.dumps({"layout": Layout.PER_ISSUE, "theirs": 1}), True),
        *(
            (text, False)
            for text in ('{"layout": "other"}', '{"layout": ["one"]}', "{}", "[]", "7")
        ),
        *((text, False) for text in ("{", "[" * 9_000, "\udcff")),
    ],
)
def test_what_is_found_of_the_layout(tmp_path: Path, text: str, is_known: bool) -> None:
    (tmp_path / LAYOUT).write_bytes(text.encode("utf-8", "surrogateescape"))
    moves = [fact.moves for fact in layout_facts(tmp_path, "now")]
    assert moves == ([] if is_known else [((LAYOUT, f"quarantine/now-{LAYOUT}"),)])


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
