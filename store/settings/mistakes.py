"""What is wrong in the settings: which file or variable, which key, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Mistake:
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

    def describe(self) -> str:
        """The place and what is wrong there, in a sentence."""
        place = self.source if self.line is None else f"{self.source}, line {self.line}"
        said = f"{place}: {self._what()}"
        return said if said.endswith("?") else f"{said}."

    def _what(self) -> str:
        name = f"`{self.key}` "
        match self.kind:
            case MistakeKind.FILE:
                return f"ignored, {self.detail}"
            case MistakeKind.TOML:
                return f"ignored, not valid TOML: {self.detail}"
            case MistakeKind.UNKNOWN:
                hint = f"; did you mean `{self.detail}`?" if self.detail else ""
                return f"unknown setting `{self.key}`{hint}"
            case MistakeKind.USER_ONLY:
                return f"{name}ignored: only your own settings file can set it"
            case MistakeKind.VALUE:
                return f"{name if self.key else ''}ignored: {self.detail}"
            case MistakeKind.RENAMED:
                return f"{name}is now called `{self.detail}`"
            case MistakeKind.NOT_NEEDED:
                return f"{name}has no effect; caches follow the files"
