"""Where settings come from: the user's file, the project's over it, the environment over both.

A mistake never stops anything: it is reported with its place, and ignored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from store.home import user_folder
from store.settings.checks import WrongValue, check_setting, is_plainly_right, settings_class
from store.settings.known import as_toml, closest_setting, is_renamed, known_settings, spellings
from store.settings.mistakes import Mistake, MistakeKind
from store.settings.schema import RENAMED_SETTINGS, Settings

DEFAULT = "default"
"""The source of a setting that nobody chose."""
PREFIX = "MEMTUI_"
"""What the environment variable of a setting begins with."""
_OTHERS = frozenset({"MEMTUI_DIR", "MEMTUI_AGENT", "MEMTUI_ISSUE", "MEMTUI_TRACEBACK"})
"""Variables that begin so and are no settings: where only they are set, no class is loaded."""
PROJECT_FILE = "memtui.toml"
"""The project's settings, beside its memory folder."""
MAX_BYTES = 32 * 1024
"""The largest file that is read as settings."""


_NOT_NEEDED = frozenset({"manifestCacheTtlMs", "manifest_cache_ttl_ms"})


class LoadedSettings(NamedTuple):
    """The settings in force, and where each came from.

    `chosen` has those that are not the default: a file's path, or an environment variable. Where
    nothing is chosen, `settings` are those of memory alone. `mistakes` were
    ignored; `notes` are about names that do nothing, or that have another one now.
    """

    settings: Settings
    chosen: Mapping[str, str]
    mistakes: tuple[Mistake, ...] = ()
    notes: tuple[Mistake, ...] = ()

    @property
    def sources(self) -> Mapping[str, str]:
        """Where each setting came from."""
        return {name: self.chosen.get(name, DEFAULT) for name in known_settings()}


@dataclass(slots=True)
class _Chosen:
    """What was chosen so far; what is chosen later wins."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def choose(self, name: str, value: object, source: str) -> None:
        self.values[name] = value
        self.sources[name] = source


def user_file() -> Path:
    """The user's settings file, whether or not it exists."""
    return user_folder("config") / "settings.toml"


def project_file(memory: Path) -> Path:
    """The settings file of the project that a memory folder belongs to."""
    return memory.parent / PROJECT_FILE


def load_settings(
    memory: Path, environ: Mapping[str, str] = os.environ, user: Path | None = None
) -> LoadedSettings:
    """The settings for a memory folder. `user` is the user's file, by default the usual one."""
    chosen = _Chosen()
    _read_file(user or user_file(), chosen)
    _read_file(project_file(memory), chosen, is_project=True)
    _read_environment(environ, chosen)
    return LoadedSettings(
        # A program's own class is loaded where there is something to choose.
        settings_class()(**chosen.values) if chosen.values else Settings(),
        chosen.sources,
        tuple(it for it in chosen.mistakes if it.is_ignored),
        tuple(it for it in chosen.mistakes if not it.is_ignored),
    )


