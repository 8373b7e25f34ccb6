"""Clients' databases: where variables put them, and those in a folder that can't be written to.

A link that leads nowhere, in place of the file that SQLite keeps beside a log of changes, stands
for a folder that can't be written to: it holds for whoever runs the tests, root too.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.agents.client import Home
from store.agents.databases import opened
from store.agents.discovery import open_session, session_files
from store.agents.reading import read_session
from tests.store.agents.test_clients import database

HERE = (Path("/home/a/shop"),)


def put_database(path: Path) -> Path:
    """A database with a log of changes, all of them written back."""
    database(path)
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode = wal")
    return path


def make_unwritable(path: Path) -> None:
    path.with_name(f"{path.name}-shm").symlink_to("nowhere/shm")


def test_a_database_with_a_log_is_read_in_a_folder_that_cant_be_written_to(tmp_path: Path) -> None:
    path = put_database(tmp_path / ".local/share/kilo/kilo.db")
    make_unwritable(path)
    (file,) = session_files(Home(tmp_path, {}), HERE)
    with open_session(file.path) as lines:
        session = read_session(lines)
    assert (session.agent, session.id, len(session.messages)) == ("kilo", "s-1", 3)
    assert session.unread == ()


def test_what_stands_in_a_log_that_cant_be_read_is_named_as_missing(tmp_path: Path) -> None:
    path = put_database(tmp_path / "client" / "kilo.db")
    copy = tmp_path / ".local/share/kilo/kilo.db"
    copy.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as client:
        client.execute("PRAGMA wal_autocheckpoint = 0")
        client.execute("UPDATE session SET time_updated = 1772366409000")
        client.commit()
        for name in ("kilo.db", "kilo.db-wal"):
            shutil.copy(path.with_name(name), copy.with_name(name))
    make_unwritable(copy)
    (file,) = session_files(Home(tmp_path, {}), HERE)
    with open_session(file.path) as lines:
        session = read_session(lines)
    assert len(session.messages) == 3
    assert [item.reason for item in session.unread] == [
        "what its client wrote last is in kilo.db-wal, which can't be read in this folder"
    ]


def test_a_database_that_its_client_is_changing_is_not_read_as_if_at_rest(tmp_path: Path) -> None:
    path = tmp_path / "client" / "opencode.db"
    database(path)
    with closing(sqlite3.connect(path)) as client:
        client.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"), opened(path):
            pass


@pytest.mark.parametrize(
    ("client", "chosen", "place"),
    [
        ("kilo", "work.db", ".local/share/kilo/work.db"),
        ("kilo", "{home}/far/chats.db", "far/chats.db"),
        ("kilo", "", ".local/share/kilo/kilo-beta.db"),
        ("opencode", "work.db", ".local/share/opencode/work.db"),
        ("opencode", "", ".local/share/opencode/opencode-dev.db"),
    ],
)
def test_a_database_lies_where_its_client_is_told(
    client: str, chosen: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(tmp_path / place)
    variable, value = f"{client.upper()}_DB", chosen.replace("{home}", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".local/share"))
    monkeypatch.setenv(variable, value)
    home = Home(tmp_path, {variable: value})
    (file,) = session_files(home, HERE)
    assert (file.client, file.path) == (client, tmp_path / f"{place}#s-1")
    with open_session(file.path) as lines:
        assert read_session(lines).agent == client
    assert not session_files(Home(tmp_path, {variable: ":memory:"}), HERE)
