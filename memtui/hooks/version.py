"""The version of a client that is installed, and whether its hooks run to their end."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from store.agents.client import Client
from store.agents.files import object_in
from store.agents.hook_files import hooks_of
from store.platform.json_fields import mapping, string

_SECONDS = 5.0
"""The longest wait for a program to print its version."""
_VERSION = re.compile(r"(?<![\d.])\d{1,6}(?:\.\d{1,6}){1,5}")


def installed_version(client: Client) -> str:
    """Return the version of the client's program on the PATH; empty where none is found.

    A package of Node is asked by its file, since such a program may take seconds to start; any
    other is started with `--version`.
    """
    program = shutil.which(client.program) if client.program else None
    if program is None:
        return ""
    return _package_version(Path(program).resolve(), client.program) or _version_printed(program)


def is_too_old(client: Client, version: str) -> bool:
    """Return whether a version is known not to run the client's hooks to their end."""
    return bool(version) and _numbers(version) < _numbers(hooks_of(client).fire_since)


def _package_version(program: Path, name: str) -> str:
    for folder in program.parents:
        package = object_in(folder / "package.json")
        if name in mapping(package.get("bin")):
            return string(package.get("version"))
        if folder.name == "node_modules":
            break
    return ""


def _version_printed(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            cwd="/",  # what is started must not depend on a project's folder
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(done.stdout.decode(errors="replace"))
    return found[0] if found else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
