"""Logins see and change the projects that they have a right to, and nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from psycopg.conninfo import conninfo_to_dict

from store import Memory, open_memory
from store.backends import give_rights
from store.errors import ReadOnly, StoreError
from tests.postgres import database
from tests.store.factories import observation

if TYPE_CHECKING:
    from psycopg import Connection

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
Open = Callable[..., Memory]
_TABLES = ("projects", "issues", "memories", "logs", "activity", "texts")


class Team:
    """A database with an owner, and logins that are none."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.logins: list[str] = []

    def login(self) -> str:
        name = f"memtui_test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"create role {name} login nosuperuser password 'geheim'")
        self.logins.append(name)
        return name

    def of(self, project: str, login: str = "") -> str:
        """The URL of a project, as a login; else as the owner."""
        parts = {key: str(value) for key, value in conninfo_to_dict(self.url).items()}
        if login:
            parts |= {"user": login, "password": "geheim"}
        return "postgresql://?" + urlencode({**parts, "project": project})

    def as_login(self, login: str) -> Connection[Any]:
        url = self.of("", login).replace("&project=", "")
        connection: Connection[Any] = psycopg.connect(url, autocommit=True)
        return connection


@pytest.fixture
def team(postgres: str) -> Iterator[Team]:
    with database(postgres) as url:
        team = Team(url)
        yield team
    with psycopg.connect(postgres, autocommit=True) as connection:
        for login in team.logins:
            connection.execute(f"drop role {login}")


@pytest.fixture
def opens(team: Team, tmp_path: Path) -> Iterator[Open]:
    """Opens a project as a login, with an index of its own."""
    with ExitStack() as stack:

        def open_(project: str, login: str = "") -> Memory:
            cache = tmp_path / f"{project}-{login}"
            return stack.enter_context(open_memory(team.of(project, login), cache=cache))

        yield open_


def test_a_reader_reads_and_writes_nothing(team: Team, opens: Open) -> None:
    (one,) = opens("a").store([observation("The lock waits.")])
    reader = team.login()
    give_rights(team.of("a"), [reader], [])
    memory = opens("a", reader)
    problems: list[str] = []
    memory.on_problem(lambda it: problems.append(it.message))
    assert [hit.entry.id for hit in memory.search("lock").hits] == [one]
    assert "The lock waits." in memory.recall.inject(memory.recall.plan("engineer", 29))
    assert problems
    assert all("can't be written: permission denied" in it for it in problems)
    assert not memory.state().writable
    with pytest.raises(ReadOnly, match="can't be written: permission denied"):
        memory.store([observation("Another.")])
    with pytest.raises(ReadOnly):
        memory.apply(memory.plan.archive([one]))
    assert [it.id for it in opens("a").by_issue(29)] == [one]


def test_a_writer_of_one_project_has_no_way_into_another(team: Team, opens: Open) -> None:
    (hers,) = opens("b").store([observation("Of the other project.")])
    opens("a").store([observation("The first.")])
    writer = team.login()
    give_rights(team.of("a"), [], [writer])
    give_rights(team.of("a"), [writer], [writer])  # who is named as both may write
    memory = opens("a", writer)
    (one,) = memory.store([observation("Written by a login.")])
    memory.apply(memory.plan.archive([one]))
    memory.undo()
    assert one in [it.id for it in opens("a").by_issue(29)]
    with pytest.raises(StoreError, match="permission denied for table projects") as raised:
        opens("b", writer).by_issue(29)
    assert "memtui migrate --reader LOGIN" in raised.value.hint
    with team.as_login(writer) as connection:
        for table in _TABLES:
            (found,) = connection.execute(
                f"select count(distinct project) from memtui.{table}"
            ).fetchone() or (0,)
            assert found == 1, table
        for change in (
            "update memtui.memories set content = 'x' where memory_id = %s",
            "delete from memtui.memories where memory_id = %s",
        ):
            assert connection.execute(change, (hers,)).rowcount == 0
        for refused in (
            "update memtui.memories set project = project + 1",
            "insert into memtui.projects (name) values ('c')",
            f"insert into memtui.members values (1, '{writer}', true)",
            "alter table memtui.memories disable row level security",
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(refused)
    assert [it.id for it in opens("b").by_issue(29)] == [hers]


def test_a_login_without_a_right_sees_no_memory(team: Team, opens: Open) -> None:
    opens("a").store([observation("The lock waits.")])
    stranger = team.login()
    with pytest.raises(StoreError, match="can't be read: permission denied"):
        opens("a", stranger).by_issue(29)


def test_only_the_owner_gives_rights(team: Team, opens: Open) -> None:
    opens("a").store([observation("The lock waits.")])
    login = team.login()
    give_rights(team.of("a"), [], [login])
    with pytest.raises(ReadOnly):
        give_rights(team.of("a", login), [], [login])
