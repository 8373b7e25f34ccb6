"""Real ground to stand on: small disks, unknown users; skipped where not allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of `size` (as `mount` takes it: 20k, 6m) at `place`; skips without rights."""
    place.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root can mount a small disk")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={size}", "none", str(place)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no small disk can be mounted: {made.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def as_unknown_user() -> list[str]:
    """How a command is begun as a user that the system does not know, without a home; skips.

    It may read what root may: the interpreter can lie in root's home.
    """
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can run a command as somebody else")
    return [
        "setpriv", "--reuid=54321", "--regid=54321", "--clear-groups",
        "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search",
        "env", "-i", "LANG=C.UTF-8", f"PATH={os.environ['PATH']}",
    ]  # fmt: skip
