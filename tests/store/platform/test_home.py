"""The user's own folders are those that platformdirs names."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs
import pytest

from store.errors import NoMemory, StoreError
from store.platform import home
from store.platform.home import (
    NOWHERE,
    check_home,
    expanded,
    home_folder,
    is_nowhere,
    place_typed,
    user_folder,
)

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
    monkeypatch.setenv("HOME", "someone")
    assert home_folder() == NOWHERE


@pytest.mark.parametrize("kind", KINDS)
def test_where_platformdirs_is_asked_a_relative_folder_or_none_is_no_place(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "_IS_LINUX", False)
    monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", "/srv/mine")

    def folder() -> Path:
        return user_folder(kind)  # type: ignore[arg-type]

    assert folder() == getattr(platformdirs, f"user_{kind}_path")("memtui", appauthor=False)

    def relative(*_: object, **__: object) -> Path:
        return Path("mine/memtui")

    def none(*_: object, **__: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for answer in (relative, none):
        monkeypatch.setattr(platformdirs, f"user_{kind}_path", answer)
        assert folder() == NOWHERE / f"XDG_{kind.upper()}_HOME"
        assert is_nowhere(folder())


def test_what_is_typed_names_a_place_whoever_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert expanded("~/a b") == place_typed("~/a b") == Path("/home/someone/a b")
    assert expanded(Path("/a/~b")) == place_typed(Path("/a/~b")) == Path("/a/~b")
    assert place_typed("~nobody-at-all/a") == Path("~nobody-at-all/a")
    with pytest.raises(NoMemory, match="~nobody-at-all/a not found"):
        expanded("~nobody-at-all/a")


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
