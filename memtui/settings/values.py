"""The settings as they are shown and changed: the values in each file, and which one counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from memtui.settings.schema import app_settings
from store import Memory
from store.errors import InvalidSetting, WriteFailed
from store.settings.edit import FileChange, keep_setting, reset_setting
from store.settings.files import (
    DEFAULT,
    PREFIX,
    LoadedSettings,
    Mistake,
    is_own_file,
    project_file,
    settings_in,
    user_file,
)
from store.settings.schema import Settings, known_settings
from store.settings.values import as_typed, typed_value


class Owner(Enum):
    USER = "your file"
    PROJECT = "the project's file"


@dataclass(frozen=True, slots=True)
class SettingsView:
    """The settings in force and where each came from, the two files, and the values in each."""

    settings: Settings
    sources: Mapping[str, str]
    mistakes: Sequence[Mistake]
    paths: Mapping[Owner, Path]
    in_files: Mapping[Owner, Mapping[str, Any]]

    def value(self, name: str) -> Any:  # noqa: ANN401 - whatever a setting may be
        return getattr(self.settings, name)

    def source(self, name: str) -> str:
        """Return the origin of a value in words: an owner's file, a variable, or the default."""
        source = self.sources[name]
        return next((o.value for o, path in self.paths.items() if source == str(path)), source)

    def is_chosen(self, name: str) -> bool:
        return self.sources[name] != DEFAULT

    def owner_of(self, name: str) -> Owner | None:
        """Return whose file the value in force came from; None for a variable or the default."""
        return next((o for o, path in self.paths.items() if self.sources[name] == str(path)), None)

    def stronger_than(self, owner: Owner, name: str) -> str:
        """Return the origin that overrides a value in an owner's file; empty where that counts."""
        if self.sources[name] == variable(name):
            return variable(name)
        is_outdone = owner is Owner.USER and name in self.in_files[Owner.PROJECT]
        return Owner.PROJECT.value if is_outdone and not known_settings()[name].is_personal else ""


def read_settings(memory: Memory) -> SettingsView:
    memory.reload_settings()
    return _view(memory.path, memory.settings, memory.settings_sources, memory.settings_mistakes)


def view_settings(path: Path, loaded: LoadedSettings) -> SettingsView:
    return _view(path, loaded.settings, loaded.sources, loaded.mistakes)


def _view(
    path: Path, settings: Settings, sources: Mapping[str, str], mistakes: Sequence[Mistake]
) -> SettingsView:
    paths = {Owner.USER: user_file(), Owner.PROJECT: project_file(path)}
    in_files = {owner: settings_in(path) for owner, path in paths.items()}
    return SettingsView(app_settings(settings), sources, mistakes, paths, in_files)


def set_value(view: SettingsView, owner: Owner, name: str, text: str) -> tuple[FileChange, str]:
    """Set a setting in an owner's file to the value of a text; return a sentence, too.

    Raises `InvalidSetting` and what `keep_setting` raises; then the file is as it was.
    """
    check_owner(owner, name)
    value = typed_value(name, text)
    is_shared = owner is Owner.PROJECT and not is_own_file(view.paths[owner])
    if is_shared and known_settings()[name].is_users_alone(value):
        raise InvalidSetting(f"{name} = {in_words(value)} can only be set in your file.")
    change = keep_setting(_writable(view, owner), name, value)
    return change, f"{name} is {in_words(value)} in {owner.value}"


def unset_value(view: SettingsView, owner: Owner, name: str) -> tuple[FileChange, str]:
    """Take a setting out of an owner's file; return a sentence, too. Raises as `reset_setting`."""
    return reset_setting(_writable(view, owner), name), f"{name} reset in {owner.value}"


def check_owner(owner: Owner, name: str) -> None:
    """Raise `InvalidSetting` where an owner's file can't set it."""
    if owner is Owner.PROJECT and known_settings()[name].is_personal:
        raise InvalidSetting(f"{name} can only be set in your file.")


def _writable(view: SettingsView, owner: Owner) -> Path:
    """Return the file of an owner. A clone may bring a link as the project's, to anybody's file."""
    path = view.paths[owner]
    if owner is Owner.PROJECT and path.is_symlink():
        raise WriteFailed(
            f"{path} is a symbolic link; settings are not written through links.",
            "Replace it with a regular file.",
        )
    return path


def variable(name: str) -> str:
    return f"{PREFIX}{name.upper()}"


def in_words(value: Any) -> str:  # noqa: ANN401 - whatever a setting may be
    """Return a value as one types it; `not set` for an empty one."""
    return as_typed(value) or "not set"
