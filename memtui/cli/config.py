"""`memtui config`: the settings, where each came from, and changing them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.completed_values import complete_setting, complete_setting_value
from memtui.cli.memory import find_memory
from memtui.cli.options import json_option, never_asks_option
from memtui.cli.output import note, note_all, one_line, paint, print_json, print_line
from memtui.editing.editor import NoEditor, editor_command, run_editor
from memtui.formatting import shown_path
from memtui.settings.schema import app_settings
from memtui.settings.values import (
    Owner,
    SettingsView,
    in_words,
    set_value,
    unset_value,
    view_settings,
)
from memtui.words.notices import sentence
from store.backends.location import FOLDER, own_place, place_to_start
from store.errors import InvalidSetting, NoMemory
from store.platform.home import check_home, is_nowhere
from store.settings.files import (
    LoadedSettings,
    load_settings,
    project_file,
    settings_template,
    user_file,
)
from store.settings.values import as_typed, setting_named
from store.text.display import visible

_EPILOG = """\b
Examples:
  memtui config                   each setting, its value and source
  memtui config --json
  memtui config set max_tokens 8000
  memtui config set theme nord --project
  memtui config unset theme
  memtui config edit              edit your settings
  memtui config edit --project    edit this project's settings
  MEMTUI_MAX_TOKENS=8000 memtui config
"""
_project = click.option(
    "--project", is_flag=True, help="Change this project's file instead of yours."
)


@click.group(epilog=_EPILOG, invoke_without_command=True)
@json_option
@click.pass_context
def config_command(ctx: click.Context, as_json: bool) -> None:
    """Show each setting and where it comes from.

    Environment variables override the project's file, which overrides yours.
    """
    if ctx.invoked_subcommand is None:
        loaded = _loaded()
        if as_json:
            print_json(_as_data(loaded))
        else:
            _print(loaded)


@config_command.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key", shell_complete=complete_setting)
@click.argument("value", shell_complete=complete_setting_value)
@_project
@never_asks_option
def set_setting(key: str, value: str, project: bool) -> None:
    """Set KEY to VALUE; comments in the file are kept.

    A table is written as in TOML: memtui config set keymap '{ archive = "f8" }'
    """
    owner = _owner(project)
    name, before = _named(key)
    try:
        _, outcome = set_value(before, owner, name, value)
    except InvalidSetting as error:
        raise InvalidSetting(f"{name} not changed.", error.message) from error
    stronger = _view().stronger_than(owner, name)
    print_line(visible(f"{outcome}{f', but {stronger} overrides it' if stronger else ''}."))


@config_command.command("unset")
@click.argument("key", shell_complete=complete_setting)
@_project
@never_asks_option
def unset_setting(key: str, project: bool) -> None:
    """Remove KEY from the settings file."""
    owner = _owner(project)
    name, before = _named(key)
    change, outcome = unset_value(before, owner, name)
    now = _view()
    if change.is_changed:
        print_line(
            visible(f"{outcome}; it is {in_words(now.value(name))} now ({now.source(name)}).")
        )
        return
    elsewhere = f" It is set by {now.source(name)}." if now.is_chosen(name) else ""
    note(visible(f"{name} is not set in {owner.value}.{elsewhere}"))


@config_command.command()
@_project
def edit(project: bool) -> None:
    """Edit the settings file; a new one lists every setting."""
    command = editor_command(app_settings(_loaded().settings).editor)
    path = project_file(_memory()) if project else user_file()
    if not command:
        hint = f"Set EDITOR, for example to `nano`, or edit {shown_path(path)} by hand."
        raise NoEditor("No editor is set.", hint)
    check_home(path)
    is_new = not path.exists()
    if is_new:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(settings_template(), encoding="utf-8")
    try:
        run_editor(command, path)
    finally:
        untouched = is_new and path.is_file() and path.read_bytes() == settings_template().encode()
        if untouched:
            path.unlink()
    if untouched:
        note("No settings changed.")
        return
    note(f"Saved {shown_path(path)}.")
    _print_mistakes(_loaded())


def _owner(project: bool) -> Owner:
    return Owner.PROJECT if project else Owner.USER


def _named(key: str) -> tuple[str, SettingsView]:
    """Return a setting's full name, and what the files have now. Raises `InvalidSetting`."""
    return setting_named(key), _view()


def _view() -> SettingsView:
    return view_settings(_memory(), _loaded())


def _memory() -> Path:
    """The memory whose settings are asked for; where there is none, the one that would be here."""
    try:
        found = own_place(find_memory())
    except NoMemory:
        return Path.cwd() / FOLDER
    # The settings of a memory in a database are those of the project that we are in.
    return found if isinstance(found, Path) else place_to_start(Path.cwd()) / FOLDER


def _loaded() -> LoadedSettings:
    loaded = load_settings(_memory())
    return loaded._replace(settings=app_settings(loaded.settings))


def _print(loaded: LoadedSettings) -> None:
    values = asdict(loaded.settings)
    wide = max(len(name) for name in values)
    for name, value in values.items():
        source = loaded.sources[name]
        came = source if source == "default" else f"from {source}"
        print_line(
            f"{name.ljust(wide)}  {one_line(_written(value))}  {paint(one_line(came), dim=True)}"
        )
    _print_files()
    _print_mistakes(loaded)


def _print_files() -> None:
    for whose, path in (("Your", user_file()), ("The project's", project_file(_memory()))):
        if is_nowhere(path):
            note(f"{whose} settings: no home folder found. Set HOME or XDG_CONFIG_HOME.")
            continue
        missing = "" if path.is_file() else " (no file)"
        note(f"{whose} settings: {shown_path(path)}{missing}")


def _print_mistakes(loaded: LoadedSettings) -> None:
    note_all(mistake.notice for mistake in loaded.mistakes)


def _written(value: object) -> str:
    """Return a value as it is set: `true`, `20000`, `"memtui"`, `{ episodic = 50 }`."""
    is_table = isinstance(value, Mapping) and value
    return as_typed(value) if is_table else json.dumps(value, ensure_ascii=False)


def _as_data(loaded: LoadedSettings) -> dict[str, object]:
    return {
        "settings": {
            name: {"value": value, "source": loaded.sources[name]}
            for name, value in asdict(loaded.settings).items()
        },
        "mistakes": [sentence(mistake.notice) for mistake in loaded.mistakes],
    }
