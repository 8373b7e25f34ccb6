"""What is wrong in the settings: which file or variable, which key, and what follows."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from store.notice import Notice


class MistakeKind(StrEnum):
    """What is wrong with a setting or a file of settings."""

    FILE = "file"
    """The file can't be read; `detail` says why."""
    TOML = "toml"
    """The file is not TOML; `detail` is what the parser says."""
    UNKNOWN = "unknown"
    """No setting has this name; `detail` is one that is spelt much like it, if any."""
    USER_ONLY = "user-only"
    """Only the user's own file may set it."""
    VALUE = "value"
    """The value is not valid; `detail` says why."""
    RENAMED = "renamed"
    """An old name, which still works; `detail` is the new one."""
    NOT_NEEDED = "not-needed"
    """A setting of SPEC-29 that is accepted and does nothing."""


class Mistake(NamedTuple):
    """One thing that is wrong in the settings, and was ignored, or taken by its old name.

    `source` is a file's path or an environment variable, `line` counts from 1.
    """

    kind: MistakeKind
    source: str
    key: str = ""
    line: int | None = None
    detail: str = ""

    @property
    def is_ignored(self) -> bool:
        """Whether what is written there does not count."""
        return self.kind not in (MistakeKind.RENAMED, MistakeKind.NOT_NEEDED)

    @property
    def notice(self) -> Notice:
        """What is to be told of it, at its place."""
        from store.notice import Notice

        place = self.source if self.line is None else f"{self.source}, line {self.line}"
        kind = f"setting-{self.kind}"
        if self.kind is MistakeKind.UNKNOWN and self.detail:
            kind = "setting-misspelt"
        elif self.kind is MistakeKind.VALUE and not self.key:
            kind = "variable-value"
        return Notice(kind, {"key": self.key, "detail": self.detail}, place)
