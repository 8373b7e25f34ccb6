"""Settings from files: the user's, the project's over it, the environment over both.

A mistake never stops anything: it is reported with its place, and ignored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from store.notice import Notice
from store.platform.bounds import load_toml
from store.platform.home import user_folder
from store.settings.schema import Settings, known_settings, settings_class
from store.settings.values import (
    Problem,
    WrongValue,
    as_toml,
    check_value,
    closest_setting,
    spellings,
    value_of,
)

DEFAULT = "default"
"""The source of a setting that nobody chose."""
PREFIX = "MEMTUI_"
"""What the environment variable of a setting begins with."""
_OTHERS = frozenset({"MEMTUI_DIR", "MEMTUI_AGENT", "MEMTUI_ISSUE", "MEMTUI_TRACEBACK"})
"""Variables that begin so and are no settings: where only they are set, no class is loaded."""
PROJECT_FILE = "memtui.toml"
"""The project's settings, next to its memory folder."""
MAX_BYTES = 32 * 1024
"""The largest file that is read as settings."""
_WITHOUT_EFFECT = frozenset({"manifestCacheTtlMs", "manifest_cache_ttl_ms"})
"""A setting of SPEC-29 for a cache that memtui does not have."""
_SIGNS = re.compile(r"[\s.\[\]\"']+")
"""What divides the names in a line of TOML."""


class MistakeKind(StrEnum):
    """The kinds of mistakes in settings and their files."""

    FILE = "file"
    """The file can't be read; `detail` is the reason."""
    TOML = "toml"
    """The file is not TOML; `detail` is the parser's message."""
    UNKNOWN = "unknown"
    """No setting has this name; `detail` is one that is spelt much like it, if any."""
    USER_ONLY = "user-only"
    """Only the user's own file may set it."""
    VALUE = "value"
    """The value is not valid; `detail` is the reason."""


class Mistake(NamedTuple):
    """One thing that is wrong in the settings, and was ignored.

    `source` is a file's path or an environment variable, `line` counts from 1.
    """

    kind: MistakeKind
    source: str
    key: str = ""
    line: int | None = None
    detail: str = ""

    @property
    def notice(self) -> Notice:
        place = self.source if self.line is None else f"{self.source}, line {self.line}"
        kind = f"setting-{self.kind}"
        if self.kind is MistakeKind.UNKNOWN and self.detail:
            kind = "setting-misspelt"
        elif self.kind is MistakeKind.VALUE and not self.key:
            kind = "variable-value"
        return Notice(kind, {"key": self.key, "detail": self.detail}, place)


class LoadedSettings(NamedTuple):
    """The settings in force, and where each came from.

    `chosen` has those that are not the default: a file's path, or an environment variable. Where
    nothing is chosen, `settings` are those of memory alone. `mistakes` were ignored.
    """

    settings: Settings
    chosen: Mapping[str, str]
    mistakes: tuple[Mistake, ...] = ()

    @property
    def sources(self) -> Mapping[str, str]:
        return {name: self.chosen.get(name, DEFAULT) for name in known_settings()}


_SAFE_REVIEW = "before"
"""The value of `review` where a mistake hides it: nobody turned it off."""


@dataclass(slots=True)
class _Chosen:
    """Choices collected so far; a later one wins."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def choose(self, name: str, value: object, source: str) -> None:
        self.values[name] = value
        self.sources[name] = source


def user_file() -> Path:
    """Return the user's settings file, whether or not it exists."""
    return user_folder("config") / "settings.toml"


def project_file(memory: Path) -> Path:
    """Return the settings file of the project that a memory folder belongs to."""
    return memory.parent / PROJECT_FILE


def is_own_file(path: Path) -> bool:
    """Return whether a project's file is in the user's data folder, where no clone brings one."""
    return path.is_relative_to(user_folder("data"))


def load_settings(
    memory: Path,
    environ: Mapping[str, str] = os.environ,
    user: Path | None = None,
    shared: Path | None = None,
) -> LoadedSettings:
    """The settings for a memory folder. `user` is the user's file, by default the usual one, and
    `shared` another memory of the project, whose settings come before its own.
    """
    chosen = _Chosen()
    _read_file(user or user_file(), chosen)
    if shared is not None:
        _read_file(project_file(shared), chosen, is_project=True)
    _read_file(project_file(memory), chosen, is_project=True)
    _read_environment(environ, chosen)
    return LoadedSettings(
        # A program's own class is loaded where there is something to choose.
        settings_class()(**chosen.values) if chosen.values else Settings(),
        chosen.sources,
        tuple(chosen.mistakes),
    )