def user_choice(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """A text that the environment or the user's file sets; empty where neither does."""
    if chosen := environ.get(f"{PREFIX}{name.upper()}", ""):
        return chosen
    try:
        if name.encode() not in user_file().read_bytes()[:MAX_BYTES]:
            return ""
    except OSError:
        return ""
    return str(settings_in(user_file()).get(name, ""))


def given_settings(settings: Settings) -> LoadedSettings:
    """Settings that a program made itself, instead of loading them."""
    known = known_settings().items()
    given = [name for name, info in known if getattr(settings, name, info.default) != info.default]
    return LoadedSettings(settings, dict.fromkeys(given, "given"))


def settings_in(path: Path) -> Mapping[str, Any]:
    """What one file sets, by the names of fields; without what is wrong in it."""
    chosen = _Chosen()
    _read_file(path, chosen)
    return chosen.values


def settings_template() -> str:
    """A settings file with every field, its meaning and its default, all commented out."""
    parts = [
        "# Settings of memtui. Uncomment the lines you want to change.",
        f"# A project's {PROJECT_FILE}, beside its memory folder, overrides the user's file;",
        f"# environment variables, such as {PREFIX}MAX_TOKENS, override both.",
    ]
    for name, info in known_settings().items():
        shown = info.example if info.is_table else info.default
        word = "Not set by default; example" if info.is_table else "Default"
        parts += ["", f"# {info.meaning}", f"# {word}:", f"# {name} = {as_toml(shown)}"]
    return "\n".join(parts) + "\n"


def _read_file(path: Path, chosen: _Chosen, *, is_project: bool = False) -> None:
    """Take the settings of one file, if there is one."""
    try:
        text = _text_of(path)
    except (OSError, ValueError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
        chosen.mistakes.append(Mistake(MistakeKind.FILE, str(path), detail=reason))
        return
    if not text.strip():
        return
    from store.bounds import load_toml
    from store.settings.toml_lines import line_of, lines_of

    try:
        values = load_toml(text)
    except ValueError as error:
        chosen.mistakes.append(Mistake(MistakeKind.TOML, str(path), detail=str(error)))
        return
    lines, names = lines_of(text), spellings()

    def wrong(kind: MistakeKind, at: tuple[str, ...], detail: str = "") -> None:
        line = line_of(lines, at)
        chosen.mistakes.append(Mistake(kind, str(path), ".".join(at), line, detail))

    for key, value in values.items():
        name = names.get(key)
        if key in _NOT_NEEDED:
            wrong(MistakeKind.NOT_NEEDED, (key,))
        elif name is None:
            wrong(MistakeKind.UNKNOWN, (key,), closest_setting(key))
        elif is_project and known_settings()[name].is_personal:
            wrong(MistakeKind.USER_ONLY, (key,))
        else:
            for where, why in _take(name, value, str(path), chosen):
                wrong(MistakeKind.VALUE, (key, *where), why)
            if is_renamed(key):
                wrong(MistakeKind.RENAMED, (key,), name)


def _take(
    name: str, value: object, source: str, chosen: _Chosen
) -> list[tuple[tuple[str, ...], str]]:
    """Take one setting of a file; of a table, what is right in it.

    Returns what was wrong: the names below the setting that lead there, and why.
    """
    try:
        right = value if is_plainly_right(name, value) else check_setting(name, value, strict=True)
    except WrongValue as error:
        bad = {problem.where[:1] for problem in error.problems}
        if isinstance(value, dict) and () not in bad:
            left = {key: item for key, item in value.items() if (key,) not in bad}
            if left:
                _take(name, left, source, chosen)
        return [(problem.where, problem.why) for problem in error.problems]
    _choose(name, right, source, chosen)
    return []


def _choose(name: str, value: Any, source: str, chosen: _Chosen) -> None:  # noqa: ANN401 - of the field's type
    """Choose a value that is right."""
    chosen.choose(name, value, source)


def _read_environment(environ: Mapping[str, str], chosen: _Chosen) -> None:
    """Take the settings that environment variables name; tables are written as in TOML."""
    if not any(name.startswith(PREFIX) and name not in _OTHERS for name in environ):
        return
    names = {name: name for name in known_settings()}
    for spelled, name in (RENAMED_SETTINGS | names).items():
        variable = PREFIX + spelled.upper()
        text = environ.get(variable, "")
        if not text:
            continue
        from store.settings.typed import value_of

        try:
            _choose(name, value_of(name, text), variable, chosen)
        except WrongValue as error:
            why = error.problems[0].why
            chosen.mistakes.append(Mistake(MistakeKind.VALUE, variable, detail=why))
            continue
        if spelled != name:
            now = PREFIX + name.upper()
            chosen.mistakes.append(Mistake(MistakeKind.RENAMED, variable, variable, detail=now))


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
