"""The settings: every field has a meaning and a default, and none changes under way."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from store.settings.schema import Settings, check_backend, known_settings


def test_the_defaults_are_those_of_the_specification() -> None:
    settings = Settings()
    assert settings.enabled is True
    assert settings.max_tokens == 20_000
    assert settings.max_memories_per_capture == 50
    assert settings.stale_archive_after_days == 90
    assert settings.context_limit == 200_000


def test_every_setting_is_read_somewhere() -> None:
    """Also where two are alike and one was taken for the other."""
    root = Path(__file__).parents[3]
    sources = (path for name in ("store", "memtui") for path in (root / name).rglob("*.py"))
    use = r"(?:\.|SETTING = \")(\w+)"
    read = {name for path in sources for name in re.findall(use, path.read_text())}
    assert set(known_settings()) <= read


def test_settings_do_not_change_under_way() -> None:
    name = "max_tokens"
    with pytest.raises(FrozenInstanceError):
        setattr(Settings(), name, 7)


def test_what_is_personal_no_project_sets() -> None:
    personal = {info.name for info in known_settings().values() if info.is_personal}
    assert personal >= {"share_sessions"}


def test_the_store_knows_no_theme_and_no_key() -> None:
    assert not {"theme", "keymap", "editor"} & set(Settings.__dataclass_fields__)


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