def user_choice(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text that the environment or the user's file sets; empty where neither does."""
    if chosen := environ.get(f"{PREFIX}{name.upper()}", ""):
        return chosen
    try:
        if name.encode() not in user_file().read_bytes()[:MAX_BYTES]:
            return ""
    except OSError:
        return ""
    return str(settings_in(user_file()).get(name, ""))


def given_settings(settings: Settings) -> LoadedSettings:
    """Return the settings that a program made itself, instead of loading them."""
    known = known_settings().items()
    given = [name for name, info in known if getattr(settings, name, info.default) != info.default]
    return LoadedSettings(settings, dict.fromkeys(given, "given"))


def settings_in(path: Path) -> Mapping[str, Any]:
    chosen = _Chosen()
    _read_file(path, chosen)
    return chosen.values


def settings_template() -> str:
    """Return a settings file with every field, its meaning and its default, all commented out."""
    parts = [
        "# Settings of memtui. Uncomment the lines you want to change.",
        f"# A project's {PROJECT_FILE}, next to its memory folder, overrides the user's file;",
        f"# environment variables, such as {PREFIX}MAX_TOKENS, override both.",
    ]
    subject = ""
    for name, info in known_settings().items():
        if info.subject != subject:
            subject = info.subject
            parts += ["", f"# -- {subject} --"]
        shown = info.example if info.is_table else info.default
        word = "Not set by default; example" if info.is_table else "Default"
        parts += ["", f"# {info.meaning}", f"# {word}:", f"# {name} = {as_toml(shown)}"]
    return "\n".join(parts) + "\n"


def _read_file(path: Path, chosen: _Chosen, *, is_project: bool = False) -> None:
    try:
        text = _text_of(path)
    except (OSError, ValueError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
        chosen.mistakes.append(Mistake(MistakeKind.FILE, str(path), detail=reason))
        return
    if not text.strip():
        return
    try:
        values = load_toml(text)
    except ValueError as error:
        chosen.mistakes.append(Mistake(MistakeKind.TOML, str(path), detail=str(error)))
        if any(line.lstrip().startswith("review") for line in text.splitlines()):
            chosen.choose("review", _SAFE_REVIEW, str(path))
        return
    names = spellings()

    def wrong(kind: MistakeKind, at: tuple[str, ...], detail: str = "") -> None:
        line = line_of(text, at)
        chosen.mistakes.append(Mistake(kind, str(path), ".".join(at), line, detail))

    for key, value in values.items():
        name = names.get(key)
        if key in _WITHOUT_EFFECT:
            continue
        if name is None:
            wrong(MistakeKind.UNKNOWN, (key,), closest_setting(key))
        elif is_project and not is_own_file(path) and known_settings()[name].is_users_alone(value):
            wrong(MistakeKind.USER_ONLY, (key,))
        else:
            for inner, why in _take(name, value, str(path), chosen):
                wrong(MistakeKind.VALUE, (key, inner) if inner else (key,), why)


def _take(name: str, value: object, source: str, chosen: _Chosen) -> tuple[Problem, ...]:
    """Take one setting of a file; of a table, what is right in it. Returns what was wrong."""
    try:
        chosen.choose(name, check_value(name, value), source)
    except WrongValue as error:
        if name == "review":
            chosen.choose(name, _SAFE_REVIEW, source)
        bad = {problem.key for problem in error.problems}
        if isinstance(value, dict) and "" not in bad:
            right = {key: item for key, item in value.items() if key not in bad}
            if right:
                _take(name, right, source, chosen)
        return error.problems
    return ()


def _read_environment(environ: Mapping[str, str], chosen: _Chosen) -> None:
    """Take the settings that environment variables name; tables are written as in TOML."""
    if not any(name.startswith(PREFIX) and name not in _OTHERS for name in environ):
        return
    for name, info in known_settings().items():
        for spelled in filter(None, (info.former, name)):
            variable = PREFIX + spelled.upper()
            if text := environ.get(variable, ""):
                try:
                    chosen.choose(name, value_of(name, text), variable)
                except WrongValue as error:
                    why = error.problems[0].why
                    chosen.mistakes.append(Mistake(MistakeKind.VALUE, variable, detail=why))


def _text_of(path: Path) -> str:
    """The text of a settings file, empty where there is none. Raises `OSError`, `ValueError`."""
    try:
        if not path.is_file():
            if path.exists():
                raise ValueError("not a regular file")
            return ""
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if len(data) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES // 1024} KB")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start:,} is not UTF-8") from error


def line_of(text: str, names: Sequence[str]) -> int | None:
    """Return the line on which a key is set, or else the table that holds it, where one is found.

    A name counts where it is before a `=` or in a table's head.
    """
    named = [
        set(_SIGNS.split(line.partition("#")[0].partition("=")[0])) for line in text.split("\n")
    ]
    found = 0
    for name in names:
        places = range(max(found - 1, 0), len(named))
        found = next((at + 1 for at in places if name in named[at]), found)
    return found or None
