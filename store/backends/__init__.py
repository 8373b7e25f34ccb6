"""Backends of memory. A location chooses one: a path, or a URL that names its folder.

Each package next to this module is a backend. It offers `open_backend`, and of these what it has:

- `is_at(path)`: whether a memory of its kind is at a path without a scheme;
- `of_project(url, start)`: its URL with the project that it leaves out, where one place keeps the
  memories of several; such a place may be named in a user's settings;
- `give_rights(location, readers, writers)`: lets logins read, or read and write, one memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeGuard

from store.errors import NoMemory

if TYPE_CHECKING:
    from store.backends.protocol import Backend

Location = Path | str
"""Where memory is kept: a path, or a URL."""

_URL = r"(?ais)(?P<scheme>[a-z][a-z0-9+.-]*)(?P<rest>://.*)"
_NAMED = r"(?<=[?&])[^=&]*(?:password|secret|scram|%)[^=&]*=[^&]*&?"
_PASSWORD = rf"(?is)(?<=:/)(/?[^:/@]*):.*@|{_NAMED}"
"""Also of what was meant as a URL and became a path, which has one slash for two."""
_FILES = "files"
_FOR_TESTS = "memory"
_LEVELS = "levels"
_SCHEMES = {"postgresql": "postgres"}
"""Schemes that are spelled otherwise than the package that opens them."""


def _url_match(text: str) -> re.Match[str] | None:
    """Return the parts of a URL. Most starts see none, and compile nothing for it."""
    return re.fullmatch(_URL, text) if "://" in text else None


def is_url(location: Location) -> TypeGuard[str]:
    return isinstance(location, str) and _url_match(location) is not None


def as_url(text: str) -> str:
    """Return a URL with its scheme as it is spelled here; anything else as it is."""
    match = _url_match(text)
    if match is None:
        return text
    scheme = match["scheme"].lower()
    spelled = {package: scheme for scheme, package in _SCHEMES.items()}
    return f"{spelled.get(scheme, scheme)}{match['rest']}"


def shown_location(location: Location) -> str:
    """Return a location as it may be shown and kept: a URL without its password; of all levels of
    a project its folder.
    """
    text = str(location).removeprefix(f"{_LEVELS}://")
    return re.sub(_PASSWORD, lambda item: f"{item[1]}@" if item[1] is not None else "", text)


def open_backend(location: Location, clock: Callable[[], datetime] | None = None) -> Backend:
    """Return the memory at a location, whether or not there is one yet.

    `scheme://…` is opened by the package of that name next to this one. Anything else is a path: of
    the package that says so, else of files.
    `clock` dates what is written. Raises `NoMemory` for a scheme that nothing here opens.
    """
    opener: Callable[..., Backend] = package_of(location).open_backend
    return opener(as_url(str(location)), clock)


def package_of(location: Location) -> ModuleType:
    """Return the package that opens a location. Raises `NoMemory` for a scheme that none opens."""
    if not is_url(location):
        return _package(_kind_at(Path(location)))
    scheme = as_url(location).partition(":")[0]
    try:
        package = _package(_SCHEMES.get(scheme, scheme))
        package.open_backend  # noqa: B018 - a module of another purpose has none
    except (ModuleNotFoundError, AttributeError) as error:
        known = ", ".join(f"{item}://" for item in _schemes())
        raise NoMemory(
            f"Unknown location {shown_location(location)}.", f"Give a folder, or one of: {known}."
        ) from error
    return package


def is_in_vault(backend: Backend) -> bool:
    """Return whether a memory is kept in a vault of Markdown."""
    return backend.identity.startswith("vault://")


def has_memory(path: Path) -> bool:
    return any(_is_at(name, path) for name in _packages())


def check_shared(url: str) -> None:
    """Check that a URL is of a place that keeps several projects' memories. Raises `ValueError`."""
    try:
        shared = is_url(url) and hasattr(package_of(url), "of_project")
    except NoMemory:
        shared = False
    if not shared:
        raise ValueError("a database is named by a URL, such as postgresql://user@host/database")


def _kind_at(path: Path) -> str:
    """Return the package that opens a path. A project's own memory is not looked into."""
    if path.parts[-2:] == (".agentx", "memory"):
        return _FILES
    others = (name for name in _packages() if name != _FILES)
    return next((name for name in others if _is_at(name, path)), _FILES)


def _is_at(name: str, path: Path) -> bool:
    is_at: Callable[[Path], bool] | None = getattr(_package(name), "is_at", None)
    return is_at is not None and is_at(path)


def _package(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")


def _packages() -> list[str]:
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))


def _schemes() -> list[str]:
    """Return the schemes that a user may name: those of the packages next to this module."""
    spelled = {package: scheme for scheme, package in _SCHEMES.items()}
    names = (name for name in _packages() if name not in {_FILES, _FOR_TESTS, _LEVELS})
    return sorted(spelled.get(name, name) for name in names)


def give_rights(location: Location, readers: Collection[str], writers: Collection[str]) -> None:
    """Let logins of a database read, or read and write, this one memory in it.

    Raises `NoMemory` for a memory that is in no database, and as the database answers.
    """
    give: Callable[[str, Collection[str], Collection[str]], None] | None = getattr(
        package_of(location), "give_rights", None
    )
    if give is None:
        raise NoMemory(
            f"The memory in {shown_location(location)} has no logins.",
            "Give a database URL with --dir.",
        )
    give(as_url(str(location)), readers, writers)
