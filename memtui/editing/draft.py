"""Texts that are being written, kept in files until they are stored: nothing typed is lost."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from store.errors import NotFound, StoreError, Unreadable, WriteFailed
from store.operations.plan import Plan
from store.platform.bounds import read_regular
from store.platform.home import home_folder, is_nowhere, user_folder

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class NoDraft(NotFound):
    """The file of a text is gone."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text in a file of its own, readable by its owner only."""

    path: Path

    @classmethod
    def of(cls, name: str, text: str) -> Draft:
        """Keep a text under a name, beside older drafts of it. Raises `WriteFailed`."""
        folder = user_folder("state") / "drafts"
        if is_nowhere(folder):
            folder = Path(tempfile.mkdtemp(prefix="memtui-"))
        stem = _NOT_PLAIN.sub("-", name).strip(".-")[:80] or "draft"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in count(1):
                path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
                try:
                    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                except FileExistsError:
                    continue
                with os.fdopen(descriptor, "wb") as file:
                    file.write(text.encode("utf-8", "surrogatepass"))
                return cls(path)
        except OSError as error:
            raise WriteFailed(
                f"The draft could not be written to {folder}: {error.strerror}.",
                "Use options of `memtui edit`, or make the folder writable.",
            ) from error
        raise AssertionError("unreachable")

    def read(self) -> str:
        """The text as it stands now. Raises `NoDraft`, `Unreadable`."""
        try:
            return read_regular(self.path).decode("utf-8", "surrogatepass")
        except FileNotFoundError as error:
            raise NoDraft(f"The file {self.shown} is gone. Nothing changed.") from error
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise Unreadable(
                f"{self.shown} could not be read: {reason}.",
                "Save it as a UTF-8 text file.",
            ) from error

    def discard(self) -> None:
        """The text is stored, or was not changed: the file may go."""
        self.path.unlink(missing_ok=True)

    @property
    def shown(self) -> str:
        """The path as short as it can be said."""
        home = home_folder()
        return (
            f"~/{self.path.relative_to(home)}" if self.path.is_relative_to(home) else str(self.path)
        )

    def kept(self, error: StoreError) -> StoreError:
        """The same error, saying where the text is."""
        hint = f"{error.hint} Your draft is saved in {self.shown}".strip()
        return StoreError(error.message, hint, error.notes)


@dataclass(frozen=True, slots=True)
class Written:
    """An edited text and its plan, kept until the plan is carried out."""

    plan: Plan
    draft: Draft
