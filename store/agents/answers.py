"""What a user answered about sessions that ran elsewhere: whose they are. Kept for all projects in
one file of the user's data folder: folders are the machine's, not a team's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from store.agents.client import Home
from store.agents.traces import Moved
from store.errors import NotFound, Unreadable
from store.platform.bounds import load_json, read_regular
from store.platform.json_fields import items, mapping, string
from store.platform.write import make_private, replace_durably

_FILE = "earlier-folders.json"
_VERSION = 1


class Answer(NamedTuple):
    """Sessions that ran in `folder` are those of the project at `project`, or are not."""

    folder: Path
    project: Path
    is_taken: bool

    @property
    def move(self) -> Moved:
        return Moved(self.folder, self.project)


def answers_file(home: Home) -> Path:
    return home.data / _FILE


def read_answers(home: Home) -> tuple[Answer, ...]:
    """Return the answers that were given, oldest first. A file that can't be read has none."""
    try:
        return _read(answers_file(home))
    except (OSError, ValueError):
        return ()


def _read(path: Path) -> tuple[Answer, ...]:
    found = mapping(load_json(read_regular(path)))
    return tuple(
        Answer(
            Path(string(answer.get("folder"))),
            Path(string(answer.get("project"))),
            answer.get("taken") is True,
        )
        for answer in map(mapping, items(found.get("answers")))
        if string(answer.get("folder")) and string(answer.get("project"))
    )


def keep_answer(home: Home, answer: Answer) -> None:
    """Keep an answer in place of an earlier one to the same. Raises `Unreadable`, `WriteFailed`."""
    _write(home, [*_others(home, answer.folder, answer.project), answer])


def forget_answer(home: Home, folder: Path, project: Path) -> None:
    """Take an answer back. Raises `NotFound` where none was given, and as `keep_answer`."""
    others = _others(home, folder, project)
    if len(others) == len(read_answers(home)):
        raise NotFound(
            f"{folder} was neither adopted nor refused.", "`memtui sessions earlier` lists answers."
        )
    _write(home, others)


def _others(home: Home, folder: Path, project: Path) -> list[Answer]:
    try:
        known = _read(answers_file(home))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise Unreadable(
            f"{answers_file(home)} can't be read: {error}.", "Mend or remove it first."
        ) from error
    return [item for item in known if (item.folder, item.project) != (folder, project)]


def _write(home: Home, answers: list[Answer]) -> None:
    path = answers_file(home)
    make_private(path.parent)
    rows = [
        {"folder": str(answer.folder), "project": str(answer.project), "taken": answer.is_taken}
        for answer in answers
    ]
    text = json.dumps({"version": _VERSION, "answers": rows}, indent=2)
    replace_durably(path, f"{text}\n".encode(), path.parent)
