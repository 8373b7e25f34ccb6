"""Where settings come from, and how a mistake in them is named."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.settings.schema import AppSettings, app_settings
from memtui.words.notices import sentence
from store.backends.location import FOLDER
from store.settings.files import (
    DEFAULT,
    MAX_BYTES,
    LoadedSettings,
    load_settings,
    project_file,
    settings_template,
)
from store.settings.schema import known_settings


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


def test_the_keys_of_the_specification_are_taken(memory: Path) -> None:
    loaded = load(memory, "maxTokens = 9\nstaleArchiveAfterDays = 8\nmanifestCacheTtlMs = 60000\n")
    assert loaded.settings.max_tokens == 9
    assert loaded.settings.stale_archive_after_days == 8
    assert loaded.mistakes == ()


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
