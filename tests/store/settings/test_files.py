"""Settings: their files, values and changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from memtui.settings.schema import AppSettings, app_settings
from memtui.words.notices import sentence
from store.backends.location import FOLDER
from store.errors import Conflict, WriteFailed
from store.settings.edit import keep_setting, reset_setting, take_back
from store.settings.files import (
    DEFAULT,
    MAX_BYTES,
    LoadedSettings,
    load_settings,
    project_file,
    settings_template,
)
from store.settings.schema import check_backend, known_settings
from store.settings.values import WrongValue, value_of


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    return folder


def load(
    memory: Path, user: str = "", project: str = "", environ: dict[str, str] | None = None
) -> LoadedSettings:
    place = memory / "user.toml"
    place.write_text(user)
    project_file(memory).write_text(project)
    return load_settings(memory, environ or {}, place)


def test_the_project_wins_over_the_user_and_the_environment_over_both(memory: Path) -> None:
    loaded = load(
        memory,
        "max_tokens = 1\ncontext_limit = 2000\ntheme = 'nord'",
        "max_tokens = 2\ncontext_limit = 3000",
        {"MEMTUI_MAX_TOKENS": "3"},
    )
    assert loaded.settings.max_tokens == 3
    assert loaded.settings.context_limit == 3000
    assert app_settings(loaded.settings).theme == "nord"
    assert loaded.sources["max_tokens"] == "MEMTUI_MAX_TOKENS"
    assert loaded.sources["context_limit"] == str(project_file(memory))
    assert loaded.sources["theme"] == str(memory / "user.toml")
    assert loaded.sources["enabled"] == DEFAULT


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max_token = 3", "line 2: unknown setting `max_token`; did you mean `max_tokens`?"),
        ("whatever = 3", "line 2: unknown setting `whatever`."),
        (
            "max_tokens = '3'",
            "line 2: `max_tokens` ignored: give a whole number from 0 to 10,000,000.",
        ),
        ("max_tokens = true", "line 2: `max_tokens` ignored: give a whole number"),
        ("maxTokens = -1", "line 2: `maxTokens` ignored: give a whole number"),
        ("keymap = 3", "line 2: `keymap` ignored: give a table, such as { archive"),
        ('"max_tokens" = []', "line 2: `max_tokens` ignored"),
        ("capacities.semantic = 0", "line 2: `capacities.semantic` ignored"),
        ("[keymap]\nundo = 3", "line 3: `keymap.undo` ignored"),
        ("theme = 'norf'", "line 2: `theme` ignored: unknown theme `norf`; did you mean `nord`?"),
        ("theme = ''", "line 2: `theme` ignored: unknown theme ``; known: memtui,"),
        ("keymap.undoo = 'x'", "line 2: `keymap.undoo` ignored: unknown action `undoo`"),
        ("[keymap]\nundo = 'f99'", "line 3: `keymap.undo` ignored: unknown key `f99`"),
        ("recall_weights.recensy = 1", "line 2: `recall_weights.recensy` ignored: unknown"),
        ("recall_weights = { recency = nan }", "line 2: `recall_weights.recency` ignored"),
        ("recall_weights = { recency = inf }", "line 2: `recall_weights.recency` ignored"),
        ("recall_weights = { recency = -inf }", "line 2: `recall_weights.recency` ignored"),
        (
            "recall_weights.recency = -2e9",
            "line 2: `recall_weights.recency` ignored: give a number from",
        ),
    ],
)
def test_mistakes_are_named(memory: Path, line: str, said: str) -> None:
    loaded = load(memory, project=f"# mine\n{line}\n")
    assert app_settings(loaded.settings) == AppSettings()
    assert len(loaded.mistakes) == 1
    assert f"{project_file(memory)}, {said}" in sentence(loaded.mistakes[0].notice)


def test_a_project_cannot_name_a_command_to_run(memory: Path) -> None:
    loaded = load(memory, "editor = 'vi'", "editor = 'sh -c harm'")
    assert app_settings(loaded.settings).editor == "vi"
    assert "line 1: `editor` ignored: only your own settings file" in sentence(
        loaded.mistakes[0].notice
    )


def test_the_environment_takes_tables_and_names_its_mistakes(memory: Path) -> None:
    loaded = load(
        memory,
        environ={
            "MEMTUI_KEYMAP": '{ undo = "f9" }',
            "MEMTUI_ENABLED": "false",
            "MEMTUI_EDITOR": "ed",
            "MEMTUI_CONTEXT_LIMIT": "lots",
            "MEMTUI_CAPACITIES": "lots",
            "MEMTUI_THEME": "",
            "MEMTUI_DIR": "elsewhere",
        },
    )
    assert app_settings(loaded.settings) == AppSettings(
        enabled=False, keymap={"undo": "f9"}, editor="ed"
    )
    assert {it.source for it in loaded.mistakes} == {"MEMTUI_CONTEXT_LIMIT", "MEMTUI_CAPACITIES"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"max_tokens = \n", "not valid TOML"),
        (b"a = " + b"[" * 5_000, "not valid TOML"),
        (b"theme = '\xff'\n", "byte 9 is not UTF-8"),
        (b"#" * (MAX_BYTES + 1), "larger than 32 KB"),
    ],
    ids=["no value", "deep", "not UTF-8", "large"],
)
def test_a_file_that_cannot_be_read_is_named(memory: Path, data: bytes, said: str) -> None:
    project_file(memory).write_bytes(data)
    loaded = load_settings(memory, {}, memory / "none.toml")
    assert app_settings(loaded.settings) == AppSettings()
    assert said in sentence(loaded.mistakes[0].notice)
    assert str(project_file(memory)) in sentence(loaded.mistakes[0].notice)


def test_the_template_names_every_field_with_its_default(memory: Path) -> None:
    lines = settings_template().splitlines()
    text = "\n".join(line.removeprefix("# ") for line in lines if " = " in line)
    values = tomllib.loads(text)
    loaded = load(memory, text)
    assert values.keys() == known_settings().keys()
    assert loaded.mistakes == ()
    for name, info in known_settings().items():
        assert info.meaning and info.meaning in "\n".join(lines).replace("\n# ", " ")
        assert values[name] == (info.example if info.is_table else info.default)


@given(st.text(max_size=200))
def test_no_text_stops_the_loading(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    memory = tmp_path_factory.getbasetemp() / "any" / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    project_file(memory).write_bytes(text.encode())
    assert app_settings(load_settings(memory, {}, memory / "none.toml").settings) == AppSettings()


@pytest.mark.parametrize("old", ["max_observations_per_capture", "maxObservationsPerCapture"])
def test_a_setting_counts_by_its_former_name(memory: Path, old: str) -> None:
    loaded = load(memory, f"{old} = 7")
    assert loaded.settings.max_memories_per_capture == 7
    assert not loaded.mistakes
    variable = "MEMTUI_MAX_OBSERVATIONS_PER_CAPTURE"
    loaded = load(memory, environ={variable: "8"})
    assert loaded.settings.max_memories_per_capture == 8
    loaded = load(memory, environ={variable: "8", "MEMTUI_MAX_MEMORIES_PER_CAPTURE": "9"})
    assert loaded.settings.max_memories_per_capture == 9


# The settings: every field has a meaning and a default, and none changes under way.


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://joe:secret@host/x",
        "postgresql://joe@host/x?password=secret",
        "postgresql://joe@host/x?sslmode=require&password=secret",
    ],
)
def test_no_password_is_taken_into_settings(url: str) -> None:
    with pytest.raises(ValueError, match="passwords"):
        check_backend(url)
    check_backend(url.replace("password", "passfile").replace(":secret", ""))


# What is told at a glance of a value is what the whole check says of it.

_NAMES = sorted(known_settings())
_PLAIN = st.one_of(
    st.booleans(),
    st.integers(-2, 40_000),
    st.sampled_from([10**7, 10**7 + 1, 10**9, 10**9 + 1, 36_500, 36_501, 10**30]),
    st.floats(),
    st.sampled_from(["", "nord", "vi", "f8,ctrl+d", "true", "7", "semantic", "postgresql://a/b"]),
    st.none(),
)
_KEYS = ["semantic", "episodic", "recency", "fresh", "gemini-cli", "archive", "nothing", ""]
_VALUES = _PLAIN | st.lists(_PLAIN, max_size=2) | st.dictionaries(st.sampled_from(_KEYS), _PLAIN)


@given(st.sampled_from(_NAMES), _VALUES)
def test_pydantic_takes_what_is_taken_without_it(name: str, value: object) -> None:
    info = known_settings()[name]
    if info.is_table or not info.accepts.matches(value):
        return
    assert TypeAdapter(info.accepts.annotation).validate_python(value, strict=True) == value


def test_a_number_of_more_digits_than_are_read_is_not_right() -> None:
    with pytest.raises(WrongValue):
        value_of("stale_archive_after_days", "9" * 5_000)


# One setting is changed in its file, and nothing else.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, 'theme = "nord"\n'),
        ("", 'theme = "nord"\n'),
        ('theme = "x" # mine\nmax_tokens = 9\n', 'theme = "nord" # mine\nmax_tokens = 9\n'),
        ("# theme = 1\nmax_tokens = 9", 'theme = "nord"\n# theme = 1\nmax_tokens = 9'),
        ("maxTokens = 9\r\n", 'theme = "nord"\r\nmaxTokens = 9\r\n'),
        ('a = """\n\n[x]\n"""\n', 'theme = "nord"\na = """\n\n[x]\n"""\n'),
        ('# keys\n[keymap]\ntheme = "f8"\n', 'theme = "nord"\n# keys\n[keymap]\ntheme = "f8"\n'),
    ],
)
def test_a_setting_is_put_in_its_place(tmp_path: Path, before: str | None, after: str) -> None:
    path = tmp_path / "memtui" / "settings.toml"
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before.encode())
    keep_setting(path, "theme", "nord")
    assert path.read_bytes().decode() == after
    assert app_settings(load_settings(tmp_path / "memory", {}, path).settings).theme == "nord"
    assert [each.name for each in path.parent.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_modes_of_settings_files(tmp_path: Path, mode: int) -> None:
    path, new = tmp_path / "settings.toml", tmp_path / "new.toml"
    path.write_text("max_tokens = 9\n")
    path.chmod(mode)
    keep_setting(path, "theme", "nord")
    keep_setting(new, "theme", "nord")
    assert [each.stat().st_mode & 0o777 for each in (path, new)] == [mode, 0o600]


def test_a_link_stays_one_and_what_it_leads_to_is_changed(tmp_path: Path) -> None:
    path, real = tmp_path / "settings.toml", tmp_path / "dotfiles.toml"
    real.write_text("max_tokens = 9\n")
    path.symlink_to(real)
    keep_setting(path, "max_tokens", 12)
    assert path.is_symlink()
    assert real.read_text() == "max_tokens = 12\n"


def test_a_reset_takes_out_one_setting_and_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\ntheme = "nord"\nmax_tokens = 9\n[keymap]\nundo = "f8"\n')
    before = path.read_text()
    reset = reset_setting(path, "theme")
    assert path.read_text() == '# mine\nmax_tokens = 9\n[keymap]\nundo = "f8"\n'
    assert not reset_setting(path, "theme").is_changed
    again = take_back(reset)
    assert path.read_text() == before
    take_back(again)
    path.write_text("max_tokens = 1\n")
    with pytest.raises(Conflict, match="has changed since"):
        take_back(again)


@pytest.mark.parametrize(
    ("content", "why"), [(b"\xff", "not a text file"), (b"theme = \n", "not valid TOML")]
)
def test_a_file_that_can_not_be_changed_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "settings.toml").write_bytes(content)
    with pytest.raises(WriteFailed, match=why):
        keep_setting(tmp_path / "settings.toml", "theme", "nord")
    assert (tmp_path / "settings.toml").read_bytes() == content
