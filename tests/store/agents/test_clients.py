"""Every client's sessions read to the same: one small session, as each of them writes it."""

from __future__ import annotations

import json
import os
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from store.agents.client import Home
from store.agents.discovery import open_session, session_files
from store.agents.formats import format_of
from store.agents.ownership import sort_sessions
from store.agents.reading import read_session
from store.agents.registry import ASKED, NAMES, client_named
from store.agents.tools import command_of, edits_of
from store.agents.transcript import Speaker
from store.language_model.program import words_of
from store.platform.project import folders_of

SAMPLES = Path(__file__).parent / "samples"
TOLD = "Totals are cents"
"""What memory told each of the sessions."""


class Row(NamedTuple):
    """A client's sample: where it stands in a home, and what its format does not tell."""

    sample: str
    client: str
    place: str
    lacks: frozenset[str] = frozenset()


ROWS = (
    Row("claude-code.jsonl", "claude-code", ".claude/projects/-home-a-shop/s-1.jsonl"),
    Row("codex.jsonl", "codex", ".codex/sessions/2026/03/01/rollout-s-1.jsonl"),
    Row("codex-code-mode.jsonl", "codex", ".codex/sessions/2026/03/01/rollout-s-2.jsonl"),
    Row(
        "gemini-cli.jsonl",
        "gemini-cli",
        ".gemini/tmp/shop/chats/session-1.jsonl",
        frozenset({"folder", "branch"}),
    ),
    Row("qwen-code.jsonl", "qwen-code", ".qwen/projects/-home-a-shop/chats/s-1.jsonl"),
    Row("opencode.json", "opencode", "", frozenset({"branch"})),
    Row("kilo.json", "kilo", "", frozenset({"branch"})),
    Row("pi.jsonl", "pi", ".pi/agent/sessions/--home-a-shop--/1_s-1.jsonl", frozenset({"branch"})),
    Row(
        "kimi.jsonl",
        "kimi",
        ".kimi-code/sessions/wd/s-1/agents/main/wire.jsonl",
        frozenset({"id", "branch"}),
    ),
    Row(
        "cursor.jsonl",
        "cursor",
        ".cursor/projects/home-a-shop/agent-transcripts/s-1/s-1.jsonl",
        frozenset({"id", "folder", "branch", "model", "times", "results"}),
    ),
    Row("copilot.jsonl", "copilot", ".copilot/session-state/s-1/events.jsonl"),
    Row(
        "cline.json",
        "cline",
        ".cline/data/sessions/s-1/s-1.messages.json",
        frozenset({"folder", "branch"}),
    ),
    Row(
        "antigravity.jsonl",
        "antigravity",
        ".gemini/antigravity-cli/brain/s-1/.system_generated/logs/transcript_full.jsonl",
        frozenset({"id", "folder", "branch"}),
    ),
    Row(
        "goose.jsonl",
        "goose",
        ".local/share/goose/sessions/s-1.jsonl",
        frozenset({"branch", "model"}),
    ),
    Row(
        "continue-dev.json",
        "continue-dev",
        ".continue/sessions/s-1.json",
        frozenset({"branch", "times"}),
    ),
    Row(
        "vscode.json",
        "vscode",
        ".config/Code/User/workspaceStorage/shop/chatSessions/s-1.json",
        frozenset({"folder", "branch"}),
    ),
    Row(
        "roo.json",
        "roo",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/s-1/"
        "api_conversation_history.json",
        frozenset({"id", "branch", "model"}),
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=[row.sample for row in ROWS])
def test_a_session_is_read_whole(row: Row) -> None:
    lines = (SAMPLES / row.sample).read_bytes().splitlines(keepends=True)
    assert format_of(lines) == row.client
    session = read_session(lines)
    assert not session.unread
    assert TOLD not in repr(session.messages)
    assert [(it.speaker, it.text) for it in session.messages] == [
        (Speaker.USER, "Make add() add in calc.py"),
        (Speaker.AGENT, "`add` subtracts its arguments."),
        (Speaker.AGENT, "The test passes: `add` adds now."),
    ]
    run, edit, *_ = session.steps
    assert command_of(run.call) == "python3 -m unittest -q"
    (done,) = edits_of(edit.call)
    assert (Path(done.path).name, done.how, done.added, done.removed) == (
        "calc.py",
        "modified",
        1,
        1,
    )
    if "results" not in row.lacks:
        assert run.has_failed
        assert run.result is not None
        assert run.result.text.endswith("AssertionError: -1 != 5\nFAILED (failures=1)")
        assert not edit.has_failed
        assert edit.result is not None
    assert session.agent == row.client
    found = {
        "id": session.id,
        "folder": session.folder,
        "branch": session.branch,
        "model": session.model,
        "times": session.ended and session.ended.isoformat(),
    }
    expected = {
        "id": "s-1",
        "folder": "/home/a/shop",
        "branch": "issue-29",
        "model": "m-1",
        "times": "2026-03-01T12:00:06+00:00",
    }
    for name in expected.keys() - row.lacks:
        assert found[name] == expected[name]


def test_a_client_is_asked_by_its_own_program() -> None:
    asked = {name: client_named(name) for name in NAMES if client_named(name).asked_by}
    assert set(asked) == set(ASKED)
    for client in asked.values():
        assert client.program in client.asked_by
        assert words_of(client.asking) == list(client.asked_by)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which every client had the sample's session, and another elsewhere."""
    for row in ROWS:
        if row.place:
            for place in (row.place, row.place.replace("shop", "other").replace("s-1", "s-9")):
                path = tmp_path / place
                path.parent.mkdir(parents=True, exist_ok=True)
                text = (SAMPLES / row.sample).read_text(encoding="utf-8")
                if place != row.place:
                    text = text.replace("/home/a/shop", "/home/a/other")
                path.write_text(text, encoding="utf-8")
    for project in ("shop", "other"):
        root = tmp_path / ".gemini" / "tmp" / project / ".project_root"
        root.parent.mkdir(parents=True, exist_ok=True)
        root.write_text(f"/home/a/{project}")
    for name, project in (("s-1", "shop"), ("s-9", "other")):
        manifest = tmp_path / f".cline/data/sessions/{name}/{name}.json"
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps({"version": 1, "cwd": f"/home/a/{project}"}))
    index = [
        json.dumps({"sessionId": name, "workDir": f"/home/a/{project}"})
        for name, project in (("s-1", "shop"), ("s-9", "other"))
    ]
    (tmp_path / ".kimi-code" / "session_index.jsonl").write_text("\n".join(index))
    for project in ("shop", "other"):
        workspace = tmp_path / f".config/Code/User/workspaceStorage/{project}/workspace.json"
        workspace.write_text(json.dumps({"folder": f"file:///home/a/{project}"}))
    history = [
        json.dumps({"conversationId": name, "workspace": f"/home/a/{project}"})
        for name, project in (("s-1", "shop"), ("s-9", "other"))
    ]
    (tmp_path / ".gemini/antigravity-cli/history.jsonl").write_text("\n".join(history))
    for name in ("opencode", "kilo"):
        database(tmp_path / ".local" / "share" / name / f"{name}.db")
    return Home(tmp_path, {})


