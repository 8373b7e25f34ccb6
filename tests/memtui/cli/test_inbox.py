"""`memtui inbox`: what waits is listed, shown, approved, edited and taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import inbox
from store import open_memory
from store.backends.location import FOLDER
from store.model import EntrySource
from tests.memtui.cli.conftest import Run
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation

RULE = "Never write to the ledger without a lock."
MORE = "Two tills run at once."
OTHER = "The gauge of the boiler is read in bar."


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A memory, and two changes that wait: a new one, and another text of that one; its id."""
    folder = tmp_path / "shop" / FOLDER
    folder.mkdir(parents=True)
    folder.with_name("memtui.toml").write_text('review = "before"\n')
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setattr(inbox, "has_terminal", lambda: True)
    with open_memory(folder) as memory:
        [identifier] = memory.store([observation(OTHER)])
        memory.edit(identifier, {"content": f"{OTHER}\n{MORE}"}, source=EntrySource.MCP)
        memory.add([observation(f"{RULE}\n{MORE}")], source=EntrySource.CAPTURE)
    return identifier


def ids(memtui: Run) -> dict[str, str]:
    return {entry["kind"]: entry["id"] for entry in json.loads(memtui("inbox", "--json").out)}


def test_it_lists_and_shows_what_waits(memtui: Run, kept: str) -> None:
    listed = memtui("inbox").out.splitlines()
    assert {line.strip() for line in listed if not line.startswith("  ")} == {
        "Captured, engineer",
        "By MCP, engineer",
    }
    assert any("+ new" in line and RULE in line for line in listed)
    assert any("~ changed" in line and OTHER in line for line in listed)
    shown = memtui("inbox", "show", ids(memtui)["changed"][:5]).out.splitlines()
    assert shown[-2:] == [f"  {OTHER}", f"+ {MORE}"]
    assert kept in shown[1]


def test_what_is_approved_is_stored(memtui: Run, kept: str) -> None:
    new = ids(memtui)["new"]
    assert RULE in memtui("inbox", "approve", new, "--dry-run").out
    refused = memtui("inbox", "approve", new)
    assert (refused.code, "no terminal" in refused.err) == (1, True)
    assert memtui("search", "ledger").out == ""
    assert "Approved 1 change in the inbox." in memtui("inbox", "approve", new, "--yes").out
    assert RULE in memtui("search", "ledger").out
    assert "new" not in ids(memtui)
    memtui("undo", "--yes")
    assert memtui("search", "ledger").out == ""
    assert ids(memtui)["new"] == new


def test_an_agent_approves_nothing(memtui: Run, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "has_terminal", lambda: False)
    refused = memtui("inbox", "approve", "--all", "--yes")
    assert refused.code == 1
    assert "Nothing approved" in refused.err
    assert set(ids(memtui)) == {"new", "changed"}
    assert RULE in memtui("inbox", "approve", "--all", "--dry-run").out


def test_all_are_taken_back(memtui: Run, kept: str) -> None:
    assert "Took back 2 changes" in memtui("inbox", "take-back", "--all", "--yes").out
    nothing = memtui("inbox")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "Nothing waits for approval.\n")
    again = memtui("inbox", "approve", "--all", "--yes")
    assert (again.code, again.err) == (0, "Nothing waits for approval.\n")


def test_it_is_edited(memtui: Run, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new = ids(memtui)["new"]
    assert memtui("inbox", "edit", new, "--content", RULE, "--yes").code == 0
    assert memtui("inbox", "show", new).out.splitlines()[-1] == f"+ {RULE}"
    monkeypatch.setenv("EDITOR", "sed -i s/ledger/book/")
    assert memtui("inbox", "edit", new).code == 0
    assert "book" in memtui("inbox", "show", new).out


def test_a_call_without_ids_is_explained(memtui: Run, kept: str) -> None:
    for call in (["approve"], ["take-back"], ["approve", "x", "--all"]):
        assert (memtui("inbox", *call).code, memtui("inbox", *call).out) == (2, "")
    assert "See `memtui inbox`." in memtui("inbox", "show", "nonsense").err


def test_adding_without_a_terminal_waits(memtui: Run, kept: str) -> None:
    added = memtui("add", "Ask before the release.")
    assert "1 change waits for approval" in added.err
    assert added.out.strip() in memtui("inbox").out
    assert memtui("search", "release").out == ""


def test_status_counts_what_waits(memtui: Run, kept: str) -> None:
    assert memtui("status", "--short").out.endswith(" tokens · 2 to approve\n")
    memtui("inbox", "take-back", "--all", "--yes")
    assert "to approve" not in memtui("status", "--short").out
    assert json.loads(memtui("status", "--json").out)["waiting"] == 0


def test_several_changes_of_one_memory_are_left_to_be_chosen(memtui: Run, kept: str) -> None:
    with open_memory(Path.cwd()) as memory:
        memory.apply(memory.plan.remove(kept), source=EntrySource.MCP)
    approved = memtui("inbox", "approve", "--all", "--yes")
    assert "Approved 1 change in the inbox." in approved.out
    assert "2 changes are left" in approved.err
    assert memtui("inbox", "approve", *ids(memtui).values(), "--yes").code == 1
    assert set(ids(memtui)) == {"changed", "gone"}


def test_editing_without_a_terminal_waits(memtui: Run, kept: str) -> None:
    memtui("inbox", "take-back", "--all", "--yes")
    edited = memtui("edit", kept, "--content", RULE, "--yes")
    assert (edited.code, edited.out) == (0, "")
    assert "1 change waits for approval" in edited.err
    assert RULE not in memtui("show", kept).out
    memtui("inbox", "approve", "--all", "--yes")
    assert RULE in memtui("show", kept).out


def test_importing_without_a_terminal_waits(memtui: Run, kept: str) -> None:
    memtui("inbox", "take-back", "--all", "--yes")
    Path("notes.md").write_text(f"# Rules\n\n- {RULE}\n- {MORE}\n")
    imported = memtui("import", "notes.md", "--yes")
    assert imported.code == 0
    assert "2 changes wait for approval" in imported.err
    assert memtui("search", "ledger").out == ""
    memtui("inbox", "approve", "--all", "--yes")
    assert RULE in memtui("search", "ledger").out


def test_importing_sessions_without_a_terminal_waits(memtui: Run, kept: str) -> None:
    memtui("inbox", "take-back", "--all", "--yes")
    session = ClaudeCode(cwd=str(Path.cwd())).user(f"Never forget: {RULE}").agent("Noted.")
    session.write(Path("old.jsonl"))
    imported = memtui("import", "--transcripts", ".", "--yes")
    assert "0 stored from 1 session" in imported.err
    assert "1 change waits for approval" in imported.err
    assert memtui("search", "ledger").out == ""
    memtui("inbox", "approve", "--all", "--yes")
    assert RULE in memtui("search", "ledger").out
