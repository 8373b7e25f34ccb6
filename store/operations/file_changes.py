"""Lines of files that clients load, put in place of others: in the files themselves, or in what is
kept of them as approved.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from store.agents.client import Home
from store.agents.context_files import MOST_BYTES
from store.agents.watched_files import watched_path
from store.backends.approved_files import ApprovedFile, ApprovedFiles, kept_text
from store.backends.protocol import Backend
from store.backends.user_data import project_root
from store.errors import Conflict, NotSynced, StoreError
from store.notice import Notice, notice, quoted
from store.operations.outcome import Outcome
from store.operations.plan import PROJECT, FileChange, Plan
from store.platform.bounds import read_regular
from store.platform.read import read_if_there
from store.platform.write import make_folder, refuse_link, remove_file, replace_durably
from store.text.markdown import whole_lines

_AROUND = 2
"""Lines above and below a change by which its place is known again."""


def line_change(
    name: str, lines: Sequence[str], first: int, end: int, after: str, approved_in: str = ""
) -> FileChange:
    """Return the change of a file's lines, from `first` up to `end`, into another text."""
    return FileChange(
        name,
        before="".join(lines[first:end]),
        after=after,
        above="".join(lines[max(0, first - _AROUND) : first]),
        below="".join(lines[end : end + _AROUND]),
        line=first,
        approved_in=approved_in,
    )


def change_files(backend: Backend, plan: Plan) -> Outcome:
    """Change the lines of a plan's files, those of one at once. Raises as writing does.

    A file whose lines have changed is left, and named, and so is one that can't be written.
    """
    root, home = project_root(backend.folder), Home.of_user()
    changed = 0
    left: list[Notice] = []
    with backend.locked():
        for (name, approved_in), found in groupby(plan.files, attrgetter("name", "approved_in")):
            changes = list(found)
            try:
                path = watched_path(name, root, home)
                if approved_in:
                    _approve(path, root if approved_in == PROJECT else home.path, changes)
                elif path is not None:
                    place = next(filter(path.is_relative_to, (root, home.path)), path.parent)
                    _write(path, place, changes)
                else:
                    raise _left(notice("file-not-loaded", file=name))
            except NotSynced as error:
                left.append(quoted(error.message))
            except StoreError as error:
                left += error.notes or [quoted(error.full_message)]
                continue
            changed += len(changes)
    return Outcome(changed, tuple(left))


def _approve(path: Path | None, place: Path, changes: Sequence[FileChange]) -> None:
    """Change what is kept of a file as approved. Raises `StoreError`."""
    name, approved = changes[0].name, ApprovedFiles(place)
    kept = approved.read()
    if kept is None:
        raise _left(notice("changed-since", what=name))
    files = dict(kept)
    before = files.pop(name, None)
    text = _changed(before and before.text, changes)
    if text is not None:
        data = None
        with suppress(OSError):
            data = read_regular(path, MOST_BYTES) if path else None
        files[name] = ApprovedFile.after(before, text, data)
    approved.keep(files)


def _write(path: Path, root: Path, changes: Sequence[FileChange]) -> None:
    """Change a file. Raises `StoreError`."""
    data = read_if_there(path, root)
    try:
        text = _changed(None if data is None else data.decode(), changes)
    except UnicodeDecodeError as error:
        raise _left(notice("file-not-utf-8", file=changes[0].name)) from error
    if text is None:
        remove_file(path, root)
        return
    refuse_link(path, root)
    make_folder(path.parent)
    replace_durably(path, text.encode(errors="replace"), root)


def _changed(text: str | None, changes: Sequence[FileChange]) -> str | None:
    """Return a text, which may hold secrets, after some changes. Raises `Conflict`."""
    for change in changes:
        clean = None if text is None else kept_text(text)
        if change.before is None or change.after is None:
            if clean != change.before:
                raise _left(notice("changed-since", what=change.name))
            text = change.after
            continue
        lines, clean_lines = whole_lines(text or ""), whole_lines(clean or "")
        if len(lines) != len(clean_lines):  # a mark is one line, the secret was several
            raise _left(notice("file-secret", file=change.name))
        first = None if text is None else _place_of(clean_lines, change)
        if first is None:
            raise _left(notice("changed-since", what=change.name))
        lines[first : first + len(whole_lines(change.before))] = whole_lines(change.after)
        text = "".join(lines)
    return text


def _place_of(lines: Sequence[str], change: FileChange) -> int | None:
    """Return the first line of a change: where it was, else at the only place that is like it."""
    own, above, below = map(whole_lines, (change.before or "", change.above, change.below))
    for is_exact, upper, lower in ((True, above, below), (False, above, []), (False, [], below)):
        wanted, found = [*upper, *own, *lower], list[int]()
        for at in range(len(upper), len(lines) - len(own) - len(lower) + 1):
            end = at + len(own)
            is_at_ends = (above or at == 0) and (below or end == len(lines))
            is_like = lines[at - len(upper) : end + len(lower)] == wanted
            if is_like and (is_at_ends or not is_exact) and _is_end_kept(lines, at, end, change):
                found.append(at)
        if is_exact and change.line in found:
            return change.line
        if wanted and len(found) == 1:
            return found[0]
    return None


def _is_end_kept(lines: Sequence[str], first: int, end: int, change: FileChange) -> bool:
    """Return whether no line but the last would be without its end after a change."""
    is_open = bool(change.after) and not (change.after or "").endswith("\n")
    return (end == len(lines) or not is_open) and (first == 0 or lines[first - 1].endswith("\n"))


def _left(why: Notice) -> Conflict:
    return Conflict("Nothing changed.", notes=(why,))
