"""The settings' model: every field has a meaning, a default and its limits."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from store.settings import NOT_FOR_PROJECTS, Settings


def test_the_defaults_are_those_of_the_specification() -> None:
    settings = Settings()
    assert settings.enabled is True
    assert settings.max_tokens == 20_000
    assert settings.max_observations_per_capture == 50
    assert settings.stale_archive_after_days == 90
    assert settings.context_limit == 200_000


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_field_says_what_it_means(name: str) -> None:
    description = Settings.model_fields[name].description
    assert description is not None
    assert description.endswith(".")


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": -1},
        {"max_observations_per_capture": 51},
        {"stale_archive_after_days": 0},
        {"context_limit": 10},
        {"enabled": "perhaps"},
    ],
)
def test_what_is_out_of_its_limits_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**wrong)


def test_settings_do_not_change_under_way() -> None:
    with pytest.raises(ValidationError):
        Settings().max_tokens = 7


def test_what_a_project_may_not_set_is_a_field() -> None:
    assert Settings.model_fields.keys() >= NOT_FOR_PROJECTS
