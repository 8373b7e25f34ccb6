"""`memtui sessions`: what is found, taken in and searched."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from store import open_memory
from store.backends.files.layout import SESSIONS
from store.backends.location import FOLDER
from tests.memtui.cli.conftest import ESCAPES, Run
from tests.store.capture.transcripts import ClaudeCode


@pytest.fixture
def session(project: Path, claude_folder: Path) -> Path:
    made = ClaudeCode(cwd=str(project)).user(f"Why does the lock hang? {ESCAPES}")
    made.agent("It waits for the manifest.").edit("store/lock.py").agent("It hangs no more.")
    path = claude_folder / "s-1.jsonl"
    path.write_text("\n".join(made.lines))
    return path


def test_they_are_listed_before_anything_is_kept(memtui: Run, project: Path, session: Path) -> None:
    listed = memtui("sessions")
    assert listed.code == 0
    assert "Why does the lock hang?" in listed.out
    assert "\x1b[31m" not in listed.out
    assert "1 session not indexed yet" in listed.err
    assert "created" not in listed.err
    assert not (project / FOLDER / SESSIONS).exists()
    record = json.loads(memtui("sessions", "--json").out)[0]
    assert record["id"] == "s-1"
    assert record["agent"] == "claude-code"
    assert record["issue"] == 29
    assert record["changed"] == {"store/lock.py": 1}
    assert record["path"] == str(session)
    names = "id agent branch issue started ended asked changed read memories recalls path"
    assert list(record) == names.split()


def test_taken_in_they_are_found_with_what_was_said_around(memtui: Run, session: Path) -> None:
    assert "Indexed 1 session." in memtui("sessions", "index").err
    assert "1 already indexed" in memtui("sessions", "index").err
    told = memtui("sessions", "search", "manifest")
    assert "not indexed" not in told.err
    assert told.out.index("Why does") < told.out.index("> It waits") < told.out.index("It hangs")
    hit = json.loads(memtui("sessions", "search", "manifest", "--json").out)["hits"][0]
    assert (hit["kind"], hit["sessionId"], hit["role"]) == ("message", "s-1", "answer")
    assert hit["after"] == "It hangs no more."
    assert json.loads(memtui("search", "in:sessions", "manifest", "--json").out)["total"] == 1
    assert memtui("undo", "--yes").code == 0
    for place in ("in:sessions", "in:all"):
        assert json.loads(memtui("search", place, "manifest", "--json").out)["total"] == 0
    assert "1 session not indexed yet" in memtui("sessions", "search", "manifest").err


def test_a_file_that_is_not_there_is_named(memtui: Run) -> None:
    done = memtui("sessions", "index", "nowhere.jsonl")
    assert done.code == 2
    assert "There is no nowhere.jsonl." in done.err


@pytest.fixture
def renamed(project: Path, session: Path) -> Path:
    """What the project was called when the session ran."""
    gone = project.with_name("old-name")
    text = session.read_text().replace(str(project), str(gone))
    folder = session.parents[1] / re.sub(r"[^A-Za-z0-9]", "-", str(gone))
    folder.mkdir()
    (folder / session.name).write_text(text)
    session.unlink()
    (project / "store").mkdir()
    (project / "store" / "lock.py").touch()
    return gone


def test_an_earlier_folder_is_offered_adopted_and_refused(memtui: Run, renamed: Path) -> None:
    listed = memtui("sessions")
    assert listed.out == ""
    assert f"1 session of {renamed} may be of this project · 1 of 1 file that" in listed.err
    assert "memtui sessions adopt" in memtui("capture", "--all", "--dry-run").err
    assert f"Adopted {renamed}: 1 session." in memtui("sessions", "adopt", str(renamed)).err
    assert "Why does the lock hang?" in memtui("sessions").out
    (told,) = json.loads(memtui("sessions", "earlier", "--json").out)
    assert (told["standing"], told["answered"]) == ("taken", True)
    memtui("sessions", "refuse", str(renamed))
    refused = memtui("sessions")
    assert (refused.out, "may be" in refused.err) == ("", False)
    assert "undecided" in memtui("sessions", "adopt", str(renamed), "--undo").err
    assert "may be of this project" in memtui("sessions").err
    assert memtui("sessions", "adopt", str(renamed), "--undo").code == 2


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", ["adopt", "refuse"])
def test_a_folder_whose_name_is_no_utf_8_is_remembered(memtui: Run, command: str) -> None:
    assert memtui("sessions", command, "/old-\udcff").code == 0
    assert memtui("sessions", "adopt", "/old-\udcff", "--undo").code == 0


SAID = [
    {"role": "user", "text": f"Make the lock wait. {ESCAPES}"},
    {"role": "agent", "text": "I look."},
]


def keep(project: Path) -> None:
    with open_memory(project / FOLDER) as memory:
        memory.continuation.checkpoint(
            "claude-code", SAID, "chat-1", "opus", branch="main", left_open=("Test it.",)
        )


def test_it_shows_what_was_said_last_and_how_to_go_on(memtui: Run, project: Path) -> None:
    keep(project)
    shown = memtui("sessions", "last", "claude-code")
    assert shown.code == 0
    assert "[user]: Make the lock wait." in shown.out
    assert "open: Test it." in shown.out
    assert "\x1b[31m" not in shown.out
    assert "claude --resume chat-1" in shown.err
    assert "UTC · interrupted\n" in shown.out
    with open_memory(project / FOLDER) as memory:
        memory.continuation.checkpoint("claude-code", [], "chat-1", ended=True)
    assert "UTC · ended\n" in memtui("sessions", "last", "claude-code").out


def test_a_newer_transcript_is_the_last_session(memtui: Run, project: Path, session: Path) -> None:
    assert "Why does the lock hang?" in memtui("sessions", "last").out
    keep(project)
    ago = session.stat().st_mtime - 3_600
    os.utime(session, (ago, ago))
    assert json.loads(memtui("sessions", "last", "--json").out)["chatId"] == "chat-1"
    os.utime(session, (ago + 7_200, ago + 7_200))
    newest = json.loads(memtui("sessions", "last", "--json").out)
    assert (newest["agentId"], newest["chatId"], newest["ended"]) == ("claude-code", "s-1", None)
    assert newest["messages"][-1] == {"role": "agent", "text": "It hangs no more."}


def test_programs_get_the_fields_of_a_checkpoint(memtui: Run, project: Path) -> None:
    keep(project)
    found = json.loads(memtui("recover", "--json").out)
    assert list(found) == [
        *("agentId", "savedAt", "messages", "chatId", "modelId", "branch", "open", "ended")
    ]
    assert found["messages"][1] == {"role": "agent", "text": "I look."}


@pytest.fixture
def elsewhere(session: Path, tmp_path: Path) -> Path:
    """Another project, in which a session ran too."""
    other = tmp_path / "bake\x1bry"
    (other / ".git").mkdir(parents=True)
    made = ClaudeCode(session="s-2", cwd=str(other)).user("Pick the lock.").agent("Picked.")
    session.with_name("s-2.jsonl").write_text("\n".join(made.lines))
    return other


def test_sessions_of_all_projects_are_listed_and_searched(
    memtui: Run, project: Path, elsewhere: Path
) -> None:
    listed = memtui("sessions", "--everywhere")
    assert "Pick the lock." in listed.out
    assert "Why does the lock hang?" in listed.out
    assert "\x1b" not in listed.out
    assert "memtui --dir FOLDER" in listed.err
    records = json.loads(memtui("sessions", "--everywhere", "--json").out)
    assert {record["project"] for record in records} == {str(project), str(elsewhere)}
    told = memtui("sessions", "search", "--everywhere", f"project:{project.name}", "lock")
    assert "Why does the lock hang?" in told.out
    assert "Pick" not in told.out
    hits = json.loads(memtui("sessions", "search", "--everywhere", "pick", "--json").out)["hits"]
    assert {hit["project"] for hit in hits} == {str(elsewhere)}
    assert not (project / FOLDER / SESSIONS).exists()
    assert json.loads(memtui("search", "in:sessions", "pick", "--json").out)["total"] == 0


def test_what_is_not_found_everywhere_has_a_hint(
    memtui: Run, session: Path, elsewhere: Path
) -> None:
    none = memtui("sessions", "search", "--everywhere", "kestrel")
    assert "Searched 2 sessions: `memtui sessions --everywhere` lists them." in none.err
    words = memtui("sessions", "--everywhere", "pick", "the lock")
    assert words.code == 2
    assert "`memtui sessions search pick 'the lock' --everywhere`" in words.err
    for file in session.parent.iterdir():
        file.unlink()
    none = memtui("sessions", "search", "--everywhere", "kestrel")
    assert "No agent sessions found of a project whose memory is on." in none.err


def test_one_memory_and_all_projects_are_not_asked_for_at_once(memtui: Run, project: Path) -> None:
    for command in (("sessions",), ("sessions", "search", "lock")):
        refused = memtui(*command, "--everywhere", "--dir", str(project))
        assert (refused.code, refused.out) == (2, "")
        assert "--dir names one" in refused.err
    refused = memtui("sessions", "--everywhere", "search", "lock")
    assert refused.code == 2
    assert "sessions search WORDS --everywhere" in refused.err


def test_they_are_not_where_a_setting_turns_that_off(memtui: Run, elsewhere: Path) -> None:
    assert memtui("config", "set", "sessions_everywhere", "false").code == 0
    for command in (("sessions",), ("sessions", "search", "lock")):
        refused = memtui(*command, "--everywhere")
        assert (refused.code, refused.out) == (1, "")
        assert "sessions_everywhere is off" in refused.err


def test_a_cache_that_cannot_be_written_is_named(memtui: Run, elsewhere: Path) -> None:
    cache = Path(os.environ["XDG_CACHE_HOME"])
    cache.write_text("")
    refused = memtui("sessions", "--everywhere")
    assert refused.code == 1
    assert str(cache) in refused.err
