from __future__ import annotations

import json
from pathlib import Path

from store.agents.client import Home
from store.agents.cline_tasks import NAME, read_task, task_files
from store.agents.formats import read_session
from store.agents.transcript import Speaker
from store.capture.steps.tools import command_of, edits_of

PLACE = "<environment_details>\n# Current Working Directory (/home/a/shop) Files\nx.py\n"


def text(told: str) -> dict[str, str]:
    return {"type": "text", "text": told}


def call(name: str, **given: str) -> dict[str, object]:
    return {"type": "tool_use", "id": f"call-{name}", "name": name, "input": given}


TASK: list[dict[str, object]] = [
    {
        "role": "user",
        "content": [text("<task>\nRound the tax once\n</task>"), text("# task_progress List"),
                    text(f"{PLACE}</environment_details>")],
        "ts": 1_770_000_000_000,
    },
    {
        "role": "assistant",
        "content": [text("<thinking>Hm.</thinking>\nI read it first."),
                    call("read_file", path="x.py"), call("execute_command", command="pytest -q")],
        "modelInfo": {"modelId": "some-model"},
    },
    {
        "role": "user",
        "content": [text("[read_file for 'x.py'] Result:\nold"),
                    text("[execute_command for 'pytest -q'] Result:\nCommand exited with code 1")],
    },
    {
        "role": "assistant",
        "content": "Now the change.\n<replace_in_file>\n<path>x.py</path>\n<diff>\nnew\n</diff>\n"
        "</replace_in_file>",
    },
    {
        "role": "user",
        "content": [text("[replace_in_file for 'x.py'] Result:\nsaved"),
                    text("<feedback>\nKeep the old name\n</feedback>")],
    },
    {
        "role": "assistant",
        "content": [call("attempt_completion", result="`x.py` rounds the sum once.")],
    },
]  # fmt: skip


def test_a_task_is_read_whole() -> None:
    session = read_session([json.dumps(TASK).encode()], session_id="7")
    assert (session.agent, session.folder, session.model) == ("cline", "/home/a/shop", "some-model")
    assert [(said.speaker is Speaker.USER, said.text) for said in session.said] == [
        (True, "Round the tax once"),
        (False, "I read it first."),
        (False, "Now the change."),
        (True, "Keep the old name"),
        (False, "`x.py` rounds the sum once."),
    ]
    read, ran, edited, _ = session.steps
    assert read.result is not None and read.result.text == "old"
    assert command_of(ran.call) == "pytest -q" and ran.failed
    assert [edit.path for edit in edits_of(edited.call)] == ["x.py"]
    assert edited.result is not None and not edited.failed
    assert not session.unread


def test_the_tasks_of_an_editor_are_found_by_where_they_began(tmp_path: Path) -> None:
    home = Home(tmp_path, {})
    tasks = tmp_path / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks"
    for name, place in (("1", "/home/a/shop"), ("2", "/home/a/other")):
        folder = tasks / name
        folder.mkdir(parents=True)
        told = json.dumps(TASK).replace("/home/a/shop", place)
        (folder / NAME).write_text(told, encoding="utf-8")
    found = [(it.session_id, it.folder) for it in task_files(home, "cline")]
    assert sorted(found) == [("1", "/home/a/shop"), ("2", "/home/a/other")]


def test_the_tasks_of_every_editor_are_found(tmp_path: Path) -> None:
    editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Elsewhere"]
    for editor in editors:
        storage = tmp_path / ".config" / editor / "User" / "globalStorage"
        folder = storage / "saoudrizwan.claude-dev" / "tasks" / editor
        folder.mkdir(parents=True)
        (folder / NAME).write_text(json.dumps(TASK), encoding="utf-8")
    found = [it.session_id for it in task_files(Home(tmp_path, {}), "cline")]
    assert found == editors[:-1]


def test_another_array_is_a_plain_conversation() -> None:
    session = read_session([b'[{"role": "user", "content": "Round the tax once"}]'])
    assert session.agent == "" and len(session.said) == 1


def test_what_is_of_nobody_is_named_and_other_blocks_are_no_calls() -> None:
    other = {"type": "image", "name": "x", "input": {}}
    messages = [{"role": "system", "content": "x"}, {"role": "assistant", "content": [other]}]
    found = [type(it).__name__ for it in read_task(messages, "cline")]
    assert found == ["SessionInfo", "Unread"]


def test_results_of_a_tool_that_was_called_twice_belong_to_their_calls() -> None:
    calls = [{**call("read_file", path=f"{at}.py"), "id": f"call-{at}"} for at in (1, 2)]
    results = [text(f"[read_file for '{at}.py'] Result:\ntext {at}") for at in (1, 2)]
    asked = [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    session = read_session([json.dumps([TASK[0], *asked]).encode()])
    told = [(it.call.call_id, it.result and it.result.text) for it in session.steps]
    assert told == [("call-1", "text 1"), ("call-2", "text 2")]
