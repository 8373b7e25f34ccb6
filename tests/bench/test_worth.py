"""Cases are asked through the hooks, and what is told is compared with what should be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.bench.worth import Case, Note, Told, Wanted, main
from tests.store.capture.transcripts import ClaudeCode

WHY = "Decided to keep the lock file beside the manifest, as both are renamed."
ASKED = "Why does the lock file of the manifest stand where it stands?"
AT = datetime(2026, 3, 2, tzinfo=UTC)


def project(root: Path, *cases: dict[str, Any]) -> Path:
    folder = root / "project"
    (folder / "sessions").mkdir(parents=True)
    made = ClaudeCode(session="s-1")
    made.user("Where should the lock file of the manifest be kept?").agent(WHY)
    made.edit("store/lock.py")
    (folder / "sessions/01.jsonl").write_text("\n".join(made.lines))
    session = {"name": "01", "session": "s-1", "ended": "2026-03-01T12:00:00Z"}
    (folder / "sessions.json").write_text(json.dumps([session]))
    (folder / "cases.json").write_text(json.dumps({"memory": 1, "cases": cases}))
    return root


def case(name: str, prompt: str, *wanted: dict[str, Any]) -> dict[str, Any]:
    moment = {"moment": "prompt", "kind": "any", "at": AT.isoformat()}
    return {"id": name, **moment, "prompt": prompt, "wanted": wanted}


def told(
    *words: str, text: str = "", files: tuple[str, ...] = (), wanted: Sequence[Wanted] = ()
) -> Told:
    notes = tuple(Note(str(number), note, False) for number, note in enumerate(words))
    asked = Case(id="a", moment="prompt", at=AT, wanted=list(wanted))
    return Told(asked, text or "\n".join(words), notes, 100, files)


WANTED = Wanted(what="where the lock is", terms=[["lock", "beside the manifest"]], most=True)


def test_wanted_items_that_are_told_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = {"what": "where", "terms": [["lock", "manifest", "renamed"]], "most": True}
    cases = [case("why", ASKED, wanted), case("other", "Which colours has the logo of the site?")]
    folder = project(tmp_path, *cases)
    main([str(folder), "--texts", str(tmp_path / "texts")])
    printed = capsys.readouterr().out
    assert "wanted items told 1 of 1 (1 in memories)" in printed
    assert "most important ones told 1 of 1 (1 in memories)" in printed
    assert "silent where nothing was known 1 of 1" in printed
    assert "[x] where" in (tmp_path / "texts/why.txt").read_text()
    assert WHY in (tmp_path / "texts/notes.tsv").read_text()


def test_a_hook_that_fails_is_no_silence(tmp_path: Path) -> None:
    folder = project(tmp_path, case("other", "Which colours has the logo of the site?"))
    failing = patch("memtui.hooks.recall.recall_for_prompt", side_effect=OSError("no disk"))
    with failing, pytest.raises(RuntimeError, match=r"user-prompt failed in worth-other: OSError"):
        main([str(folder)])


def test_all_terms_have_to_stand_in_one_note() -> None:
    assert told("The LOCK is\n kept beside  the manifest.", wanted=[WANTED]).told() == [WANTED]
    assert not told("The lock.", "It is beside the manifest.", wanted=[WANTED]).told()
