"""Another store in the AgentX format, read and written as plain files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.backends.files.issue_records import list_issues, read_issue, shelf_of
from store.backends.files.layout import ARCHIVE, GITIGNORE, GITIGNORE_TEXT, archive_name, issue_name
from store.backends.files.manifest import settle_manifest
from store.disk import make_folder, replace_durably, write_error
from store.errors import Conflict
from store.exchange.values import Incoming, Reading
from store.model import Observation, Shelf, check_issue
from store.raw_record import new_record
from store.records import format_time, from_record, to_record


def read_agentx(folder: Path) -> Reading:
    """The observations of a store, those in its archive too. Raises `Unreadable`.

    A file or a record that can't be read becomes a problem.
    """
    incoming: list[Incoming] = []
    problems: list[str] = []
    for issue in sorted(set(list_issues(folder).values())):
        records = read_issue(folder, issue)
        for name, record in records.standing():
            observation = records.observation(name, record)
            if observation is None:
                continue
            if observation.extra:
                observation = from_record(record.exact(), issue)
            if shelf_of(name) is Shelf.ARCHIVE:
                observation = observation._replace(archived=True)
            incoming.append(Incoming(observation, name))
        problems += (problem.message for problem in records.problems)
    return Reading(tuple(incoming), tuple(problems))


def to_agentx_store(observations: Iterable[Observation], folder: Path, now: datetime) -> int:
    """Write observations as a store of their own; how many. Archived ones go to its archive.

    Raises `Conflict` where the folder holds anything already, `ReadOnly` and `WriteFailed`.
    """
    try:
        there = min(folder.iterdir(), default=None) if folder.is_dir() else None
    except OSError as error:
        raise write_error(folder, error) from error
    if there is not None:
        raise Conflict(
            f"{folder} holds something already ({there.name}); nothing was written.",
            "Name a new folder.",
        )
    files: defaultdict[str, list[Observation]] = defaultdict(list)
    for observation in observations:
        issue = check_issue(observation.issue_number)
        files[archive_name(issue) if observation.archived else issue_name(issue)].append(
            observation
        )
    make_folder(folder)
    replace_durably(folder / GITIGNORE, GITIGNORE_TEXT.encode(), folder)
    if any(shelf_of(name) is Shelf.ARCHIVE for name in files):
        make_folder(folder / ARCHIVE)
    stamp = format_time(now)
    for name, held in files.items():
        header = {"version": 1, "issueNumber": held[0].issue_number, "updatedAt": stamp}
        records = [new_record(to_record(observation)) for observation in held]
        replace_durably(folder / name, dump_issue_file(IssueFile(header, records)), folder)
    settle_manifest(folder, (), stamp)
    return sum(len(held) for held in files.values())
