"""Where memory is kept. A location chooses its backend: a path, or a URL that names its folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from store.errors import NoMemory

if TYPE_CHECKING:
    from store.backends.protocol import Backend

Location = Path | str
"""Where memory is kept: a path, or a URL."""

_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)(?P<rest>://.*)", re.ASCII | re.DOTALL | re.IGNORECASE
)
_NAMED = r"(?<=[?&])[^=&]*(?:password|secret|scram|%)[^=&]*=[^&]*&?"
_PASSWORD = re.compile(rf"(?<=:/)(/?[^:/@]*):.*@|{_NAMED}", re.DOTALL | re.IGNORECASE)
"""Also of what was meant as a URL and became a path, which has one slash for two."""
_FILES = "files"
_SCHEMES = {"postgresql": "postgres"}
"""Schemes that are spelled otherwise than the package that opens them."""


def is_url(location: Location) -> TypeGuard[str]:
    """Whether a location is no path."""
    return isinstance(location, str) and _URL.fullmatch(location) is not None


def as_url(text: str) -> str:
    """A URL with its scheme as it is spelled here; anything else as it is."""
    match = _URL.fullmatch(text)
    if match is None:
        return text
    scheme = match["scheme"].lower()
    spelled = {package: scheme for scheme, package in _SCHEMES.items()}
    return f"{spelled.get(scheme, scheme)}{match['rest']}"


def shown_location(location: Location) -> str:
    """A location as it may be shown and kept: a URL without its password."""
    text = str(location)
    return _PASSWORD.sub(lambda it: f"{it[1]}@" if it[1] is not None else "", text)


def open_backend(location: Location, clock: Callable[[], datetime] | None = None) -> Backend:
    """The memory at a location, whether or not there is one yet.

    `scheme://…` is opened by the package of that name beside this one. Anything else is a path: of
    a vault where one is there, else of files.
    `clock` dates what is written. Raises `NoMemory` for a scheme that nothing here opens.
    """
    location = as_url(str(location)) if is_url(location) else location
    scheme = location.partition(":")[0] if is_url(location) else _kind_of(Path(location))
    name = _SCHEMES.get(scheme, scheme)
    try:
        module = import_module(f"{__name__}.{name}")
        opener: Callable[..., Backend] = module.open_backend
    except (ModuleNotFoundError, AttributeError) as error:
        known = ", ".join(f"{each}://" for each in _schemes())
        raise NoMemory(
            f"Unknown location {shown_location(location)}.", f"Give a folder, or one of: {known}."
        ) from error
    return opener(str(location), clock)


def _kind_of(path: Path) -> str:
    """Which package opens a path. A project's own memory is not looked into."""
    if path.parts[-2:] == (".agentx", "memory"):
        return _FILES
    from store.backends.vault.layout import is_vault

    return "vault" if is_vault(path) else _FILES


def _schemes() -> list[str]:
    """The schemes that can be opened: the packages beside this module, but that of paths."""
    spelled = {package: scheme for scheme, package in _SCHEMES.items()}
    packages = (path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    return sorted(spelled.get(name, name) for name in packages if name != _FILES)
