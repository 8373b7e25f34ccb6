"""One setting is changed in its file, and nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memtui.settings.schema import app_settings
from store.errors import Conflict, WriteFailed
from store.settings.edit import _before_tables, keep_setting, reset_setting, take_back
from store.settings.files import load_settings


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, 'theme = "nord"\n'),
        ("", 'theme = "nord"\n'),
        ('theme = "x" # mine\nmax_tokens = 9\n', 'theme = "nord" # mine\nmax_tokens = 9\n'),
        ("# theme = 1\nmax_tokens = 9", '# theme = 1\nmax_tokens = 9\ntheme = "nord"\n'),
        ("# theme = 1\r\nmaxTokens = 9\r\n", '# theme = 1\r\nmaxTokens = 9\r\ntheme = "nord"\r\n'),
        ('a = """\n\n[x]\n"""\n', 'a = """\n\n[x]\n"""\ntheme = "nord"\n'),
        ('[keymap]\ntheme = "f8"\n', 'theme = "nord"\n[keymap]\ntheme = "f8"\n'),
        (
            "max_tokens = 9\n\n \t# keys\n [keymap]\nundo = 'f8'\n",
            "max_tokens = 9\ntheme = \"nord\"\n\n \t# keys\n [keymap]\nundo = 'f8'\n",
        ),
        (
            "# all mine\nmax_tokens = 9\n\n# keys\n[keymap]\nundo = 'f8'\n",
            "# all mine\nmax_tokens = 9\ntheme = \"nord\"\n\n# keys\n[keymap]\nundo = 'f8'\n",
        ),
        (
            "# keys\n[keymap]\nundo = 'f8'\n",
            "theme = \"nord\"\n# keys\n[keymap]\nundo = 'f8'\n",
        ),
        (
            "# all mine\n\n# keys\n[keymap]\nundo = 'f8'\n",
            "# all mine\ntheme = \"nord\"\n\n# keys\n[keymap]\nundo = 'f8'\n",
        ),
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'keymap = {undo = "f9", new = "f2"}\n'),
        (
            '[keymap]\nundo = "f8" # mine\nquit = "x"\n',
            '[keymap]\nundo = "f9" # mine\nnew = "f2"\n',
        ),
        ('keymap = { undo = "f9" } # mine', 'keymap = {undo = "f9", new = "f2"} # mine'),
    ],
)
def test_a_table_keeps_its_spelling(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(before)
    keep_setting(path, "keymap", {"undo": "f9", "new": "f2"})
    assert path.read_text().strip() == after.strip()
    keymap = app_settings(load_settings(tmp_path / "memory", {}, path).settings).keymap
    assert keymap == {"undo": "f9", "new": "f2"}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_changed_file_keeps_its_mode_and_a_new_one_is_the_persons_alone(
    tmp_path: Path, mode: int
) -> None:
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


def test_the_specification_s_name_is_changed_where_the_file_has_it(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("maxTokens = 9 # few\n")
    keep_setting(path, "max_tokens", 12)
    assert path.read_text() == "maxTokens = 12 # few\n"
    reset_setting(path, "max_tokens")
    assert "12" not in path.read_text()


def test_a_reset_takes_out_one_setting_and_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\ntheme = "nord"\nmax_tokens = 9\n[keymap]\nundo = "f8"\n')
    before = path.read_text()
    reset = reset_setting(path, "theme")
    assert path.read_text() == '# mine\nmax_tokens = 9\n[keymap]\nundo = "f8"\n'
    assert not reset_setting(path, "theme").changed
    again = take_back(reset)
    assert path.read_text() == before
    take_back(again)
    path.write_text("max_tokens = 1\n")
    with pytest.raises(Conflict, match="has changed since"):
        take_back(again)


def test_a_file_that_was_made_goes_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.toml"
    assert not reset_setting(path, "theme").changed
    take_back(keep_setting(path, "theme", "nord"))
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "why"), [(b"\xff", "not a text file"), (b"theme = \n", "not valid TOML")]
)
def test_a_file_that_can_not_be_changed_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "settings.toml").write_bytes(content)
    with pytest.raises(WriteFailed, match=why):
        keep_setting(tmp_path / "settings.toml", "theme", "nord")
    assert (tmp_path / "settings.toml").read_bytes() == content


def test_a_file_of_empty_lines_takes_a_setting_at_once(tmp_path: Path) -> None:
    file = tmp_path / "memtui.toml"
    file.write_text("\n" * 100_000 + "# mine\n" * 10_000)
    before = time.process_time()
    keep_setting(file, "theme", "memtui")
    assert time.process_time() - before < 5
    assert file.read_text().endswith('# mine\ntheme = "memtui"\n')


def test_a_folder_that_takes_no_file_is_a_calm_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed, match="could not be changed"):
        keep_setting(tmp_path / "file" / "settings.toml", "theme", "nord")
    path = tmp_path / "settings.toml"
    (tmp_path / f".settings.toml.{os.getpid()}.tmp").mkdir()
    with pytest.raises(WriteFailed, match="could not be changed"):
        keep_setting(path, "theme", "nord")
    assert not path.exists()


def test_what_stands_there_already_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('theme = "nord"\n')
    before = path.stat().st_ino
    assert not keep_setting(path, "theme", "nord").changed
    assert not reset_setting(path, "max_tokens").changed
    assert path.stat().st_ino == before


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("a = 1\n# of a\n\n# of t\n[t]\n", "a = 1\n# of a\n"),
        ("a = 1\n\n# of t\n[t]\n", "a = 1\n"),
        ("a = 1\n", "a = 1\n"),
    ],
)
def test_a_comment_stays_with_what_it_stands_at(text: str, head: str) -> None:
    assert _before_tables(text) == (head, text[len(head) :])


def test_what_stays_in_a_table_keeps_its_spelling(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[client_tokens]\n'codex' = 3_000 # few\nclaude-code = 0x10\ngemini-cli = 4\n")
    keep_setting(path, "client_tokens", {"codex": 3_000, "claude-code": 16, "gemini-cli": 5})
    assert path.read_text() == (
        "[client_tokens]\n'codex' = 3_000 # few\nclaude-code = 0x10\ngemini-cli = 5\n"
    )
    keep_setting(path, "client_tokens", {"claude-code": 17, "codex": 3_000})
    assert path.read_text() == "[client_tokens]\n'codex' = 3_000 # few\nclaude-code = 17\n"
