"""The user's own folders are those that platformdirs names."""

from __future__ import annotations

import sys

import platformdirs
import pytest

from store.home import NOWHERE, user_folder

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


def test_a_relative_folder_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "~/.cache")
    assert user_folder("cache").is_relative_to(NOWHERE)
