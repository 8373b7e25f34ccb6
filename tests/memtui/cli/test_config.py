"""`config` and `budget`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def editor(monkeypatch: pytest.MonkeyPatch, appended: str) -> None:
    program = f"import sys; open(sys.argv[1], 'a', encoding='utf-8').write({appended!r})"
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", program]))


def test_each_setting_says_where_it_came_from(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".agentx" / "memtui.toml").write_text("max_tokens = 900\nmanifestCacheTtlMs = 5\n")
    monkeypatch.setenv("MEMTUI_THEME", "nord")
    monkeypatch.setenv("MEMTUI_CAPACITIES", "{ episodic = 50 }")
    done = memtui("config")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert lines["enabled"].split()[1:] == ["true", "default"]
    assert "900" in lines["max_tokens"]
    assert "memtui.toml" in lines["max_tokens"]
    assert lines["theme"].endswith('"nord"  from MEMTUI_THEME')
    assert lines["capacities"].endswith("{ episodic = 50 }  from MEMTUI_CAPACITIES")
    assert "(no file)" in done.err
    assert "The project's settings: " in done.err
    assert "manifestCacheTtlMs" not in done.err
    data = json.loads(memtui("config", "--json").out)
    assert data["settings"]["max_tokens"]["value"] == 900
    assert data["mistakes"] == []


def test_settings_are_edited_and_mistakes_told(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, "max_tokens = 700\nmax_toknes = 1\n")
    done = memtui("config", "edit")
    assert done.code == 0
    assert "max_toknes" in done.err
    written = (tmp_path / "config" / "memtui" / "settings.toml").read_text()
    assert written.startswith("# Settings of memtui")
    assert json.loads(memtui("config", "--json").out)["settings"]["max_tokens"]["value"] == 700


def test_one_setting_is_changed_and_the_rest_of_the_file_stays(
    memtui: Run, tmp_path: Path, project: Path
) -> None:
    yours = tmp_path / "config" / "memtui" / "settings.toml"
    yours.parent.mkdir(parents=True)
    yours.write_text("# mine\nmaxTokens = 900 # few\n\n[keymap]\narchive = 'f8' # mine too\n")
    done = memtui("config", "set", "max_tokens", "8000")
    assert (done.code, done.out) == (0, "max_tokens is 8000 in your file.\n")
    kept = "# mine\nmaxTokens = 8000 # few\n\n[keymap]\narchive = 'f8' # mine too\n"
    assert yours.read_text() == kept
    assert memtui("config", "set", "theme", "nord", "--project").out == (
        "theme is nord in the project's file.\n"
    )
    assert (project / ".agentx" / "memtui.toml").read_text() == 'theme = "nord"\n'
    assert memtui("config", "set", "theme", "dracula").out == (
        "theme is dracula in your file, but the project's file overrides it.\n"
    )
    assert memtui("config", "unset", "theme").out == (
        "theme reset in your file; it is nord now (the project's file).\n"
    )
    again = memtui("config", "unset", "theme")
    assert (again.code, again.err) == (
        0,
        "theme is not set in your file. It is set by the project's file.\n",
    )
    assert memtui("config", "unset", "max_tokens").out == (
        "max_tokens reset in your file; it is 20000 now (default).\n"
    )
    assert yours.read_text() == "# mine\n\n[keymap]\narchive = 'f8' # mine too\n"


@pytest.mark.usefixtures("project")
def test_a_setting_that_is_not_valid_is_refused(memtui: Run, tmp_path: Path) -> None:
    for arguments, said in (
        (["max_tokens", "many"], "Give a whole number from 0 to 10,000,000."),
        (["max_tokens", "-4"], "Give a whole number from 0 to 10,000,000."),
        (["enabled", "maybe"], "Give true or false."),
        (["theme", "norf"], "Unknown theme `norf`; did you mean `nord`?"),
        (["keymap", "x"], 'Give a table, such as { archive = "f8,ctrl+d" }.'),
        (["keymap", "{ archve = 'x' }"], "did you mean `archive`?"),
        (["editor", "vi", "--project"], "editor can only be set in your file."),
        (["max_toknes", "1"], "Did you mean `max_tokens`?"),
        (["nothing", "1"], "`memtui config` lists the settings."),
        (
            ["backend", "postgresql://me:geheim@host/db"],
            "PGPASSWORD, not in settings.",
        ),
    ):
        done = memtui("config", "set", *arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.rstrip().endswith(said)
    assert not list(tmp_path.rglob("*.toml"))


def test_no_setting_is_written_where_that_could_harm(
    memtui: Run, tmp_path: Path, project: Path
) -> None:
    other = tmp_path / "other.toml"
    other.write_text("x = 1\n")
    (project / ".agentx" / "memtui.toml").symlink_to(other)
    for arguments in (["set", "theme", "nord"], ["unset", "theme"]):
        done = memtui("config", *arguments, "--project")
        assert (done.code, "is a symbolic link" in done.err) == (1, True)
    assert other.read_text() == "x = 1\n"
    yours = tmp_path / "config" / "memtui" / "settings.toml"
    yours.parent.mkdir(parents=True)
    yours.write_text("theme = \n")
    done = memtui("config", "set", "theme", "nord")
    assert (done.code, "is not valid TOML" in done.err) == (1, True)
    assert yours.read_text() == "theme = \n"
