"""Reading a session file to its end, wherever its client keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from store.agents.compressed import open_session_file
from store.agents.copies import without_copied
from store.agents.discovery import open_session, session_id_of
from store.agents.reading import read_session
from store.agents.session import Session
from store.errors import Unreadable
from store.platform.project import project_of
from store.sessions.checkpoint import MOST_MESSAGES

Progress = Callable[[int, int], None]
"""Told how many bytes are read, and of how many."""
_STEP = 1_000_000
"""Bytes after which progress is reported again."""
_END_BYTES, _MOST_END = 400_000, 7_000_000
"""Bytes of a file's end that are read first for its last messages, and from which all is read."""


class SessionRead(NamedTuple):
    """A session, and the roots of the project it ran in, as far as that is still there."""

    session: Session
    roots: tuple[str, ...] = ()


def read_file(path: Path, progress: Progress | None = None, *, session_id: str = "") -> SessionRead:
    """Return the session in a file; `session_id` is its id where the file has none, else the file's
    place gives one. Raises `Unreadable`.
    """
    try:
        with open_session(path) as lines:
            session = read_session(
                lines if progress is None else _with_progress(lines, path, progress)
            )
    except OSError as error:
        raise Unreadable(f"{path} can't be read: {error.strerror}.") from error
    except Unreadable as error:
        raise Unreadable(f"{path.name}: {error.message}", error.hint) from error
    if not session.id:
        session = session._replace(id=session_id or session_id_of(path))
    session = without_copied(session, path)
    project = project_of(Path(session.folder)) if session.folder else None
    roots = (str(project.root), str(project.main_root)) if project else ()
    return SessionRead(session, roots)


def read_end(path: Path, likely: str) -> Session:
    """Return a session as far as the end of its file goes: at least its last 50 messages, where it
    has as many. `likely` is its client. Raises `Unreadable`.
    """
    part = _END_BYTES if path.suffix == ".jsonl" and path.is_file() else _MOST_END
    while part < _MOST_END and part < path.stat().st_size:
        try:
            session = _read_from(path, path.stat().st_size - part, likely)
        except (OSError, Unreadable):
            break
        if len(session.messages) >= MOST_MESSAGES:
            return session
        part *= 4
    return read_file(path).session


def _read_from(path: Path, start: int, likely: str) -> Session:
    with open_session_file(path) as lines:
        lines.seek(start)
        lines.readline()  # the rest of a line
        return read_session(lines, session_id=session_id_of(path), likely=likely)


def _with_progress(lines: Iterable[bytes], path: Path, progress: Progress) -> Iterator[bytes]:
    """Yield the lines, reporting now and then how far they are read."""
    total = path.stat().st_size if path.exists() else 0
    done, reported = 0, -_STEP
    for line in lines:
        if done >= reported + _STEP:
            reported = done
            progress(done, total)
        done += len(line)
        yield line
