"""Commands on a memory in a database: named by `--dir`, MEMTUI_DIR or the settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.settings.files import user_file
from tests.memtui.cli.conftest import Run
from tests.postgres import project_of

_AWAY = "postgresql://me:geheim@127.0.0.1:1/db?project=a"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "heron").mkdir()
    monkeypatch.chdir(tmp_path / "heron")


def test_a_database_is_named_by_option_variable_or_settings(
    memtui: Run, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = project_of(postgres)
    added = memtui("--dir", url, "add", "The lock waits")
    assert added.code == 0
    assert memtui("search", "lock", "--dir", url).out.count("The lock waits") == 1
    monkeypatch.setenv("MEMTUI_DIR", url)
    assert "The lock waits" in memtui("show", added.out.strip()).out
    assert memtui("remove", added.out.strip(), "--yes").code == 0
    assert memtui("undo", "--yes").code == 0
    assert "The lock waits" in memtui("list").out
    monkeypatch.delenv("MEMTUI_DIR")
    user_file().parent.mkdir(parents=True)
    user_file().write_text(f"backend = '{url}'\n")
    assert "The lock waits" in memtui("list").out


def test_a_database_that_is_away_is_a_sentence_without_the_password(memtui: Run) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    for command in (["list"], ["add", "The lock waits"], ["stats"]):
        done = memtui("--dir", _AWAY, *command)
        assert done.code == 1
        assert "refused" in done.err
        assert "geheim" not in done.out + done.err


def test_reading_goes_on_from_the_local_index_while_the_database_is_away(
    memtui: Run, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg import OperationalError

    from store.backends.postgres.connections import Connections

    def refuse(self: Connections, *, autocommit: bool = True) -> None:
        raise OperationalError("connection failed: Connection refused")

    url = project_of(postgres)
    identifier = memtui("--dir", url, "add", "The lock waits").out.strip()
    assert "1 memory" in memtui("--dir", url, "stats").out
    monkeypatch.setattr(Connections, "connect", refuse)
    for command in (["list"], ["search", "lock"], ["show", identifier], ["inject"]):
        done = memtui("--dir", url, *command)
        assert (done.code, "The lock waits" in done.out) == (0, True), command
        assert "Showing what the local index has." in done.err
    done = memtui("--dir", url, "stats")
    assert done.out.splitlines()[0] == "1 memory · 1 issue · 0 archived"
    assert "Showing what the local index has." in done.err
    told = json.loads(memtui("--dir", url, "stats", "--json").out)
    assert (told["totalObservations"], told["sizeBytes"], told["work"]) == (1, None, {})
    for command in (
        ["history"],
        ["undo", "--yes"],
        ["add", "More"],
        ["remove", identifier, "--yes"],
    ):
        done = memtui("--dir", url, *command)
        assert (done.code, done.out) == (1, ""), command
        assert "refused" in done.err


def test_rights_are_shown_first_and_refused_where_nobody_has_a_login(
    memtui: Run, postgres: str, tmp_path: Path
) -> None:
    url = project_of(postgres)
    assert memtui("--dir", url, "add", "The lock waits").code == 0
    shown = memtui("--dir", url, "migrate", "--reader", "nobody-here", "--dry-run")
    assert shown.code == 0
    assert shown.out.rstrip().endswith("readers: nobody-here")
    refused = memtui("--dir", url, "migrate", "--reader", "nobody-here", "--yes")
    assert refused.code == 2
    assert "has no login 'nobody-here'" in refused.err
    both = memtui("--dir", url, "migrate", "--writer", "anna", "--to", str(tmp_path))
    assert both.code == 2
    assert "one of these" in both.err
