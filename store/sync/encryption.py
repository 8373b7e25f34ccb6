"""Files of the repository encrypted one by one with `age`, where the user has it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from store.errors import StoreError
from store.platform.home import expanded

SUFFIX = ".age"
_SECONDS = 60.0


def plain_path(path: str) -> str:
    """Return the path of a file before it was encrypted."""
    return path.removesuffix(SUFFIX)


class Encryption:
    """What `age` makes of files with an identity: the same file on each machine, or none."""

    def __init__(self, identity: str) -> None:
        self._identity = expanded(identity) if identity else None

    def path_of(self, path: str) -> str:
        return path if self._identity is None else f"{path}{SUFFIX}"

    def encrypt(self, data: bytes) -> bytes:
        """Raises `StoreError` where `age` is missing or fails."""
        return data if self._identity is None else _age("--encrypt", self._identity, data)

    def decrypt(self, path: str, data: bytes) -> bytes:
        """Return what is in a file, encrypted or not. Raises `StoreError`."""
        if not path.endswith(SUFFIX):
            return data
        if self._identity is None:
            raise StoreError(
                "The repository is encrypted.",
                "Name your age identity: `memtui config set sync_identity FILE`.",
            )
        return _age("--decrypt", self._identity, data)


def _age(way: str, identity: Path, data: bytes) -> bytes:
    try:
        done = subprocess.run(
            ["age", way, "--identity", str(identity)],
            input=data,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise StoreError(
            "sync_identity is set, but age was not found.",
            "Install age, or turn encryption off: `memtui config unset sync_identity`.",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise StoreError(f"age took longer than {_SECONDS:.0f} s.", "Try again.") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise StoreError(f"age failed: {reason}.", f"Check the identity in {identity}.")
    return done.stdout