def database(path: Path) -> None:
    """The exported sample as OpenCode's own database holds it, with a sub-agent's session."""
    whole = json.loads((SAMPLES / "opencode.json").read_text(encoding="utf-8"))
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as made:
        made.execute(
            "CREATE TABLE session (id, parent_id, directory, revert, time_created, time_updated)"
        )
        made.execute("CREATE TABLE message (id, session_id, data)")
        made.execute("CREATE TABLE part (id, message_id, session_id, data)")
        for name, parent, folder in (
            ("s-1", None, "shop"),
            ("s-9", None, "other"),
            ("s-8", "s-1", "shop"),
        ):
            times = (1772366400000, 1772366406000)
            row = (name, parent, f"/home/a/{folder}", None, *times)
            made.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)", row)
            for message in whole["messages"]:
                info = message["info"]
                key = f"{info.pop('id', '')}{name}"
                made.execute("INSERT INTO message VALUES (?, ?, ?)", (key, name, json.dumps(info)))
                for at, part in enumerate(message["parts"]):
                    part_row = (f"prt_{at}", key, name, json.dumps(part))
                    made.execute("INSERT INTO part VALUES (?, ?, ?, ?)", part_row)
                info["id"] = key.removesuffix(name)
    made.close()


def test_a_projects_sessions_are_found_in_every_client(home: Home) -> None:
    found = session_files(home, [Path("/home/a/shop")])
    expected = {row.client for row in ROWS}
    assert {file.client for file in found} == expected
    assert len(found) == len(ROWS)
    assert {it.client: it.folder for it in found if it.client in {"cline", "kimi"}} == {
        "cline": "/home/a/shop",
        "kimi": "/home/a/shop",
    }
    everything = session_files(home)
    assert len(everything) == 2 * len(ROWS) - 1
    for file in found:
        with open_session(file.path) as lines:
            assert read_session(lines, file.client, session_id=file.session_id).messages


