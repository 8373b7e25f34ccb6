"""Sessions that began as a copy of another: each word and deed belongs to one session."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from store.agents.session import Session
from store.sessions.session_file import read_file
from tests.store.agents.test_as_it_ended import codex_lines
from tests.store.agents.test_readers import lines
from tests.store.capture.transcripts import ClaudeCode


def _words(session: Session) -> list[str]:
    return [message.text for message in session.messages]


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


def _write(folder: Path, made: ClaudeCode, project: str = "-shop") -> Path:
    path = folder / project / f"{made.session}.jsonl"
    path.parent.mkdir(exist_ok=True)
    return made.write(path)


def test_a_branch_is_what_it_adds(tmp_path: Path) -> None:
    _write(tmp_path, _first())
    made = _branch(_first(), "s-2")
    made.lines += made.lines[:2]  # as some versions write them
    made.user("Now the queue", uuid="5").call("Edit", {"file_path": "queue.py"}, uuid="6")
    session = read_file(_write(tmp_path, made)).session
    assert (session.id, _words(session)) == ("s-2", ["Now the queue"])
    assert _calls(session) == ["toolu_s-2_2"]


def test_a_branch_before_its_origin_went_on(tmp_path: Path) -> None:
    """What the origin took back after it was copied stands in the copy alone."""
    origin = ClaudeCode().user("One", uuid="1").user("Two", uuid="2", parentUuid="1")
    copy = _branch(origin, "s-2").user("Three", uuid="3", parentUuid="2")
    _write(tmp_path, origin.user("Other", uuid="4", parentUuid="1"))
    assert _words(read_file(_write(tmp_path, copy)).session) == ["Two", "Three"]


def test_an_id_that_is_a_path_or_pattern_is_no_file(tmp_path: Path) -> None:
    _write(tmp_path, _first())
    for name in ("*", "../-shop/s-1", "s-1\0", "x" * 300):
        made = ClaudeCode(session="s-2", lines=[*_first(name).lines]).user("Go on", uuid="4")
        session = read_file(_write(tmp_path, made)).session
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
