"""What transcripts hold beside messages: what was added late, copied, or said by helpers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from store.agents.client import Home
from store.agents.discovery import open_session, session_files, transcripts_in
from store.agents.reading import read_session
from store.agents.session import Session
from store.agents.tools import edits_of
from store.sessions.conversation import EntryKind, entries_of
from store.sessions.digest import files_of, passages_of
from store.sessions.session_file import read_file
from tests.store.agents.test_readers import lines
from tests.store.capture.transcripts import ClaudeCode


def _read(made: ClaudeCode) -> Session:
    return read_session(f"{line}\n".encode() for line in made.lines)


def _words(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def test_a_rewound_turn_is_left_out() -> None:
    made = (
        ClaudeCode()
        .user("Lock the jobs", uuid="1")
        .agent("In Redis?", uuid="2", parentUuid="1")
        .user("Yes, in Redis", uuid="3", parentUuid="2")
        .call("Edit", {"file_path": "redis.py"}, uuid="4", parentUuid="3")
        .user("No, in Postgres", uuid="5", parentUuid="2")
        .agent("Done", uuid="6", parentUuid="5")
    )
    assert _words(_read(made)) == ["Lock the jobs", "In Redis?", "No, in Postgres", "Done"]
    assert _read(made).steps == ()


def test_a_turn_that_was_returned_to_is_kept() -> None:
    made = (
        ClaudeCode()
        .user("One", uuid="1")
        .user("Two", uuid="2", parentUuid="1")
        .user("Other", uuid="3", parentUuid="1")
        .user("Three", uuid="4", parentUuid="2")
    )
    assert _words(_read(made)) == ["One", "Two", "Three"]


def test_compaction_does_not_break_the_chain() -> None:
    made = (
        ClaudeCode()
        .user("One", uuid="1")
        .user("Taken back", uuid="2", parentUuid="1")
        .user("Two", uuid="3", parentUuid="1")
        .line("system", subtype="compact_boundary", uuid="4", logicalParentUuid="3")
        .user("It was about one and two", uuid="5", parentUuid="4", isCompactSummary=True)
        .user("Three", uuid="6", parentUuid="5")
    )
    assert _words(_read(made)) == ["One", "Two", "Three"]


def test_what_the_program_answers_itself_is_no_answer() -> None:
    own = {"role": "assistant", "model": "<synthetic>"}
    content = [{"type": "text", "text": "No response requested."}]
    made = ClaudeCode().user("One").agent("Done.").line("assistant", {**own, "content": content})
    assert _words(_read(made)) == ["One", "Done."]


def _queued(made: ClaudeCode, text: str, mode: str = "prompt") -> ClaudeCode:
    attachment = {"type": "queued_command", "prompt": text, "commandMode": mode}
    return made.line("attachment", attachment=attachment, uuid=text, parentUuid="1")


def test_a_prompt_typed_while_the_agent_worked() -> None:
    made = ClaudeCode().user("Add a page", uuid="1")
    made.line("queue-operation", operation="enqueue", content="Never in cookies")
    _queued(made, "Never in cookies").line("queue-operation", operation="remove")
    _queued(made, "A task ended", mode="task-notification").agent("Done", uuid="2", parentUuid="1")
    assert _words(_read(made)) == ["Add a page", "Never in cookies", "Done"]


@pytest.mark.parametrize(
    ("operations", "read"),
    [
        (("enqueue One", "enqueue Two", "dequeue"), ["Two"]),  # the first stands as a message
        (("enqueue One", "enqueue Two", "popAll"), []),  # back in the box, to be edited
        (("dequeue", "enqueue One"), ["One"]),
        (("enqueue One", 'enqueue {"task_id":"b1","task_type":"local_bash"}', "remove"), []),
        (('enqueue {"task_id":"b1"}', "enqueue One", "dequeue"), []),
    ],
)
def test_a_prompt_still_in_the_queue(operations: tuple[str, ...], read: list[str]) -> None:
    made = ClaudeCode().user("Add a page")
    for operation in operations:
        name, _, text = operation.partition(" ")
        made.line("queue-operation", operation=name, content=text)
    assert _words(_read(made)) == ["Add a page", *read]


def codex_lines(*turns: str) -> list[bytes]:
    """A rollout in which each turn is asked and answered; `-2` takes the last two back."""
    records: list[object] = [{"type": "session_meta", "payload": {"id": "c", "cwd": "/work"}}]
    for turn in turns:
        if turn.startswith("-"):
            payload = {"type": "thread_rolled_back", "num_turns": int(turn[1:])}
            records.append({"type": "event_msg", "payload": payload})
            continue
        context = f"<environment_context>{turn}</environment_context>"
        for role, text in (("user", context), ("user", turn), ("assistant", f"{turn}!")):
            payload = {"type": "message", "role": role, "content": [{"text": text}]}
            records.append({"type": "response_item", "payload": payload})
    return lines(*records)


@pytest.mark.parametrize(
    ("turns", "read"),
    [
        (("a", "b", "-1", "c"), ["a", "a!", "c", "c!"]),
        (("a", "b", "c", "-2", "d"), ["a", "a!", "d", "d!"]),
        (("a", "-9", "b"), ["b", "b!"]),
        (("a", "-0"), ["a", "a!"]),
    ],
)
def test_codex_turns_that_were_taken_back(turns: tuple[str, ...], read: list[str]) -> None:
    assert _words(read_session(codex_lines(*turns))) == read


def _kimi(content: object, **origin: object) -> dict[str, object]:
    message = {"role": "user", "content": content, "origin": {"kind": "user", **origin}}
    return {"type": "context.append_message", "agentId": "main", "message": message}


def _kimi_words(*records: Mapping[str, object]) -> list[str]:
    head = {"type": "metadata", "protocol_version": "1.5"}
    return _words(read_session(lines(head, *records)))


def test_kimis_turns_that_were_taken_back() -> None:
    """A prompt that was typed within a turn goes with it; nothing goes from before a summary."""
    undo = {"type": "context.undo", "agentId": "main", "count": 1}
    turn = (_kimi("In Redis"), _kimi("at once", inTurn=True))
    assert _kimi_words(_kimi("Lock"), *turn, undo, _kimi("In Postgres")) == ["Lock", "In Postgres"]
    assert _kimi_words(_kimi("Lock"), *turn, undo | {"count": 2}) == []
    compacted = {"type": "context.apply_compaction", "summary": "It is locked"}
    assert _kimi_words(_kimi("Lock"), compacted, undo) == ["Lock"]


def test_words_after_kimis_commands() -> None:
    """The skill's own text, which stands before them, is nobody's words."""
    slash = {"trigger": "user-slash"}
    skill = _kimi("Mend it so", kind="skill_activation", skillName="fix", skillArgs="a b", **slash)
    of_plugin = {"pluginId": "p", "commandName": "ship", "commandArgs": "it"}
    assert _kimi_words(skill, _kimi("", kind="plugin_command", **of_plugin, **slash)) == [
        "/fix a b",
        "/p:ship it",
    ]
    by_model = _kimi("Mend it so", kind="skill_activation", skillName="fix", trigger="model-tool")
    parts = [{"type": "text", "text": text} for text in ("Mend it so", "the retry bug")]
    bundled = _kimi(parts, skillActivations=[{"name": "fix"}])
    assert _kimi_words(by_model, bundled) == ["the retry bug"]


# Sessions that began as a copy of another: each word and deed belongs to one session.


def _calls(session: Session) -> list[str]:
    return [step.call.call_id for step in session.steps]


def _first(session: str = "s-1") -> ClaudeCode:
    made = ClaudeCode(session=session).user("Lock the jobs", uuid="1")
    return made.call("Edit", {"file_path": "lock.py"}, uuid="2").agent("Locked", uuid="3")


def _branch(made: ClaudeCode, session: str) -> ClaudeCode:
    """A session as `/branch` copies it: under its own id, each line with where it came from."""
    copied = []
    for line in map(json.loads, made.lines):
        fork = {"sessionId": line["sessionId"], "messageUuid": line.get("uuid")}
        copied.append(json.dumps(line | {"sessionId": session, "forkedFrom": fork}))
    return ClaudeCode(session=session, lines=copied, calls=made.calls)


def _put(folder: Path, made: ClaudeCode, project: str = "-shop") -> Path:
    path = folder / project / f"{made.session}.jsonl"
    path.parent.mkdir(exist_ok=True)
    return made.write(path)


def test_a_branch_is_what_it_adds(tmp_path: Path) -> None:
    _put(tmp_path, _first())
    made = _branch(_first(), "s-2")
    made.lines += made.lines[:2]  # as some versions write them
    made.user("Now the queue", uuid="5").call("Edit", {"file_path": "queue.py"}, uuid="6")
    session = read_file(_put(tmp_path, made)).session
    assert (session.id, _words(session)) == ("s-2", ["Now the queue"])
    assert _calls(session) == ["toolu_s-2_2"]


def test_a_branch_before_its_origin_went_on(tmp_path: Path) -> None:
    """What the origin took back after it was copied stands in the copy alone."""
    origin = ClaudeCode().user("One", uuid="1").user("Two", uuid="2", parentUuid="1")
    copy = _branch(origin, "s-2").user("Three", uuid="3", parentUuid="2")
    _put(tmp_path, origin.user("Other", uuid="4", parentUuid="1"))
    assert _words(read_file(_put(tmp_path, copy)).session) == ["Two", "Three"]


def test_an_id_that_is_a_path_or_pattern_is_no_file(tmp_path: Path) -> None:
    _put(tmp_path, _first())
    for name in ("*", "../-shop/s-1", "s-1\0", "x" * 300):
        made = ClaudeCode(session="s-2", lines=[*_first(name).lines]).user("Go on", uuid="4")
        session = read_file(_put(tmp_path, made)).session
        assert _words(session) == ["Lock the jobs", "Locked", "Go on"], name


def _fork(name: str, origin: str, said: Iterable[bytes], at: str) -> bytes:
    """A rollout that begins as a copy of another, at the time of the copy."""
    meta = {"type": "session_meta", "payload": {"id": name, "forked_from_id": origin}}
    timed = [json.loads(line) | {"timestamp": f"2026-11-{at}T10:00:00Z"} for line in said]
    return b"".join(lines(meta, *timed))


def test_codex_forks(tmp_path: Path) -> None:
    days = tmp_path / "sessions/2026/11"
    for name in ("27", "28"):
        (days / name).mkdir(parents=True)
    said = codex_lines("Split the report", "-1", "Split it", "Test it")
    (days / "27/rollout-27-c.jsonl").write_bytes(b"".join(said))
    fork = days / "28/rollout-28-d.jsonl"
    fork.write_bytes(_fork("d", "c", [*said[:-3], *codex_lines("Name it")[1:]], "28"))
    session = read_file(fork).session
    assert (session.id, _words(session)) == ("d", ["Name it", "Name it!"])
    archived = tmp_path / "archived_sessions"
    archived.mkdir()
    (days / "27/rollout-27-c.jsonl").rename(archived / "rollout-27-c.jsonl")
    assert _words(read_file(fork).session) == ["Name it", "Name it!"]
    (archived / "rollout-27-c.jsonl").unlink()
    assert _words(read_file(fork).session) == ["Split it", "Split it!", "Name it", "Name it!"]


def test_pis_forks(tmp_path: Path) -> None:
    """They keep the ids and times of what they copy, and name the file that it is from."""
    said = (Path(__file__).parent / "samples" / "pi.jsonl").read_text()
    first = tmp_path / "--shop--" / "2026-03-01_s-1.jsonl"
    fork = tmp_path / "--other--" / "2026-03-02_s-2.jsonl"
    header = {"type": "session", "version": 3, "id": "s-2", "parentSession": str(first)}
    message = {"role": "user", "content": "And subtract"}
    added = {"type": "message", "id": "z", "parentId": "i", "message": message}
    first.parent.mkdir()
    first.write_text(said)
    fork.parent.mkdir()
    fork.write_text("\n".join([json.dumps(header), *said.splitlines()[1:], json.dumps(added)]))
    session = read_file(fork).session
    assert (session.id, _words(session), _calls(session)) == ("s-2", ["And subtract"], [])
    first.unlink()
    assert len(read_file(fork).session.messages) == 4


def test_qwens_forks(tmp_path: Path) -> None:
    """Each line that they copy names where it is from."""
    said = (Path(__file__).parent / "samples" / "qwen-code.jsonl").read_text()
    first, fork = (tmp_path / f"-{name}/chats/{name}.jsonl" for name in ("s-1", "s-2"))
    of_first = {"sessionId": "s-1", "messageUuid": "1"}
    copied = [{**json.loads(line), "sessionId": "s-2"} for line in said.splitlines()]
    message = {"role": "user", "parts": [{"text": "And subtract"}]}
    added = {**copied[0], "uuid": "z", "parentUuid": "9", "message": message}
    forked = [record | {"forkedFrom": of_first} for record in copied]
    for path, text in ((first, said), (fork, b"".join(lines(*forked, added)).decode())):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    session = read_file(fork).session
    assert (session.id, _words(session), _calls(session)) == ("s-2", ["And subtract"], [])


def test_kimis_forks(tmp_path: Path) -> None:
    """Their state names the session that they copied."""
    said = (Path(__file__).parent / "samples" / "kimi.jsonl").read_text()
    message = {"role": "user", "content": "And subtract", "origin": {"kind": "user"}}
    added = json.dumps({"type": "context.append_message", "message": message})
    for name, text in (("s-1", said), ("s-2", f"{said}{added}")):
        path = tmp_path / "wd" / name / "agents" / "main" / "wire.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "wd/s-2/state.json").write_text(json.dumps({"forkedFrom": "s-1"}))
    session = read_file(path).session
    assert (session.id, _words(session), _calls(session)) == ("s-2", ["And subtract"], [])


# Sub-agents that write files of their own: their work belongs to the session that started them.


def _write_text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def _claude(folder: Path) -> Session:
    main = ClaudeCode().user("Mend the search").call("Agent", {"prompt": "mend"}, "Done.")
    helper = ClaudeCode(session="s-1", calls=7)
    helper.line("user", {"content": "mend"}, isSidechain=True, agentId="a1")
    edit: dict[str, object] = {"file_path": f"{helper.cwd}/db/index.sql"}
    helper.call("Edit", edit, isSidechain=True, agentId="a1")
    helper.agent("No index\non it", isSidechain=True, agentId="a1")
    main.lines.append(ClaudeCode(lines=[""] * 90).agent("The helper is done").lines[-1])
    _write_text(folder / "s-1" / "subagents" / "agent-a1.jsonl", "\n".join(helper.lines))
    return read_file(_write_text(folder / "s-1.jsonl", "\n".join(main.lines))).session


def test_claude_code(tmp_path: Path) -> None:
    session = _claude(tmp_path)
    assert list(files_of(session, ()).changed) == ["db/index.sql"]
    assert [message.text for message in session.messages] == [
        "Mend the search",
        "The helper is done",
    ]
    assert [message.text for message in session.aside] == ["No index\non it"]
    edit = session.steps[-1]
    assert edit.call.aside
    assert edit.after is not None, "it was done before the last message, though its file comes last"


def test_their_words_are_searched_and_folded(tmp_path: Path) -> None:
    session = _claude(tmp_path)
    assert "No index\non it" in [passage.text for passage in passages_of(session)]
    (folded,) = [entry for entry in entries_of(session) if entry.name == "sub-agent"]
    assert (folded.kind, folded.text, folded.output) == (
        EntryKind.TOOL,
        "No index",
        "No index\non it",
    )


FILES = {
    "gemini-cli": ("chats/session-2026-03-01T12-00-s-1.jsonl", "chats/s-1/h-1.jsonl"),
    "qwen-code": ("chats/s-1.jsonl", "subagents/s-1/agent-h-1.jsonl"),
    "kimi": ("agents/main/wire.jsonl", "agents/agent-1/wire.jsonl"),
    "cursor": ("agent-transcripts/s-1/s-1.jsonl", "agent-transcripts/s-1/subagents/h-1.jsonl"),
    "cline": ("sessions/s-1/s-1.messages.json", "sessions/s-1/helper.messages.json"),
}
"""Where a client has the file of a session, and that of a sub-agent which it started."""


@pytest.mark.parametrize("client", FILES)
def test_other_clients(tmp_path: Path, client: str) -> None:
    (found,) = (Path(__file__).parent / "samples").glob(f"{client}.json*")
    sample = found.read_text()
    own, other = FILES[client]
    path = _write_text(tmp_path / own, sample)
    alone = read_file(path).session
    helper = sample.replace("calc.py", "tax.py").replace('"t1"', '"h1"').replace('"t2"', '"h2"')
    helper = helper.replace('sessionId": "s-1', 'sessionId": "h-1').replace('"main"', '"agent-1"')
    _write_text(tmp_path / other, helper.replace("The test passes", "The tax is right"))
    _write_text(tmp_path / other.replace("s-1", "s-9").replace("agents/", "other/"), helper)
    session = read_file(path).session
    assert (session.id, session.messages) == (alone.id, alone.messages)
    assert [message.text for message in session.aside] == [
        "`add` subtracts its arguments.",
        "The tax is right: `add` adds now.",
    ]
    calls = [step.call for step in session.steps]
    assert sorted((edit.path, call.aside) for call in calls for edit in edits_of(call)) == [
        ("/home/a/shop/calc.py", False),
        ("/home/a/shop/tax.py", True),
    ]
    assert len({call.line for call in calls}) == 4, "their lines count on"
    if found.suffix == ".jsonl":
        assert session.aside[0].line == alone.messages[1].line + len(sample.splitlines())
    assert tmp_path / other not in [file.path for file in transcripts_in(tmp_path)]


def _rollout(name: str, parent: str, *more: object) -> str:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent}}} if parent else "cli"
    payload = {"id": name, "cwd": "/work", "source": spawn, "parent_thread_id": parent}
    return b"".join(lines({"type": "session_meta", "payload": payload}, *more)).decode()


def _patch(call: str, path: str) -> dict[str, object]:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"
    payload = {"type": "custom_tool_call", "name": "apply_patch", "call_id": call, "input": patch}
    return {"type": "response_item", "payload": payload}


def test_codex(tmp_path: Path) -> None:
    day = tmp_path / ".codex/sessions/2026/11/27"
    said = [json.loads(line) for line in codex_lines("Split the report")[1:]]
    own = _patch("c1", "report.py")
    parent = _write_text(day / "rollout-1.jsonl", _rollout("p", "", *said, own))
    _write_text(day / "rollout-2.jsonl", _rollout("c", "p", own, _patch("c2", "csv.py")))
    _write_text(day.parent / "28/rollout-3.jsonl", _rollout("g", "c", _patch("c3", "bom.py")))
    _write_text(day / "rollout-4.jsonl", _rollout("x", "other", _patch("c4", "other.py")))
    (found,) = session_files(Home(tmp_path, {}))
    assert found.path == parent
    session = read_file(parent).session
    assert session.id == "p"
    assert [(step.call.call_id, step.call.aside) for step in session.steps] == [
        ("c1", False),
        ("c2", True),
        ("c3", True),
    ]
    nameless = _write_text(day / "rollout-5.jsonl", _rollout("", "", *said))
    with open_session(nameless) as alone:
        assert len(list(alone)) == len(nameless.read_text().splitlines()), "it started none"
    with open_session(day / "rollout-2.jsonl") as alone:
        assert len(list(alone)) == 6, "its own three lines, a mark, the two of the one it started"
