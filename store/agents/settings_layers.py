"""Settings of clients in several files, and folders that a user trusts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from store.agents.files import object_in
from store.platform.json_fields import mapping


class Setting(NamedTuple):
    """A setting's value, and the file that it stands in."""

    value: object = None
    path: Path | None = None


def first_setting(files: Iterable[Path], *keys: str) -> Setting:
    """The setting as the first of the files has it that has it at all; `keys` lead to it."""
    for path in dict.fromkeys(files):
        found: object = object_in(path)
        for key in keys:
            found = mapping(found).get(key)
        if found is not None:
            return Setting(found, path)
    return Setting()


def is_trusted(folder: Path, rules: Mapping[str, object]) -> bool | None:
    """Whether a list of trusted folders, as Gemini CLI keeps it, trusts this one: by its longest
    rule that holds it; None where none does.
    """
    said: bool | None = None
    longest = -1
    for path, level in rules.items():
        place = Path(path).parent if level == "TRUST_PARENT" else Path(path)
        if len(path) > longest and folder.resolve().is_relative_to(place.resolve()):
            longest = len(path)
            said = {"TRUST_FOLDER": True, "TRUST_PARENT": True, "DO_NOT_TRUST": False}.get(
                str(level)
            )
    return said