def test_a_session_that_does_not_say_where_it_ran_is_no_other_projects(home: Home) -> None:
    began = session_files(home, [Path("/home/a/shop")])
    for path in home.path.rglob("*"):
        if path.is_file() and b"/home/a/other" in (data := path.read_bytes()):
            if path.suffix != ".db":
                path.write_bytes(data.replace(b"/home/a/other", b""))
                continue
            with sqlite3.connect(path) as made:
                made.execute("UPDATE session SET directory = '' WHERE id = 's-9'")
            made.close()
    for place in ("Code", "Cursor"):
        task = home.path / f".config/{place}/User/globalStorage/saoudrizwan.claude-dev/tasks/1"
        task.mkdir(parents=True)
        (task / "api_conversation_history.json").write_text('[{"role": "user", "content": "x"}]')
    found = session_files(home, [Path("/home/a/shop")])
    assert {it.path for it in found} == {it.path for it in began}
    assert len(session_files(home)) == 2 * len(ROWS) - 1 + 2


def test_a_project_that_was_moved_is_offered_its_sessions(home: Home, tmp_path: Path) -> None:
    moved = tmp_path / "new" / "shop"
    moved.mkdir(parents=True)
    (moved / "calc.py").write_text("")
    earlier = sort_sessions(home, folders_of(moved)).earlier
    (offered,) = [found for found in earlier if found.folder == Path("/home/a/shop")]
    assert {file.client for file in offered.files} == {row.client for row in ROWS}


@pytest.mark.parametrize(
    ("sample", "written", "expected"),
    [
        (
            "cline.task.json",
            '<explicit_instructions type="fix.md">\nMend it so.\n</explicit_instructions>\n'
            "<task>\nthe retry bug\n</task>",
            "the retry bug",
        ),
        (
            "roo.json",
            "<task>\nCommand 'fix' (see below for command content) the retry bug\n</task>\n\n"
            '<command name="fix">\nMend it so.\n</command>',
            "/fix the retry bug",
        ),
    ],
)
def test_words_after_commands_in_an_editor(sample: str, written: str, expected: str) -> None:
    """What the command stands for is nobody's words."""
    task = json.loads((SAMPLES.parent / "days" / sample).read_text(encoding="utf-8"))
    task[0]["content"][0]["text"] = written
    session = read_session([json.dumps(task).encode()])
    assert session.agent == sample.split(".")[0]
    assert session.messages[0].text == expected
    assert "Mend it so" not in repr(session.messages)


def test_a_database_is_read_and_not_written(home: Home) -> None:
    folder = home.path / ".local" / "share" / "opencode"
    before = (folder / "opencode.db").read_bytes()
    (file,) = [it for it in session_files(home, [Path("/home/a/shop")]) if it.client == "opencode"]
    assert file.path.name == "opencode.db#s-1"
    with open_session(file.path) as lines:
        session = read_session(lines)
    assert (session.id, session.folder, len(session.messages)) == ("s-1", "/home/a/shop", 3)
    assert (folder / "opencode.db").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["opencode.db"]
    with pytest.raises(FileNotFoundError, match="no session s-7"):
        open_session(folder / "opencode.db#s-7")
    with pytest.raises(FileNotFoundError, match="file not found"):
        open_session(folder / "gone.db#s-1")


def test_a_damaged_row_is_named_and_the_others_are_read(home: Home) -> None:
    path = home.path / ".local" / "share" / "kilo" / "kilo.db"
    with sqlite3.connect(path) as made:
        made.execute("UPDATE part SET data = '{' WHERE message_id = 'msg_2s-1' AND id = 'prt_3'")
    made.close()
    with open_session(path.with_name("kilo.db#s-1")) as lines:
        session = read_session(lines)
    assert (session.agent, len(session.messages)) == ("kilo", 3)
    assert [step.call.call_id for step in session.steps if not step.call.aside] == ["t2"]
    assert [(item.line, item.reason[:8]) for item in session.unread] == [(2, "not JSON")]


