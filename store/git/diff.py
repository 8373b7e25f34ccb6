"""Changes of a memory between two commits, or since one, read from git."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store.backends.files.conflicted import read_version
from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import ARCHIVE, issue_of, list_issues
from store.backends.files.memory_files import parse_memory
from store.backends.issue_records import location_of
from store.errors import InvalidObservation, StoreError, Unreadable
from store.git.setup import check_repository
from store.merge.changes import MemoryDiff, Snapshot, Standing, compare
from store.merge.versions import alternatives
from store.model import Location
from store.platform.git_command import ask_git, read_objects
from store.records import InvalidRecord, RawRecord, from_record, record_id
from store.redaction.sanitizer import clean_observation, clean_record, clean_value


def diff_memory(folder: Path, range_: str = "") -> MemoryDiff:
    """List changes: `A..B` between two commits, `A` since one, nothing since the last commit.

    Records are as they may be shown: without private blocks and secrets. `A...B` starts where the
    two parted. Raises `InvalidObservation` where there is no such commit, and `StoreError`
    outside of a repository and in one without commits.
    """
    check_repository(folder)
    old, dots, new = range_.partition("..")
    first = _commit(folder, old or "HEAD")
    if not dots:
        here, unread = _here(folder)
        sides = [
            {name: state for name, state in side.items() if state.issue not in unread}
            for side in (_at(folder, first), here)
        ]
        return replace(_shown(compare(*sides)), unread=tuple(unread))
    last = _commit(folder, new.removeprefix(".") or "HEAD")
    if new.startswith("."):
        base = ask_git(folder, ["merge-base", first, last])
        first = (base or first.encode()).decode().strip()
    return _shown(compare(_at(folder, first), _at(folder, last)))


def _shown(found: MemoryDiff) -> MemoryDiff:
    def clean(state: Standing | None) -> Standing | None:
        return state and state._replace(record=dict(clean_record(state.record)[0]))

    changes = (
        change._replace(before=clean(change.before), after=clean(change.after))
        for change in found.changes
    )
    return replace(found, changes=tuple(changes))


def contents_in_words(data: bytes, name: str) -> str:
    """Return the memories of a file in words, one after the other, as `git diff` compares them."""
    lines: list[str] = []
    for _, record in sorted(_records({name: data}).items()):
        try:
            memory, _ = clean_observation(from_record(record.record, record.issue))
        except InvalidRecord:
            continue
        marks = [tag for tag, on in (("pinned", memory.pinned), ("muted", memory.muted)) if on]
        facts = (memory.category, memory.agent, f"{memory.timestamp:%Y-%m-%d %H:%M}")
        lines += [" · ".join((*facts, f"{memory.tokens} tokens", *marks, *memory.tags))]
        lines += [memory.id, *(f"  {line}" for line in memory.content.splitlines())]
        for other in alternatives(record.record):
            shown, _ = clean_value(other.get("content", other))
            lines += [f"  another branch: {shown}"]
        lines.append("")
    return "\n".join(lines)


def _commit(folder: Path, name: str) -> str:
    output = ask_git(
        folder, ["rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}"]
    )
    if output is None and name == "HEAD":
        raise StoreError(
            f"The repository of {folder} has no commit yet.",
            "Make one: `memtui git diff` shows what changed since.",
        )
    if output is None:
        raise InvalidObservation(f"{name!r} is not a commit here.", "See `git log`.")
    return output.decode().strip()


def _at(folder: Path, commit: str) -> Snapshot:
    listed = ask_git(folder, ["ls-tree", "-r", "-z", "--name-only", commit, "--", "."])
    names = [name.decode("utf-8", "replace") for name in (listed or b"").split(b"\0")]
    wanted = [name for name in names if issue_of(name) is not None]
    contents = read_objects(folder, [f"{commit}:./{name}" for name in wanted], seconds=60.0)
    found = zip(wanted, contents or (), strict=False)
    return _records({name: data for name, data in found if data is not None})


def _here(folder: Path) -> tuple[Snapshot, list[int]]:
    """The memories as they are in the folder, and the issues of which not all can be read."""
    found: dict[str, Standing] = {}
    unread: list[int] = []
    for issue in sorted(set(list_issues(folder).values())):
        records = read_issue(folder, issue)
        if any(records.unread(location) for location in Location):
            unread.append(issue)
        for part, record in records.distinct():
            if identifier := record_id(record.value):
                is_archived = location_of(part) is Location.ARCHIVE
                found[identifier] = Standing(issue, is_archived, record.value)
    return found, unread


def _records(files: Mapping[str, bytes]) -> dict[str, Standing]:
    """The records of files by their ids; where one is in an archive too, the issue file wins."""
    found: dict[str, Standing] = {}
    for name in sorted(files, key=lambda name: not name.startswith(ARCHIVE)):
        side = _side(files[name], name)
        archived = name.startswith(ARCHIVE) or name.endswith("-archived.json")
        issue = issue_of(name)
        for record in side:
            if identifier := record_id(record.value):
                written = record.value.get("issueNumber")
                number = written if issue is None and isinstance(written, int) else issue or 0
                found[identifier] = Standing(number, archived, record.value)
    return found


def _side(data: bytes, name: str) -> Sequence[RawRecord]:
    """The records of a file; git gives it a name in another folder, which a memory's may be."""
    try:
        return read_version(data, name).records
    except Unreadable:
        pass
    try:
        return [parse_memory(data, name)]
    except Unreadable:
        return ()
