"""What a program brings to the store, by its name: loaded where it is needed, not before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_settings = "store.settings.schema:Settings"


def extend_settings(name: str) -> None:
    """Have settings be of another class, `module:Class`, which derives from `Settings`."""
    global _settings
    _settings = name


def settings_name() -> str:
    """The class that settings are of, as `module:Class`."""
    return _settings


def named(name: str) -> Any:  # noqa: ANN401 - whatever stands there
    """What stands under `module:name`."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