def test_cursors_chats_are_read_from_its_editors_database(tmp_path: Path) -> None:
    path = tmp_path / ".config/Cursor/User/globalStorage/state.vscdb"
    path.parent.mkdir(parents=True)
    ran = {"toolCallId": "t1", "name": "run_terminal_command_v2", "status": "completed"}
    edited = {"toolCallId": "t2", "name": "search_replace", "status": "completed"}
    bubbles: list[dict[str, object]] = [
        {"type": 1, "text": "Make add() add in calc.py", "modelInfo": {"modelName": "m-1"}},
        {"type": 2, "text": "`add` subtracts its arguments."},
        {
            "type": 2,
            "toolFormerData": ran
            | {
                "params": '{"command": "python3 -m unittest -q"}',
                "result": '{"output": "FAILED (failures=1)", "exitCode": 1}',
            },
        },
        {
            "type": 2,
            "toolFormerData": edited
            | {
                "rawArgs": '{"file_path": "calc.py", "old_string": "-", "new_string": "+"}',
                "result": "{",
            },
        },
        {"type": 2, "text": "The test passes."},
    ]
    chat = {
        "createdAt": 1772366400000,
        "workspaceIdentifier": {"uri": {"fsPath": "/home/a/shop"}},
        "fullConversationHeadersOnly": [{"bubbleId": f"b{at}"} for at in (0, 1, 2, 3, 9, 4, 5)],
    }
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        rows = [("composerData:c-1", json.dumps(chat)), ("composerData:c-2", "{")]
        rows += [
            (f"bubbleId:c-1:b{at}", json.dumps({"bubbleId": f"b{at}", **bubble}))
            for at, bubble in enumerate(bubbles)
        ]
        rows.append(("bubbleId:c-1:b5", '{"bubbleId": "b5", "te'))
        made.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    made.close()
    copy = tmp_path / ".cursor/projects/home-a-shop/agent-transcripts/c-1/c-1.jsonl"
    copy.parent.mkdir(parents=True)
    copy.write_text("{}")
    before = path.read_bytes()
    (file,) = session_files(Home(tmp_path, {}), [Path("/home/a/shop")])
    assert (file.client, file.path.name) == ("cursor", "state.vscdb#c-1")
    with open_session(file.path) as lines:
        session = read_session(lines)
    assert (session.id, session.folder, session.model) == ("c-1", "/home/a/shop", "m-1")
    assert [said.text for said in session.messages] == [
        "Make add() add in calc.py",
        "`add` subtracts its arguments.",
        "The test passes.",
    ]
    run, edit = session.steps
    assert (command_of(run.call), run.has_failed) == ("python3 -m unittest -q", True)
    assert [(done.path, done.added) for done in edits_of(edit.call)] == [("calc.py", 1)]
    assert len(session.unread) == 1
    assert path.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="no session c-9"):
        open_session(path.with_name("state.vscdb#c-9"))


def test_gooses_database_is_read_as_its_files(tmp_path: Path) -> None:
    _, *messages = (SAMPLES / "goose.jsonl").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "data" / "sessions" / "sessions.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE sessions (id, working_dir, session_type)")
        made.execute(
            "CREATE TABLE messages (id, session_id, role, created_timestamp, content_json)"
        )
        for name, kind in (("g-1", "user"), ("g-2", "sub_agent")):
            made.execute("INSERT INTO sessions VALUES (?, '/home/a/shop', ?)", (name, kind))
            for at, message in enumerate(map(json.loads, messages)):
                content = json.dumps(message["content"])
                row = (at, name, message["role"], message["created"], content)
                made.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", row)
        damaged = (9, "g-1", "user", 1772366409, '[{"type": "te')
        made.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", damaged)
    made.close()
    before = path.read_bytes()
    home = Home(tmp_path, {"GOOSE_PATH_ROOT": str(tmp_path)})
    (file,) = session_files(home, [Path("/home/a/shop")])
    assert (file.session_id, file.path.name) == ("g-1", "sessions.db#g-1")
    with open_session(file.path) as lines:
        session = read_session(lines, "goose")
    assert (session.id, session.folder, len(session.messages)) == ("g-1", "/home/a/shop", 3)
    assert [step.has_failed for step in session.steps] == [True, False]
    assert [item.line for item in session.unread] == [8]
    assert path.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="no session g-9"):
        open_session(path.with_name("sessions.db#g-9"))


