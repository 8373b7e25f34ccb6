"""Whether a session that is said to have used a memory did, by the reading of its verdicts.

    python -m tests.bench.usage FOLDER... --keep DIR --write TSV [--judged TSV]

Each FOLDER is a project of `tests.bench.worth`, of which `cases.json` needs to have no cases. All
its sessions are played in order of their end: the hooks of a start,
of each prompt and before each edit tell and record what they would have told then, and the hook of
the end captures. Then the transcripts are read as after real sessions. `--write` lists each use
with what the session was asked, the memory and the evidence, to be read by eye; `--judged` takes
the list again with `right` or `wrong` in its first column.

The agents of such sessions were given nothing. So this measures whether the session did what the
memory names, for a request that the memory is about; not that it would not have done so anyway.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from pydantic import TypeAdapter

from store import Memory, open_memory
from store.agents.session import Session
from store.agents.tools import command_of, edits_of
from store.agents.transcript import Speaker
from store.backends.location import FOLDER
from store.sessions.session_file import read_file
from store.usage.kept import KeptSessions
from store.usage.values import Counts
from tests.bench.worth import Case, Listed, Project, moved

_BEFORE = timedelta(milliseconds=1)


class Played(Project):
    """A project whose sessions are given what the hooks tell, and are captured."""

    def _opened(self, now: datetime, path: Path) -> Memory:
        return open_memory(path, clock=lambda: now)

    def _captured(self, session: Listed) -> None:
        transcript = self._root / "transcripts" / f"{session.session}.jsonl"
        transcript.parent.mkdir(exist_ok=True)
        body = (self._source / "sessions" / f"{session.name}.jsonl").read_bytes()
        transcript.write_bytes(moved(body, self._tree))
        said = read_file(transcript).session
        moments = sorted(_moments(said), key=lambda moment: moment[0])
        if moments:
            began = moments[0][0] - timedelta(seconds=1)
            branch = session.branch or "main"
            case = Case(id=session.name, moment="start", at=began, branch=branch, wanted=[])
            self._check_out(case)
            self._run("session-start", session.session, began, source="startup")
        for at, hook, given in moments:
            self._run(hook, session.session, at - _BEFORE, **given)
        super()._captured(session)


def _moments(session: Session) -> Iterator[tuple[datetime, str, Mapping[str, object]]]:
    """Yield the prompts and edits of a session: when, the hook, and what it is given."""
    for message in session.messages:
        if message.speaker is Speaker.USER and message.at:
            yield message.at, "user-prompt", {"prompt": message.text}
    for step in session.steps:
        if step.call.at and not command_of(step.call):
            for edit in list(edits_of(step.call))[:1]:
                given = {"tool_name": "Edit", "tool_input": {"file_path": edit.path}}
                yield step.call.at, "pre-tool-use", given


def uses_of(memory: Memory, sessions: KeptSessions, project: str) -> Iterator[list[str]]:
    """Yield each use as a row: no verdict yet, where it was, what was asked, what was used."""
    for session_id, session in sessions.sessions.items():
        digest = memory.sessions.digest(session_id)
        asked = " | ".join(digest.asked if digest else ())
        for identifier, outcome in session.outcomes.items():
            told = memory.get(identifier)
            if outcome.is_used and told.timestamp < session.at:  # not of a session that went on
                evidence = ", ".join(f"{each.kind} {each.what}" for each in outcome.evidence)
                content = " ".join(told.content.split())[:600]
                yield ["", project, session_id, identifier, evidence, asked[:600], content]


def main(arguments: Sequence[str]) -> None:
    """Play the sessions of projects, list what they used, and count what a reader found."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.usage", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--keep", type=Path, help="keep memories here, and use those that are")
    parser.add_argument("--write", type=Path, help="list each use there")
    parser.add_argument("--judged", type=Path, help="the list with verdicts")
    options = parser.parse_args(arguments)
    rows: list[list[str]] = []
    for source in map(Path.absolute, options.folders):
        root = options.keep.absolute() / source.name
        listed = TypeAdapter(list[Listed]).validate_json((source / "sessions.json").read_bytes())
        with patch.dict(os.environ, {"XDG_CACHE_HOME": str(root / "cache")}):
            Played(source, root, "rules", len(listed)).prepare()
            with open_memory(root / "project" / FOLDER) as memory:
                while memory.usage.refresh():
                    pass
                sessions = memory.known_usage()
                rows += uses_of(memory, sessions, source.name)
        total = sum(sessions.by_category.values(), start=Counts())
        print(f"{source.name}: {len(sessions.sessions)} sessions, told {total.told}, "
              f"used {total.used}, touched {total.touched}")  # fmt: skip
    if options.write:
        with options.write.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, "excel-tab").writerows(rows)
    if options.judged:
        with options.judged.open(encoding="utf-8", newline="") as file:
            judged = Counter(row[0] for row in csv.reader(file, "excel-tab"))
        right, wrong = judged["right"], judged["wrong"]
        print(f"right {right} of {right + wrong}: {right / max(1, right + wrong):.0%}")


if __name__ == "__main__":
    main(sys.argv[1:])
