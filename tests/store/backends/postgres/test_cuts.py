"""A connection that is cut, or a writer killed, anywhere."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from urllib.parse import urlencode

import pytest
from psycopg.conninfo import conninfo_to_dict

from store import Memory, open_memory
from store.errors import StoreError
from tests.postgres import kill, project_of, skip_unless_ours, start_again
from tests.store.factories import observation

_BYTES = 1 << 16
_MOST = 200
"""Pieces that one change is sent in, at most: the system joins and parts them as it likes."""
_LONGEST = 60
"""Seconds that a program waits for another."""


class Relay:
    """Passes bytes between a client and the server, and breaks one connection at a message.

    `cut_at` counts the client's messages from the moment it is set; None lets all pass. With
    `heard`, the server gets the message at which it is cut, and its answer is lost.
    """

    def __init__(self, url: str) -> None:
        self._server = conninfo_to_dict(url)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.cut_at: int | None = None
        self.heard = False
        self.was_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, project: str) -> str:
        parts = {key: str(value) for key, value in self._server.items()}
        _, port = self._listening.getsockname()
        parts |= {"host": "127.0.0.1", "port": str(port), "project": project, "sslmode": "disable"}
        return "postgresql://?" + urlencode(parts)

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _connect(self) -> socket.socket:
        host, port = str(self._server.get("host", "")), str(self._server.get("port", "5432"))
        if host.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{host}/.s.PGSQL.{port}")
            return server
        return socket.create_connection((host or "127.0.0.1", int(port)))

    def _relay(self, client: socket.socket) -> None:
        with client, self._connect() as server:
            back = threading.Thread(target=self._pass_back, args=(server, client), daemon=True)
            back.start()
            with suppress(OSError):
                while data := client.recv(_BYTES):
                    if self.cut_at is not None:
                        self.cut_at -= 1
                    if self.cut_at != 0:
                        server.sendall(data)
                        continue
                    self.cut_at, self.was_cut = None, True
                    client.shutdown(socket.SHUT_RDWR)
                    if self.heard:
                        server.sendall(data)
                    break
            # What the server was told before its client left, it does.
            with suppress(OSError):
                server.shutdown(socket.SHUT_WR)
            back.join()

    @staticmethod
    def _pass_back(server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(_BYTES):
                with suppress(OSError):
                    client.sendall(data)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def relay(postgres: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """A relay, and no rest after a cut before the server is asked again."""
    monkeypatch.setattr("store.backends.postgres.connections._REST", 0)
    relay = Relay(postgres)
    yield relay
    relay.close()


@contextmanager
def _open(relay: Relay, url: str, project: str) -> Iterator[tuple[Memory, Memory]]:
    """The same memory through the relay, and without it."""
    with open_memory(relay.url(project)) as memory, open_memory(url) as straight:
        yield memory, straight


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("heard", [False, True], ids=["lost on the way", "answer lost"])
def test_an_addition_is_there_once_or_not_at_all(
    postgres: str, relay: Relay, heard: bool, every: int
) -> None:
    """Cut at every fifth message in the normal suite, and at each in the long."""
    url = project_of(postgres)
    project = url.rpartition("=")[2]
    relay.heard = heard
    with _open(relay, url, project) as (memory, straight):
        memory.store([observation("The first of all.")])
        for at in range(1 + heard, _MOST, every):
            one = observation(f"Cut at message {at}.")
            stored, was_cut = _cut(relay, at, partial(memory.store, [one]))
            there = [it.content for it in straight.by_issue(29)].count(one.content)
            assert there == (1 if stored else 0), at
            if not was_cut:
                break
        assert at > 4, "it was cut nowhere"
        assert not was_cut, "it takes more messages than were cut"


@pytest.mark.long
@pytest.mark.parametrize("heard", [False, True], ids=["lost on the way", "answer lost"])
def test_an_operation_and_its_undo_are_whole_or_not_there(
    postgres: str, relay: Relay, heard: bool
) -> None:
    url = project_of(postgres)
    project = url.rpartition("=")[2]
    relay.heard = heard
    with _open(relay, url, project) as (memory, straight):
        ids = memory.store([observation("One to be put away."), observation("Another.")])
        live = memory.by_issue(29)
        for at in range(1, _MOST):
            plan = memory.plan.archive(ids)
            archived, was_cut = _cut(relay, at, partial(memory.apply, plan))
            assert straight.by_issue(29) == ([] if archived else live), at
            if not archived:
                memory.apply(memory.plan.archive(ids))
            undone, cut_again = _cut(relay, at, memory.undo)
            assert straight.by_issue(29) == (live if undone else []), at
            if not undone:
                memory.undo()
            assert straight.by_issue(29) == live, at
            if not was_cut and not cut_again:
                break
        assert at > 4, "they were cut nowhere"
        assert not was_cut and not cut_again, "they take more messages than were cut"


def _cut(relay: Relay, at: int, change: Callable[[], object]) -> tuple[bool, bool]:
    """Whether a change was made, and whether its connection was cut at a message of it."""
    relay.was_cut, relay.cut_at = False, at
    try:
        change()
    except StoreError:
        return False, relay.was_cut
    finally:
        relay.cut_at = None
    return True, relay.was_cut


# The server is killed while several programs write: what was acknowledged is there, once.


_WRITERS = 4
_FIRST, _MORE = 3, 2
"""Writes of each before the server is killed, and those acknowledged once it is back."""


@dataclass(slots=True)
class Fall:
    """One fall of the server, and what became of the writes around it."""

    name: str
    begun: Barrier = field(default_factory=lambda: Barrier(_WRITERS + 1))
    is_back: Event = field(default_factory=Event)
    acknowledged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def write(self, writer: int, url: str, cache: Path) -> None:
        """Write one memory after the other, each once, until enough are kept after the fall."""
        number, left, was_refused = 0, _MORE, False
        with open_memory(url, cache=cache) as memory:
            while left:
                said = f"{self.name}, writer {writer}, write {number}."
                try:
                    memory.store([observation(said, issue_number=1 + writer % 3)])
                except StoreError:
                    self.refused.append(said)
                    was_refused = self.is_back.wait(_LONGEST)
                else:
                    self.acknowledged.append(said)
                    left -= was_refused or self.is_back.is_set()
                number += 1
                if number == _FIRST:
                    self.begun.wait(_LONGEST)


@pytest.mark.parametrize("falls", [1, pytest.param(5, marks=pytest.mark.long)])
def test_what_was_acknowledged_is_there_once(postgres: str, tmp_path: Path, falls: int) -> None:
    skip_unless_ours(postgres)
    url = project_of(postgres)
    acknowledged: list[str] = []
    for number in range(falls):
        fall = Fall(f"Fall {number}")
        with ThreadPoolExecutor(_WRITERS) as writers:
            working = [
                writers.submit(fall.write, writer, url, tmp_path / f"cache-{writer}")
                for writer in range(_WRITERS)
            ]
            fall.begun.wait(_LONGEST)
            kill(postgres)
            start_again(postgres)
            fall.is_back.set()
            for each in working:
                each.result(_LONGEST)
        assert fall.refused
        acknowledged += fall.acknowledged
    with open_memory(url, cache=tmp_path / "fresh") as memory:
        kept = Counter(it.content for issue in (1, 2, 3) for it in memory.by_issue(issue))
    assert len(acknowledged) >= falls * _WRITERS * (_FIRST + _MORE)
    assert kept == Counter(acknowledged)
