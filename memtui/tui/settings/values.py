"""The settings as their screen shows them: what each file says, and which of them counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.formatting import count
from memtui.settings.schema import app_settings
from store.settings import (
    DEFAULT,
    PREFIX,
    Settings,
    accepted,
    as_typed,
    known_settings,
    project_file,
    settings_in,
    user_file,
)

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline
    from store.settings import Mistake


class Owner(Enum):
    """Whose file is edited."""

    USER = "your file"
    PROJECT = "the project's file"


@dataclass(frozen=True, slots=True)
class SettingsView:
    """The settings in force and where each came from, the two files, and what each of them says."""

    settings: Settings
    sources: Mapping[str, str]
    mistakes: Sequence[Mistake]
    paths: Mapping[Owner, Path]
    said: Mapping[Owner, Mapping[str, Any]]

    def value(self, name: str) -> Any:  # noqa: ANN401 - whatever a setting may be
        """The value in force."""
        return getattr(self.settings, name)

    def source(self, name: str) -> str:
        """Where it came from, in words: an owner's file, a variable, or the default."""
        source = self.sources[name]
        return next((o.value for o, path in self.paths.items() if source == str(path)), source)

    def is_chosen(self, name: str) -> bool:
        """Whether somebody chose it."""
        return self.sources[name] != DEFAULT

    def owner_of(self, name: str) -> Owner | None:
        """Whose file the value in force came from; None for a variable or the default."""
        return next((o for o, path in self.paths.items() if self.sources[name] == str(path)), None)

    def stronger_than(self, owner: Owner, name: str) -> str:
        """What wins over a value in an owner's file; empty where that counts."""
        if self.sources[name] == variable(name):
            return variable(name)
        is_outdone = owner is Owner.USER and name in self.said[Owner.PROJECT]
        return Owner.PROJECT.value if is_outdone and not known_settings()[name].is_personal else ""


def read_settings(memory: MemoryPipeline) -> SettingsView:
    """Read the settings of a memory from their files again."""
    memory.reload_settings()
    paths = {Owner.USER: user_file(), Owner.PROJECT: project_file(memory.path)}
    return SettingsView(
        app_settings(memory.settings),
        memory.settings_sources,
        memory.settings_mistakes,
        paths,
        {owner: settings_in(path) for owner, path in paths.items()},
    )


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def in_words(value: Any) -> str:  # noqa: ANN401 - whatever a setting may be
    """A value as one types it; an empty one is said to be so."""
    return as_typed(value) or "not set"


def allowed(name: str) -> str:
    """What a setting takes, in words."""
    info = known_settings()[name]
    if info.is_table:
        return f"a table, such as {as_typed(info.example)}"
    takes = accepted(name)
    if takes.options:
        return ", ".join(takes.options)
    if takes.least is None or takes.most is None:
        return "text"
    kind = "a whole number" if takes.is_whole else "a number"
    return f"{kind} from {count(int(takes.least))} to {count(int(takes.most))}"
