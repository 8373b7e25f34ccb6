"""JSON files of people: read with care, and written in their own style."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from store.agents.hook_files import not_understood
from store.errors import Unreadable
from store.platform.bounds import load_json


def parsed(text: str, path: Path) -> dict[str, Any]:
    """The object in a text; an empty one for no text. Raises Unreadable."""
    if not text.strip():
        return {}
    try:
        settings = load_json(text)
        json.dumps(settings, allow_nan=False)  # as they could not be written back
    except ValueError as error:
        raise Unreadable(
            f"{path} is not valid JSON: {error}.", "Fix the file first; it was not changed."
        ) from error
    if not isinstance(settings, dict):
        raise not_understood(path, "not an object")
    return settings


def events_of(
    settings: Mapping[str, Any], path: Path, needed: Container[str] = ()
) -> dict[str, list[Any]]:
    """The lists under `hooks`, by event. What else may stand there is left out, but not under one
    that is `needed`. Raises Unreadable.
    """
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise not_understood(path, '"hooks" is not an object')
    for event, entries in hooks.items():
        odd = isinstance(entries, bool | str | int) and event not in needed
        if not isinstance(entries, list) and not odd:
            raise not_understood(path, f'"{event}" is not a list')
    return {event: list(it) for event, it in hooks.items() if isinstance(it, list)}


def written(settings: Mapping[str, Any], before: str) -> str:
    """Settings as JSON in the style of the text before: indentation, line ends, final newline."""
    lines = before.splitlines()
    first = next((line for line in lines[1:] if line.strip()), "  x")
    indent: int | str = "\t" if first.startswith("\t") else len(first) - len(first.lstrip()) or 2
    text = json.dumps(settings, ensure_ascii=False, indent=indent)
    if not before or before.endswith("\n"):
        text += "\n"
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def is_equivalent(one: str, other: str) -> bool:
    """Return whether two texts hold equal JSON, events without hooks apart."""
    try:
        return _without_empty(load_json(one or "{}")) == _without_empty(load_json(other or "{}"))
    except ValueError:
        return False


def _without_empty(settings: object) -> object:
    if not isinstance(settings, dict) or not isinstance(settings.get("hooks"), dict):
        return settings
    hooks = {event: it for event, it in settings["hooks"].items() if it != []}
    bare = {key: value for key, value in settings.items() if key != "hooks"}
    return {**bare, "hooks": hooks} if hooks else bare
