"""How much of what hooks tell is new, on real sessions that are replayed through them.

    python -m tests.bench.replay FOLDER

FOLDER holds transcripts of Claude Code from one project, `*/full.jsonl` or `*.jsonl`. They are
gone through in order of time: each session starts, its prompts, edits and failed commands are
handed to the hooks as the client would, and at its end it is captured. Of the memories that each
moment tells, those count as new to the session that it had not been told by id, that say something
else than what it was told (words in common: less than `_ALIKE`), and that do not stand in its
conversation word for word. Counted too: those that an earlier session of the replay was told.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memtui.hooks.call import parse_input
from memtui.hooks.run import run_hook
from store import Memory, open_memory
from store.agents.claude_code import read
from store.agents.transcript import (
    Event,
    Message,
    SessionInfo,
    Speaker,
    ToolCall,
    ToolResult,
)
from store.backends.location import FOLDER
from store.recall.values import Recall
from store.sessions.place import issue_from_branch

CLIENT = "claude-code"
START, PROMPT, EDIT, FAILURE = "session-start", "user-prompt", "pre-tool-use", "post-tool-use"
MOMENTS = {START: "start", PROMPT: "prompt", EDIT: "before an edit", FAILURE: "after a failure"}
_EDITORS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_SHELL = "Bash"
_ALIKE = 0.8
_PATIENCE = 60.0
"""Seconds for each hook: what a busy machine cuts short says nothing of what is told."""
_WORD = re.compile(r"\w+")
Words = frozenset[str]


@dataclass(slots=True)
class Tally:
    """What was counted of one moment."""

    asked: int = 0
    answered: int = 0
    told: int = 0
    new: int = 0
    repeated: int = 0
    shares: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session's file and what happened in it."""

    path: Path
    session_id: str
    began: datetime
    events: Sequence[Event]


@dataclass(slots=True)
class Heard:
    """What a session has in front of it: ids and words that it was told, and what was said."""

    ids: set[str] = field(default_factory=set)
    told: list[Words] = field(default_factory=list)
    said: str = ""

    def knows(self, identifier: str, content: str) -> bool:
        """Whether something is nothing new."""
        words = words_of(content)
        return (
            identifier in self.ids
            or flat(content) in self.said
            or any(len(words & it) >= _ALIKE * len(words | it) for it in self.told)
        )

    def hear(self, identifier: str, content: str) -> None:
        """Take something in."""
        self.ids.add(identifier)
        self.told.append(words_of(content))


