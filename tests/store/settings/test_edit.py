"""One setting is changed in its file, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.settings.schema import app_settings
from store.errors import Conflict, WriteFailed
from store.settings.edit import keep_setting, reset_setting, take_back
from store.settings.files import load_settings


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
