"""The repository of synced memories, and the copy of it on this machine: all by the user's git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from store.backends import shown_location
from store.errors import Away, StoreError, Unreadable, WriteFailed
from store.platform.bounds import MAX_BYTES
from store.platform.git_command import git_command, own_environment, split_objects
from store.platform.home import user_folder
from store.platform.write import make_private

LOCAL = "refs/memtui/local"
"""What this machine has: the state that both sides started from when it is synced again."""
_MERGED = "refs/memtui/merged"
_BRANCH = "memtui/memory"
THEIRS = f"refs/remote/{_BRANCH}"
"""What other machines have, as far as it is known."""
_TRANSPORTS = "file:ssh:https"
_SECONDS = 60.0
_NETWORK_SECONDS = 300.0
"""Seconds after which git is no longer waited for: a first sync may send much."""
_FILE, _EXECUTABLE = b"100644", b"100755"


class Repository:
    """The copy of one repository on this machine: bare, in the user's data folder."""

    def __init__(self, remote: str) -> None:
        self.remote = remote
        digest = sha256(remote.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self.folder = user_folder("data") / "sync" / digest

    @property
    def shown(self) -> str:
        return shown_location(self.remote)

    def make_folder(self) -> None:
        """Make the folder of the copy, in which a sync locks out others. Raises `WriteFailed`."""
        try:
            make_private(self.folder)
        except OSError as error:
            raise WriteFailed(
                f"{self.folder} can't be made: {error.strerror}.", "Check its permissions."
            ) from error

    def make(self) -> None:
        """Make the copy where there is none, or one that is half made. Raises `StoreError`."""
        self._ask(["init", "-q", "--bare"])

    def fetch(self) -> None:
        """Bring what other machines sent. Raises `Away` where the repository can't be reached."""
        refs = "+refs/heads/memtui/*:refs/remote/memtui/*"
        done = self._run(
            ["fetch", "-q", "--no-tags", "--prune", "--no-write-fetch-head", self.remote, refs],
            is_online=True,
        )
        if done.returncode:
            raise Away(f"{self.shown} can't be reached: {_reason(done.stderr)}.")

    def push(self, commit: str) -> str:
        """Send a commit that follows what is there; the reason where that is refused."""
        done = self._run(
            ["push", "-q", self.remote, f"{commit}:refs/heads/{_BRANCH}"],
            is_online=True,
        )
        if done.returncode:
            return _reason(done.stderr)
        self._ask(["update-ref", THEIRS, commit])
        return ""

    def commit_at(self, name: str) -> str:
        """Return the commit that a reference names; empty where there is none."""
        return self._commit("rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}")

    def base(self, one: str, other: str) -> str:
        """Return the commit that both follow; empty where there is none."""
        return self._commit("merge-base", one, other)

    def _commit(self, *arguments: str) -> str:
        done = self._run(arguments)
        return done.stdout.decode().strip() if done.returncode == 0 else ""

    def files(self, commit: str) -> dict[str, str]:
        """Return the names of git's objects of a commit's files, by their paths."""
        listed = self._ask(["ls-tree", "-r", "-z", "-l", "--full-tree", commit])
        found: dict[str, str] = {}
        for line in listed.split(b"\0"):
            about, _, path = line.partition(b"\t")
            mode, _, name, size = about.split() or (b"", b"", b"", b"")
            if mode not in (_FILE, _EXECUTABLE):  # a link would lead elsewhere
                continue
            if int(size) > MAX_BYTES:
                raise self.unreadable(f"{path.decode('utf-8', 'replace')} is too large.")
            found[path.decode("utf-8", "replace")] = name.decode()
        return found

    def unreadable(self, message: str) -> Unreadable:
        """Return the error of a file there, which nothing on this machine repairs."""
        return Unreadable(
            f"{self.shown}: {message}",
            f"In a clone of it, mend or delete that file on the branch {_BRANCH}, and push.",
        )

    def read(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of git's objects."""
        given = "".join(f"{name}\n" for name in names).encode()
        found = split_objects(self._ask(["cat-file", "--batch"], given), len(names))
        return {name: data for name, data in zip(names, found, strict=True) if data is not None}

    def commit(
        self,
        changes: Mapping[str, bytes | None],
        parents: Iterable[str],
        message: str,
        now: datetime,
    ) -> str:
        """Make a commit of the first parent's files with some changed, or gone; its name."""
        first, *others = [*parents] or [""]
        text = message.encode()
        lines = [
            b"reset %b\ncommit %b\nmark :1\n" % (_MERGED.encode(), _MERGED.encode()),
            b"committer memtui <memtui> %d +0000\n" % int(now.timestamp()),
            b"data %d\n%b\n" % (len(text), text),
            b"from %b\n" % first.encode() if first else b"",
            *(b"merge %b\n" % other.encode() for other in others),
        ]
        for path, data in sorted(changes.items()):
            if data is None:
                lines.append(b"D %b\n" % path.encode())
            else:
                head = b"M %b inline %b\ndata %d\n" % (_FILE, path.encode(), len(data))
                lines += [head, data, b"\n"]
        lines.append(b"get-mark :1\n")
        made = self._ask(["fast-import", "--quiet", "--force"], b"".join(lines))
        return made.decode().strip()

    def keep(self, commit: str) -> None:
        self._ask(["update-ref", LOCAL, commit])

    def _ask(self, arguments: Sequence[str], given: bytes = b"") -> bytes:
        """Return what git writes. Raises `StoreError` where it fails."""
        done = self._run(arguments, given)
        if done.returncode:
            raise StoreError(
                f"git can't use {self.folder}: {_reason(done.stderr)}.",
                "Delete that folder: the next sync makes it again, and loses nothing.",
            )
        return done.stdout

    def _run(
        self,
        arguments: Sequence[str],
        given: bytes = b"",
        *,
        is_online: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        seconds = _NETWORK_SECONDS if is_online else _SECONDS
        try:
            return subprocess.run(
                git_command(self.folder, "-c", "gc.autoDetach=false", *arguments),
                input=given,
                capture_output=True,
                timeout=seconds,
                env=own_environment(_TRANSPORTS if is_online else "none"),
                start_new_session=True,  # ssh has no terminal to ask for a password on
                check=False,
            )
        except OSError as error:
            raise StoreError("git was not found.", "Install git.") from error
        except subprocess.TimeoutExpired as error:
            raise Away(f"git took longer than {seconds:.0f} s.", "Try again.") from error


def _reason(output: bytes) -> str:
    """Return the line in which git names the reason of a failure."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines()]
    marks = ("fatal:", "! ", "error:", "remote:")
    found = [line for mark in marks for line in lines if line.startswith(mark)]
    reason = next(iter([*found, *lines]), "git failed")
    return shown_location(reason.removeprefix("fatal: ").removeprefix("error: ").rstrip("."))