@pytest.mark.parametrize("client", ["opencode", "kilo"])
def test_what_opencodes_sub_agents_did_belongs_to_the_session_that_started_them(
    home: Home, client: str
) -> None:
    path = home.path / ".local" / "share" / client / f"{client}.db"
    wrote = {"status": "completed", "input": {"filePath": "/home/a/shop/tax.py"}}
    ran = {"type": "tool", "tool": "write", "callID": "h1", "state": wrote}
    started = {"status": "completed", "metadata": {"sessionId": "s-8"}, "output": "Done."}
    began = {"type": "tool", "tool": "task", "callID": "t0", "state": started}
    with sqlite3.connect(path) as made:
        made.execute("DELETE FROM part WHERE session_id = 's-8'")
        made.execute("INSERT INTO session VALUES ('s-7', 's-8', '/home/a/shop', NULL, 1, 1)")
        rows = [("s-8", ran), ("s-7", ran | {"callID": "h2"})]
        rows.append(("s-1", began))
        for at, (name, part) in enumerate(rows):
            message = "msg_2s-1" if name == "s-1" else "m"
            row = (f"prt_9{at}", message, name, json.dumps(part))
            made.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    made.close()
    with open_session(path.with_name(f"{client}.db#s-1")) as lines:
        session = read_session(lines)
    assert [(it.call.call_id, it.call.aside) for it in session.steps] == [
        ("t1", False),
        ("t0", False),
        ("h1", True),
        ("t2", False),
        ("h2", True),
    ]
    assert len(session.messages) == 3


def test_aiders_history_is_read_chat_by_chat(tmp_path: Path) -> None:
    text = (SAMPLES / "aider.md").read_text(encoding="utf-8")
    later = "# aider chat started at 2026-03-02 09:00:00\n\n#### Now subtract  \n\nNo.\n"
    history = tmp_path / ".aider.chat.history.md"
    history.write_text(f"\n{text}\n{later}", encoding="utf-8")
    with history.open("rb") as lines:
        assert format_of(lines.readlines()) == "aider"
    second, first = session_files(Home(tmp_path / "home", {}), [tmp_path])
    assert (first.session_id, second.session_id) == ("2026-03-01 12:00:00", "2026-03-02 09:00:00")
    assert first.modified == datetime.fromisoformat(second.session_id).astimezone()
    with open_session(first.path) as lines:
        session = read_session(lines)
    assert (session.agent, session.model, session.id) == ("aider", "m-1", first.session_id)
    assert session.ended == datetime.fromisoformat(first.session_id).astimezone()
    asked, said, end = session.messages
    assert (asked.speaker, asked.text) == (Speaker.USER, "Make add() add in calc.py")
    assert said.text.startswith("`add` subtracts its arguments.")
    assert end.text == "The test passes: `add` adds now."
    run, edit = session.steps
    assert command_of(run.call) == "python3 -m unittest -q"
    (done,) = edits_of(edit.call)
    assert (done.path, done.added, done.removed) == ("calc.py", 1, 1)
    with open_session(second.path) as lines:
        assert [it.text for it in read_session(lines).messages] == ["Now subtract", "No."]
    with pytest.raises(FileNotFoundError, match="no chat started at never"):
        open_session(history.with_name(f"{history.name}#never"))


@pytest.mark.data
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.client not in {"claude-code", "cursor"}]
)
def test_files_that_the_real_clients_wrote(row: Row) -> None:
    beside = Path(__file__).parents[4] / "shared"
    folder = Path(os.environ.get("MEMTUI_DATA") or beside) / "clients" / "transcripts"
    found = sorted(folder.glob(f"{row.client}-*[0-9l]*.json*")) if folder.is_dir() else []
    found = [path for path in found if "index" not in path.name]
    if not found:
        pytest.skip(f"needs clients/transcripts/{row.client}* of the larger data sets")
    for path in found:
        with path.open("rb") as lines:
            session = read_session(lines)
        assert session.agent == row.client
        assert (
            session.messages[0].text.strip('"').startswith(("The test of calc.py", "Fix the test"))
        )
        assert session.messages[-1].text.startswith("The test passes now.")
        changed = [edit.path for step in session.steps for edit in edits_of(step.call)]
        assert {Path(path).name for path in changed} == {"calc.py"}
        assert "MEMTUI-PINNED-MARK" not in repr(session.messages)
        assert not session.unread
