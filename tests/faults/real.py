"""Real ground to stand on: small and foreign disks, unknown users; skipped where not allowed."""

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


@contextmanager
def disk_of(system: str, place: Path, image: Path) -> Iterator[Path]:
    """A real file system without hard links, `vfat` or `exfat`, mounted at `place`; else skips."""
    make = shutil.which(f"mkfs.{system}")
    if os.geteuid() != 0 or make is None:
        pytest.skip(f"only root can mount {system}, and mkfs.{system} makes it")
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(20_000_000)
    subprocess.run([make, str(image)], capture_output=True, check=True)
    with _loop(image) as device:
        ways = (
            ["mount", "-t", system, device, str(place)],
            [f"mount.{system}-fuse", device, str(place)],
            ["fusefat", "-o", "rw+", device, str(place)],
        )
        known = [way for way in ways if shutil.which(way[0])]
        if not any(
            subprocess.run(way, capture_output=True, check=False).returncode == 0 for way in known
        ):
            pytest.skip(f"no {system} can be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def _loop(image: Path) -> Iterator[str]:
    """A device that is a file."""
    made = subprocess.run(
        ["losetup", "--find", "--show", str(image)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip("there is no loop device")
    device = made.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


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
