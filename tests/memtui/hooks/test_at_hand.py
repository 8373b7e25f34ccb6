"""Whose next session is meant where no client is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.client_file import apply_install
from memtui.hooks.install import plan_install, settings_path
from memtui.hooks.status import client_at_hand
from store import Memory
from store.agents.client import Home
from store.agents.files import dashed
from store.agents.registry import client_named
from store.backends.location import FOLDER


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("memtui.hooks.status.shutil.which", lambda name: name)
    return Home(tmp_path / "home", {})


def at_hand(home: Home, shop: Path) -> str:
    return client_at_hand(Memory(shop / FOLDER), home, shop)


def hooked(name: str, home: Home, project: Path | None = None) -> None:
    client = client_named(name)
    apply_install(plan_install(client, settings_path(client, home, project)))


def used(name: str, home: Home, shop: Path, at: int) -> None:
    """A session of a client in the project."""
    path = {
        "claude-code": home.path / ".claude" / "projects" / dashed(shop) / "s.jsonl",
        "qwen-code": home.path / ".qwen" / "projects" / dashed(shop) / "chats" / "s.jsonl",
    }[name]
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    os.utime(path, (at, at))


def test_it_is_the_one_that_is_installed(home: Home, shop: Path) -> None:
    (home.path / ".gemini").mkdir(parents=True)
    assert at_hand(home, shop) == "gemini-cli"


def test_it_is_the_one_that_was_used_here_last(home: Home, shop: Path) -> None:
    (home.path / ".gemini").mkdir(parents=True)
    used("qwen-code", home, shop, 2_000)
    used("claude-code", home, shop, 1_000)
    assert at_hand(home, shop) == "qwen-code"


def test_it_is_the_one_whose_hooks_run_here_though_another_was_used(home: Home, shop: Path) -> None:
    used("claude-code", home, shop, 1_000)
    hooked("pi", home)
    assert at_hand(home, shop) == "pi"
