"""A project with a memory, and the doors through which a clause is run."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import pytest

from memtui.cli.main import run
from memtui.hooks.call import HookInput
from memtui.hooks.run import run_hook
from memtui.serve.mcp.server import Server as McpServer
from memtui.serve.rpc.server import Server as RpcServer
from store import Memory, Observation, open_memory
from store.events import ContextCompacted
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""A secret, as far as anyone can see."""

WORK = (
    "Mend the lock of the shop.",
    "We decided to use SQLite for the shop, because nobody runs a database server here.",
)
"""What a user asked and an agent answered."""

SUMMARY = """\
## Decisions
- Chose per-issue files over one database
## Code Changes
- Created store/locks.py for the marker
## Errors Found
- Lock timeout on manifest.json after 5 retries
"""
"""A conversation, compacted."""


class Outcome(NamedTuple):
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


class World:
    """A project folder under git, its memory, and a clock that stands at noon of 1 March 2026."""

    def __init__(self, root: Path, place: str = ".agentx/memory") -> None:
        self.root, self.home = root / "shop", root
        (self.root / ".git").mkdir(parents=True)
        (self.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.path = self.root / place
        self.clock = Clock()

    @cached_property
    def memory(self) -> Memory:
        """The memory, open, at the clock's time."""
        return open_memory(self.path, cache=self.home / "cache", clock=self.clock)

    @cached_property
    def server(self) -> RpcServer:
        return RpcServer(lambda: self.memory, self.clock)

    def add(self, *contents: str, **fields: Any) -> list[str]:  # noqa: ANN401
        """Store memories of the engineer on issue 29; their ids."""
        usual: dict[str, Any] = {"agent": "engineer", "issue_number": 29, "category": "decision"}
        return self.memory.store([Observation(**usual | fields, content=it) for it in contents])

    def summarise(self, summary: str = SUMMARY, agent: str = "engineer") -> None:
        """Tell memory that the conversation of an agent on issue 29 was compacted."""
        self.memory.events.emit(
            ContextCompacted(
                agent=agent,
                original_tokens=9_000,
                compacted_tokens=400,
                summary=summary,
                timestamp=NOW,
                issue_number=29,
                session_id="s-1",
            )
        )

    def cli(self, *arguments: str, stdin: str = "") -> Outcome:
        """Run a command on the memory."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, TemporaryFile() as file:
            file.write(stdin.encode())
            file.seek(0)
            patch.chdir(self.root)
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            patch.setattr("memtui.hooks.standard_input._STDIN", file.fileno())
            patch.setenv("MEMTUI_DIR", str(self.path))
            with redirect_stdout(out), redirect_stderr(err):
                code = run(arguments)
        return Outcome(code, out.getvalue(), err.getvalue())

    def hook(
        self,
        name: str,
        session: str = "s-1",
        environ: Mapping[str, str] | None = None,
        **of: Any,  # noqa: ANN401
    ) -> str:
        """Run a hook of Claude Code, as it does; what it prints."""
        self.path.mkdir(parents=True, exist_ok=True)
        given = HookInput(session_id=session, folder=str(self.root), **of)
        places = {"MEMTUI_DIR": str(self.path), **(environ or {})}
        return run_hook(name, given, "claude-code", places, self.home)

    def transcript(self, *said: str, session: str = "s-1", edits: str = "") -> str:
        """Write a session of Claude Code: the user and the agent in turn, an edit; its path."""
        made = ClaudeCode(session=session, cwd=str(self.root), branch="")
        for number, words in enumerate(said):
            made.agent(words) if number % 2 else made.user(words)
        if edits:
            made.edit(edits)
        path = self.home / f"{session}.jsonl"
        path.write_text("\n".join(made.lines), "utf-8")
        return str(path)

    def end_session(self, session: str = "s-1", **of: Any) -> str:  # noqa: ANN401
        """End a session that mended a lock and chose a database."""
        path = self.transcript(*WORK, session=session, edits=f"store/{session}.py")
        return self.hook("session-end", session, transcript_path=path, **of)

    def rpc(self, method: str, agent: str | None = "engineer", **params: Any) -> Any:  # noqa: ANN401
        """Ask a JSON-RPC method; its result, or the error's code."""
        asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        if agent is not None:
            asked["a2a_context"] = {"source_agent": agent}
        answer = json.loads(self.server.answer(json.dumps(asked).encode()))
        return answer["error"]["code"] if "error" in answer else answer["result"]

    def mcp(self, method: str, **params: Any) -> Any:  # noqa: ANN401
        """Ask the MCP server; its result."""
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = McpServer(lambda: self.memory, "1").answer(json.dumps(asked).encode())
        return json.loads(answer)["result"]

    def file(self, path: str) -> Any:  # noqa: ANN401
        return json.loads((self.path / path).read_text("utf-8"))

    def records(self, issue: int = 29) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.file(f"issue-{issue}.json")["observations"]
        return found

    def log(self, kind: str) -> list[dict[str, Any]]:
        """The lines of the activity log of a type."""
        files = [*self.path.glob("activity/*.jsonl"), *self.path.glob("activity.jsonl")]
        lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
        return [found for line in lines if (found := json.loads(line)).get("type") == kind]

    def stop(self) -> None:
        """Close the server, where it was opened: it records what agents were given."""
        if (server := vars(self).pop("server", None)) is not None:
            server.close()


__all__ = ["NOW", "TOKEN", "WORK", "Outcome", "World"]
