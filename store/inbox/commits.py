"""What others committed to a file: git has it, and somebody there has approved it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from store.backends.approved_files import digest_of, kept_text
from store.platform.git_command import ask_git, find_repository, read_objects

_MOST = 30
"""Commits of a file that are looked at."""
_SECONDS = 2.0


def committer_of(root: Path) -> bytes | None:
    """Return the address by which the user commits here, and agents with it; None for nobody."""
    if find_repository(root / "CLAUDE.md") is None:
        return None
    user = ask_git(root, ["var", "GIT_COMMITTER_IDENT"], seconds=_SECONDS)
    return user and user.partition(b"<")[2].partition(b">")[0]


def approved_by_others(
    root: Path, user: bytes, name: str, approved: str | None, earlier: Collection[str]
) -> str | None:
    """Return a file's text as the others left it who alone committed to it since it was as
    approved, up to the user's next commit. Where the branch that is checked out never had that,
    it counts from the last that was approved `earlier`, by digests. Texts are without secrets; None
    is no file.
    """
    if "\n" in name:
        return approved
    asked = ["--literal-pathspecs", "log", f"-{_MOST}", "--format=%H %ce", "--", name]
    log = ask_git(root, asked, seconds=_SECONDS)
    commits = [line.split(b" ", 1) for line in (log or b"").splitlines()]
    names = [f"{commit.decode()}:./{name}" for commit, _ in commits]
    texts = [
        None if data is None else kept_text(data.decode(errors="replace"))
        for data in (read_objects(root, names, seconds=_SECONDS) if names else None) or ()
    ]
    if approved not in texts:  # as on another branch
        known = (text for text in texts if text and digest_of(text.encode()) in earlier)
        approved = next(known, approved)
    is_whole = approved is None and len(texts) < _MOST
    since = texts.index(approved) if approved in texts else len(texts) if is_whole else 0
    for text, (_, committer) in zip(texts[:since][::-1], commits[:since][::-1], strict=True):
        if committer == user:
            break
        approved = text
    return approved
