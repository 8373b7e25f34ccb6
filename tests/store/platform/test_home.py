"""The user's own folders are those that platformdirs names."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs
import pytest

from store.errors import StoreError
from store.platform.home import NOWHERE, check_home, user_folder

KINDS = ("cache", "config", "state")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs itself is asked")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("named", [None, "", " ", "/srv/of mine", "/srv/é/"])
def test_folders_are_as_platformdirs_names_them(
    kind: str, named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"XDG_{kind.upper()}_HOME"
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.delenv(variable, raising=False)
    if named is not None:
        monkeypatch.setenv(variable, named)
    expected = getattr(platformdirs, f"user_{kind}_path")("memtui", appauthor=False)
    assert user_folder(kind) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (NOWHERE, "Set HOME."),
        (NOWHERE / "XDG_CACHE_HOME" / "memtui", "Set HOME or XDG_CACHE_HOME."),
        (NOWHERE / "memtui" / "XDG_CACHE_HOME", "Set HOME."),
    ],
)
def test_without_a_home_it_is_said_what_to_set(path: Path, hint: str) -> None:
    with pytest.raises(StoreError) as refused:
        check_home(path)
    assert (refused.value.message, refused.value.hint) == ("No home folder found.", hint)
