"""Lines that a plan adds at the end of a project's instruction files, and its undo takes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from store.agents.client import Client
from store.agents.context_files import INSTRUCTION
from store.agents.registry import clients
from store.backends.approved_files import ApprovedFile, ApprovedFiles
from store.backends.protocol import Backend
from store.backends.user_data import project_root
from store.errors import InvalidObservation, StoreError
from store.notice import Notice, notice, quoted
from store.operations.outcome import Outcome
from store.operations.plan import LineChange, Plan
from store.platform.read import read_bytes
from store.platform.write import replace_durably, unlink


def instruction_file(client: Client, loaded: Iterable[str]) -> str:
    """Return the name of a project's file to which instructions for a client are added: the first
    of those that are `loaded`, else the first that the client reads; empty where it reads none.
    """
    there = (name for name in loaded if name in _names_of_all())
    return next(there, next(_names(client), ""))


def check_instruction_file(client: Client, name: str) -> None:
    """Raise `InvalidObservation` for a file in which a client reads no instructions."""
    if name not in (names := list(_names(client))):
        raise InvalidObservation(
            f"{client.title} reads no instruction file {name!r} in a project.",
            f"Use one of: {', '.join(names)}." if names else "",
        )


def _names_of_all() -> set[str]:
    return {name for client in clients() for name in _names(client)}


def _names(client: Client) -> Iterator[str]:
    for kind in client.context:
        if kind.category == INSTRUCTION and not kind.of_user:
            yield from (name for name in reversed(kind.names) if "*" not in name)


def change_lines(backend: Backend, plan: Plan) -> Outcome:
    """Add and remove the lines of a plan, in files that clients read. Raises as writing does.

    One whose file has changed so that there is nothing to remove is left, and named.
    """
    root = project_root(backend.folder)
    allowed = _names_of_all()
    changed = 0
    left: list[Notice] = []
    for change in plan.lines:
        if change.path not in allowed:
            left.append(notice("changed-since", what=change.path))
            continue
        with backend.locked():
            try:
                done = _change(root / change.path, root, change)
            except StoreError as error:
                left.append(quoted(error.message))
                continue
        changed += done
        left += [] if done else [notice("changed-since", what=change.path)]
    return Outcome(changed, tuple(left))


def _change(path: Path, root: Path, change: LineChange) -> bool:
    try:
        before = read_bytes(path, root)
    except FileNotFoundError:
        before = b""
    after = _changed(before, change)
    if after is None:
        return False
    if after:
        replace_durably(path, after, root)
    else:
        unlink(path, root)
    _approve(root, change, after)
    return True


def _changed(before: bytes, change: LineChange) -> bytes | None:
    """Return a text with a line, or without it; None where it has none such."""
    line = change.text.encode()
    if change.is_added:
        is_whole = not before or before.endswith(b"\n")
        return before + (line + b"\n" if is_whole else b"\n" + line)
    if before.endswith(b"\n" + line):
        return before[: -len(line) - 1]
    start = (b"\n" + before).rfind(b"\n" + line + b"\n")
    return None if start < 0 else before[:start] + before[start + len(line) + 1 :]


def _approve(root: Path, change: LineChange, data: bytes) -> None:
    """Change the same line in what is kept of the file as approved: no agent wrote it."""
    approved = ApprovedFiles(root)
    if (kept := approved.read()) is None:
        return
    files = dict(kept)
    before = files.get(change.path)
    text = _changed(before.text.encode() if before else b"", change)
    if text is not None:
        files.pop(change.path, None)
    if text:
        files[change.path] = ApprovedFile.after(before, text.decode(), data)
    with suppress(StoreError):  # at worst it is listed as if an agent had written it
        approved.keep(files)
