from __future__ import annotations

import json
from pathlib import Path

from store.agents.client import Home
from store.agents.cline_tasks import NAME, task_files
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


def test_the_tasks_of_every_editor_are_found(tmp_path: Path) -> None:
    editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Elsewhere"]
    for editor in editors:
        storage = tmp_path / ".config" / editor / "User" / "globalStorage"
        folder = storage / "saoudrizwan.claude-dev" / "tasks" / editor
        folder.mkdir(parents=True)
        (folder / NAME).write_text(json.dumps(TASK), encoding="utf-8")
    found = [it.session_id for it in task_files(Home(tmp_path, {}), "cline")]
    assert found == editors[:-1]