class Project:
    """A memory that sessions are replayed against, one after the other."""

    def __init__(self, root: Path) -> None:
        self.tallies = {hook: Tally() for hook in MOMENTS}
        self._project = root / "project"
        self._memory = self._project / FOLDER
        self._home = root / "home"
        self._earlier: set[str] = set()
        self._told: list[Recall] = []
        with open_memory(self._memory) as memory:
            memory.index.settle()

    def replay(self, session: Replayed) -> None:
        """Go through one session, then capture it."""
        heard, branch, calls = Heard(), "", dict[str, ToolCall]()
        now = session.began
        self._tell(START, session, heard, now, branch, source="startup")
        for event in session.events:
            now = event.at or now
            match event:
                case SessionInfo(branch=found):
                    branch = found or branch
                case Message(speaker=Speaker.USER, text=text):
                    self._tell(PROMPT, session, heard, now, branch, prompt=text)
                    heard.said += flat(text)
                case Message(text=text):
                    heard.said += flat(text)
                case ToolCall(tool=tool, arguments=arguments, aside=False):
                    calls[event.call_id] = event
                    if tool in _EDITORS:
                        self._tell(EDIT, session, heard, now, branch, tool_input=dict(arguments))
                case ToolResult(failed=True, text=text):
                    call = calls.get(event.call_id)
                    if call is not None and call.tool == _SHELL:
                        event_name = "PostToolUseFailure"
                        self._tell(
                            FAILURE, session, heard, now, branch, error=text,
                            hook_event_name=event_name,
                        )  # fmt: skip
        self._earlier |= heard.ids
        self._run("session-end", session, now, branch, transcript_path=str(session.path))

    def _tell(
        self, hook: str, session: Replayed, heard: Heard, now: datetime, branch: str, **more: object
    ) -> None:
        tally = self.tallies[hook]
        tally.asked += 1
        if not self._run(hook, session, now, branch, **more):
            return
        contents = {it.observation.id: it.observation.content for it in self._told[-1].included}
        ids = list(contents)
        tally.answered += 1
        tally.told += len(ids)
        new = [it for it in ids if not heard.knows(it, contents[it])]
        tally.new += len(new)
        tally.repeated += len(self._earlier.intersection(ids))
        tally.shares.append(len(new) / len(ids) if ids else 1.0)
        for identifier in ids:
            heard.hear(identifier, contents[identifier])

    def _run(self, hook: str, session: Replayed, now: datetime, branch: str, **more: object) -> str:
        given = {"session_id": session.session_id, "cwd": str(self._project), **more}
        environ = dict[str, str]()
        if issue := issue_from_branch(branch):
            environ["MEMTUI_ISSUE"] = str(issue)
        read_in = parse_input(json.dumps(given))
        assert read_in is not None
        with (
            patch("store.open_memory", partial(self._opened, now)),
            patch("memtui.hooks.run._seconds", lambda *_: _PATIENCE),
        ):
            return run_hook(hook, read_in, CLIENT, environ, self._home)

    def _opened(self, now: datetime, path: Path) -> Memory:
        """The memory as it is opened at that time; what is told from it is kept."""
        memory = open_memory(path, clock=lambda: now)
        inject = memory.recall.inject

        def kept(recall: Recall, *given: Any, **more: Any) -> str:  # noqa: ANN401 - as it is
            self._told.append(recall)
            return inject(recall, *given, **more)

        vars(memory.recall)["inject"] = kept
        return memory


def words_of(text: str) -> Words:
    """The words of a text."""
    return frozenset(_WORD.findall(text.casefold()))


def flat(text: str) -> str:
    """A text with one blank wherever it has white space."""
    return " ".join(text.split())


def sessions_in(folder: Path) -> list[Replayed]:
    """The sessions of a folder in order of time; of one that is there twice the longest."""
    found: dict[str, Replayed] = {}
    for path in sorted([*folder.glob("*/full.jsonl"), *folder.glob("*.jsonl")]):
        session = _session(path)
        if session is None:
            continue
        known = found.get(session.session_id)
        if known is None or len(known.events) < len(session.events):
            found[session.session_id] = session
    return sorted(found.values(), key=lambda it: it.began)


def _session(path: Path) -> Replayed | None:
    """The session of a file; None where nobody says anything in it."""
    events = list(read(path.read_bytes().splitlines(keepends=True)))
    names = (it.session_id for it in events if isinstance(it, SessionInfo) and it.session_id)
    times = (it.at for it in events if isinstance(it, Message) and it.at is not None)
    name, began = next(names, ""), next(times, None)
    return Replayed(path, name, began, events) if name and began else None


def lines_of(tallies: Mapping[str, Tally]) -> Iterator[str]:
    """What was counted, a line for each moment."""
    for hook, tally in tallies.items():
        told = tally.told or 1
        each = sum(tally.shares) / (len(tally.shares) or 1)
        yield (
            f"{MOMENTS[hook]:16} asked {tally.asked:5,}  answered {tally.answered:5,}  "
            f"memories {tally.told:6,}  new to the session {tally.new / told:6.1%} "
            f"(each answer {each:6.1%})  told to an earlier one {tally.repeated / told:6.1%}"
        )


def main(arguments: Sequence[str]) -> None:
    """Replay a folder's sessions, and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, help="so many sessions, the earliest first")
    options = parser.parse_args(arguments)
    sessions = sessions_in(options.folder)[: options.most]
    with tempfile.TemporaryDirectory(prefix="memtui-replay-") as folder:
        root = Path(folder)
        with patch.dict(os.environ, {"XDG_CACHE_HOME": str(root / "cache")}):
            project = Project(root)
            for session in sessions:
                project.replay(session)
    print(f"{len(sessions)} sessions, {sessions[0].began.astimezone(UTC):%Y-%m-%d} on")
    print("\n".join(lines_of(project.tallies)))


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
