"""With `review = "before"`, no agent is given what nobody approved: whatever was done before."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from memtui.hooks.call import parse_input
from memtui.hooks.next_session import next_session, request_at_start
from memtui.hooks.run import run_hook
from memtui.serve.mcp.server import Server as McpServer
from memtui.serve.rpc.server import Server as RpcServer
from store import open_memory
from store.backends.location import FOLDER
from store.errors import Conflict
from store.inbox.entry import Entry
from store.operations.apply import Applied
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation

_MARK = re.compile(r"zq\d+x")
"""A word that one text has."""
_AGENT = "a1"
_FILE = "gates/kestrel.py"
_ERROR = "Traceback (most recent call last):\nTypeError: unsupported kestrel gate"


class _State(NamedTuple):
    """What memory holds, by the marks of its texts, and what it ever held with a person's word."""

    held: Counter[str]
    approved: frozenset[str]

    def after(self, gone: list[str], come: list[str]) -> _State:
        return _State(self.held - Counter(gone) + Counter(come), self.approved | {*come})


def _marks(text: str) -> list[str]:
    return sorted(set(_MARK.findall(text)))


class ReviewMachine(RuleBasedStateMachine):
    """Agents write, a person reviews; then all is asked that agents are answered."""

    def __init__(self) -> None:
        super().__init__()
        self._patches = (
            mock.patch.object(os, "fsync", lambda descriptor: None),
            mock.patch("memtui.hooks.run.start_indexing", lambda path: False),
            mock.patch("memtui.hooks.next_session.is_running", lambda process: False),
        )
        for patch in self._patches:
            patch.start()
        self._home = TemporaryDirectory()
        self.root = Path(self._home.name) / "shop"
        (self.root / ".git").mkdir(parents=True)
        (self.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        folder = self.root / FOLDER
        folder.mkdir(parents=True)
        (folder.parent / "memtui.toml").write_text(
            'review = "before"\n[capacities]\nsemantic = 1\n'
        )
        self._environ = mock.patch.dict(
            os.environ, {"XDG_CACHE_HOME": f"{self._home.name}/cache", "HOME": self._home.name}
        )
        self._environ.start()
        self.memory = open_memory(folder)
        self.mcp = McpServer(lambda: self.memory, "1")
        self.rpc = RpcServer(lambda: self.memory)
        self.state = _State(Counter(), frozenset())
        self.done: list[tuple[str, _State]] = []
        self.count = 0
        for agent in ("user", _AGENT, _AGENT):
            self.person_adds(agent)

    def teardown(self) -> None:
        self.memory.close()
        self._environ.stop()
        for patch in self._patches:
            patch.stop()
        self._home.cleanup()

    # What agents do.

    @rule()
    def agent_adds(self) -> None:
        answer = self.tool("memory_add", content=self.text(), category="decision")
        assert answer["waiting"]

    @rule()
    def agent_stores(self) -> None:
        response = f"## Decisions\n- {self.text()}\n"
        given = {
            "id": f"i{self.count}",
            "query": self.text(),
            "response": response,
            "timestamp": "2026-03-01T12:00:00Z",
        }
        assert self.ask("memory.store", interaction=given)["waiting"]

    @rule(at=st.integers(0, 9))
    def agent_updates(self, at: int) -> None:
        if identifier := self.an_id(at):
            answer = self.tool("memory_update", id=identifier, content=self.text())
            assert not answer["done"]

    @rule(at=st.integers(0, 9))
    def agent_removes(self, at: int) -> None:
        if identifier := self.an_id(at):
            assert not self.tool("memory_remove", id=identifier)["done"]

    @rule(at=st.integers(0, 9), how=st.sampled_from(["delete", "forget", "update", "prune"]))
    def agent_changes_its_own(self, at: int, how: str) -> None:
        identifier = self.an_id(at, _AGENT)
        if how == "prune":
            self.ask("memory.prune", strategy="oldest_first")
        elif identifier and how == "update":
            updates = {"content": self.text()}
            self.ask("memory.update", memory_id=identifier, updates=updates)
        elif identifier:
            self.ask("memory.delete", memory_id=identifier, forget=how == "forget")

    @rule(at=st.integers(0, 9))
    def agent_notes_an_outcome(self, at: int) -> None:
        if identifier := self.an_id(at):
            self.tool("memory_outcome", id=identifier, helped=False, note=self.text())

    @rule(hook=st.sampled_from(["session-end", "pre-compact", "post-compact", "stop"]))
    def session_ends(self, hook: str) -> None:
        session = ClaudeCode(session=f"s{self.count}", cwd=str(self.root), branch="main")
        session.user(f"Never forget: {self.text()}").edit(_FILE).agent(self.text())
        path = session.write(self.root.parent / f"{session.session}.jsonl")
        summary = f"Key Technical Concepts:\n- {self.text()}\n\nErrors and fixes:\n- {self.text()}"
        self.hook(
            hook,
            session_id=session.session,
            transcript_path=str(path),
            compact_summary=summary,
        )

    # What a person does.

    @rule(agent=st.sampled_from(["user", _AGENT]))
    def person_adds(self, agent: str) -> None:
        text = self.text()
        report = self.memory.add([observation(text, agent=agent, issue_number=0)])
        self.keep(report.operation_id, self.state.after([], _marks(text)))

    @rule(at=st.integers(0, 9))
    def person_approves(self, at: int) -> None:
        if entry := self.an_entry(at):
            with suppress(Conflict):
                self.approved([entry], self.memory.inbox.approve([entry.id]))

    @rule()
    def person_approves_all(self) -> None:
        entries = [entry for entry in self.entries() if not entry.memory]
        if entries:
            self.approved(entries, self.memory.inbox.approve([entry.id for entry in entries]))

    @rule(at=st.integers(0, 9))
    def person_takes_back(self, at: int) -> None:
        if entry := self.an_entry(at):
            self.keep(self.memory.inbox.take_back([entry.id]).operation_id, self.state)

    @rule(at=st.integers(0, 9))
    def person_edits(self, at: int) -> None:
        entry = self.an_entry(at)
        if entry and entry.after:
            with suppress(Conflict):
                applied = self.memory.inbox.edit(entry.id, self.text())
                self.keep(applied.operation_id, self.state)

    @rule()
    def person_undoes(self) -> None:
        if self.done:
            operation, before = self.done.pop()
            try:
                self.memory.undo(operation)
                self.state = before
            except Conflict:  # it was changed, or proposed again, meanwhile
                self.done.clear()

    # What is true then.

    @invariant()
    def memory_holds_what_was_approved(self) -> None:
        assert Counter(
            mark
            for issue in self.memory.backend.issues()
            for held in self.memory.by_issue(issue)
            for mark in _marks(held.content)
        ) == (+self.state.held)

    @invariant()
    def agents_are_given_nothing_else(self) -> None:
        for name, answer in self.answers():
            given = set(_MARK.findall(answer))
            assert given <= self.state.approved, name

    def answers(self) -> Iterator[tuple[str, str]]:
        ids = [held.id for issue in self.memory.backend.issues() for held in self.held(issue)]
        waiting = [name for entry in self.entries() for name in (entry.id, entry.memory) if name]
        said = [hit.entry.id for hit in self.memory.search("in:sessions kestrel", 5).hits]
        asked = [*said, *ids, *waiting]
        yield "search", json.dumps(self.tool("memory_search", query="kestrel", limit=20))
        yield "all", json.dumps(self.tool("memory_search", query="", limit=20))
        yield "sessions", json.dumps(self.tool("memory_search", query="in:sessions kestrel"))
        yield "everywhere", json.dumps(self.tool("memory_search", query="in:all kestrel"))
        yield "get", json.dumps(self.tool("memory_get", ids=asked[:20], all=True))
        yield "context", json.dumps(self.tool("memory_context", task="Open the kestrel gate"))
        yield "files", json.dumps(self.tool("memory_for_files", paths=[_FILE]))
        recall = self.request("prompts/get", name="recall", arguments={"task": "kestrel gate"})
        yield "prompt", json.dumps(recall)
        for name in asked:
            read = self.request("resources/read", uri=f"memtui://memory/{name}")
            yield "resource", json.dumps(read)
        types = ["working", "episodic", "semantic", "procedural"]
        yield (
            "retrieve",
            json.dumps(self.ask("memory.retrieve", query="kestrel", memory_types=types)),
        )
        yield "get_context", json.dumps(self.ask("memory.get_context", query="kestrel gate"))
        yield "list", json.dumps(self.ask("memory.list"))
        yield "rpc search", json.dumps(self.ask("memory.search", query="in:sessions kestrel"))
        yield "agents", json.dumps(self.ask("memory.agents"))
        coming = next_session("claude-code", self.root, {})
        yield "told", self.memory.recall.plan(request_at_start(self.memory, coming)).text
        session = f"new{self.count}"
        yield "start", self.hook("session-start", session_id=session, source="startup")
        prompt = "How is the kestrel gate opened?"
        yield "user-prompt", self.hook("user-prompt", session_id=session, prompt=prompt)
        path = {"file_path": str(self.root / _FILE)}
        yield (
            "before edit",
            self.hook("pre-tool-use", session_id="x", tool_name="Edit", tool_input=path),
        )
        yield (
            "after failure",
            self.hook("post-tool-use", session_id="x", tool_name="Bash", error=_ERROR),
        )

    # How.

    def text(self) -> str:
        """Return a new text, with a mark of its own."""
        self.count += 1
        return (
            f"The kestrel gate zq{self.count}x in {_FILE} is opened slowly, because "
            f"`{_ERROR[-30:]}` comes of haste number {self.count}."
        )

    def held(self, issue: int) -> list[Any]:
        return self.memory.by_issue(issue)

    def an_id(self, at: int, agent: str = "") -> str:
        found = [
            held.id
            for issue in sorted(self.memory.backend.issues())
            for held in self.held(issue)
            if agent in ("", held.agent)
        ]
        return found[at % len(found)] if found else ""

    def entries(self) -> list[Entry]:
        return [*self.memory.inbox.waiting().entries]

    def an_entry(self, at: int) -> Entry | None:
        entries = self.entries()
        return entries[at % len(entries)] if entries else None

    def approved(self, entries: list[Entry], applied: Applied) -> None:
        gone = [mark for entry in entries for mark in _marks(entry.before)]
        come = [mark for entry in entries for mark in _marks(entry.after)]
        self.keep(applied.operation_id, self.state.after(gone, come))

    def keep(self, operation: str, state: _State) -> None:
        if operation:
            self.done.append((operation, self.state))
        self.state = state

    def hook(self, name: str, **fields: object) -> str:
        given = {"cwd": str(self.root), "hook_event_name": "Event", **fields}
        parsed = parse_input(json.dumps(given))
        assert parsed is not None
        return run_hook(name, parsed, "claude-code", {}, Path(self._home.name))

    def request(self, method: str, **params: object) -> Mapping[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer: Mapping[str, Any] = json.loads(self.mcp.answer(json.dumps(message).encode()))
        return answer

    def tool(self, name: str, **arguments: object) -> Mapping[str, Any]:
        result = self.request("tools/call", name=name, arguments=arguments)["result"]
        found: Mapping[str, Any] = result.get("structuredContent", result)
        return found

    def ask(self, method: str, **params: object) -> Mapping[str, Any]:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": params,
            "a2a_context": {"source_agent": _AGENT},
        }
        answer = json.loads(self.rpc.answer(json.dumps(message).encode(), "*"))
        assert "error" not in answer, answer
        result: Mapping[str, Any] = answer["result"]
        return result


def test_agents_are_given_only_what_was_approved() -> None:
    """A failure is shown as it was found: to shorten it takes minutes."""
    run_state_machine_as_test(
        ReviewMachine,
        settings=settings(max_examples=10, stateful_step_count=15, phases=[Phase.generate]),
    )
