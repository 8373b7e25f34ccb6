"""One setting is changed in its file, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import WriteFailed
from store.settings_files import load_settings
from store.settings_write import keep_setting


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, 'theme = "nord"\n'),
        ("", 'theme = "nord"\n'),
        ('theme = "x" # mine\nmax_tokens = 9\n', 'theme = "nord"\nmax_tokens = 9\n'),
        ("# theme = 1\nmax_tokens = 9", '# theme = 1\nmax_tokens = 9\ntheme = "nord"\n'),
        ('[keymap]\ntheme = "f8"\n', 'theme = "nord"\n[keymap]\ntheme = "f8"\n'),
    ],
)
def test_a_setting_is_put_in_its_place(tmp_path: Path, before: str | None, after: str) -> None:
    path = tmp_path / "memtui" / "settings.toml"
    if before is not None:
        path.parent.mkdir()
        path.write_text(before)
    keep_setting(path, "theme", "nord")
    assert path.read_text() == after
    assert load_settings(tmp_path / "memory", {}, path).settings.theme == "nord"
    assert [each.name for each in path.parent.iterdir()] == ["settings.toml"]


def test_a_file_that_can_not_be_changed_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"\xff")
    with pytest.raises(WriteFailed, match="it is no text"):
        keep_setting(tmp_path / "settings.toml", "theme", "nord")
    assert (tmp_path / "settings.toml").read_bytes() == b"\xff"
