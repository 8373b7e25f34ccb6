"""The settings: every field has a meaning and a default, and none changes under way."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from store.settings.schema import NOT_FOR_PROJECTS, SETTINGS, Settings


def test_the_defaults_are_those_of_the_specification() -> None:
    settings = Settings()
    assert settings.enabled is True
    assert settings.max_tokens == 20_000
    assert settings.max_observations_per_capture == 50
    assert settings.stale_archive_after_days == 90
    assert settings.context_limit == 200_000


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_says_what_it_means(name: str) -> None:
    assert SETTINGS[name].meaning.endswith(".")
    if SETTINGS[name].is_table:
        assert SETTINGS[name].default == {}
    else:
        assert getattr(Settings(), name) == SETTINGS[name].default


def test_settings_do_not_change_under_way() -> None:
    name = "max_tokens"
    with pytest.raises(FrozenInstanceError):
        setattr(Settings(), name, 7)


def test_what_a_project_may_not_set_is_a_field() -> None:
    assert SETTINGS.keys() >= NOT_FOR_PROJECTS
