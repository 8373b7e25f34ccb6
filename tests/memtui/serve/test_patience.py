"""Connections that ask nothing, or never to the end: each has its time, the oldest makes room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from memtui.serve.http.patience import HEADERS_MOST, HEADERS_WITHIN, Patient

MOST = 4
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = WHOLE[:-2]


class Loop:
    """A loop whose time is set by hand, and whose tasks are run by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self._later: list[tuple[float, Callable[..., None], tuple[Any, ...], Timer]] = []
        self._tasks: list[Task] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[..., None], *given: Any) -> Timer:  # noqa: ANN401
        timer = Timer()
        self._later.append((self.now + delay, call, given, timer))
        return timer

    def create_task(self, work: Coroutine[Any, Any, None], **_: object) -> Task:
        self._tasks.append(Task(work))
        return self._tasks[-1]

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        due = [it for it in self._later if it[0] <= self.now]
        self._later = [it for it in self._later if it not in due]
        for _, call, given, timer in due:
            if not timer.cancelled:
                call(*given)

    def work(self) -> None:
        for task in self._tasks:
            task.run()
        self._tasks.clear()


class Timer:
    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Task:
    def __init__(self, work: Coroutine[Any, Any, None]) -> None:
        self._work = work
        self._done: list[Callable[[Task], None]] = []

    def add_done_callback(self, call: Callable[[Task], None]) -> None:
        self._done.append(call)

    def run(self) -> None:
        with pytest.raises(StopIteration):
            self._work.send(None)
        for call in self._done:
            call(self)


class Wire(asyncio.Transport):
    """The server's end of a connection."""

    def __init__(self) -> None:
        super().__init__()
        self.said = b""
        self.is_open = True
        self.protocol: Patient

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.said += bytes(data)

    def is_closing(self) -> bool:
        return not self.is_open

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.protocol.connection_lost(None)

    abort = close

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Server:
    """A server without sockets, that takes four connections."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.config = Config(_ok, limit_concurrency=MOST, timeout_keep_alive=30, log_config=None)
        self.config.load()
        self.state = ServerState()

    def connect(self, *parts: bytes) -> Wire:
        wire = Wire()
        wire.protocol = Patient(self.config, self.state, {}, self.loop)  # type: ignore[arg-type]
        wire.protocol.connection_made(wire)
        for part in parts:
            wire.protocol.data_received(part)
        return wire


async def _ok(scope: Scope, receive: Receive, send: Send) -> None:
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.mark.parametrize("parts", [(), (HALF,), (b"G",)])
def test_headers_have_their_time(server: Server, parts: tuple[bytes, ...]) -> None:
    wire = server.connect(*parts)
    server.loop.pass_time(HEADERS_WITHIN - 0.1)
    assert not wire.is_closing()
    server.loop.pass_time(0.1)
    assert wire.is_closing()
    assert not server.state.connections


def test_the_next_request_of_a_connection_has_the_same_time(server: Server) -> None:
    wire = server.connect(WHOLE)
    server.loop.work()
    server.loop.pass_time(29)
    assert not wire.is_closing()
    wire.protocol.data_received(HALF)
    server.loop.pass_time(HEADERS_WITHIN)
    assert wire.is_closing()


def _of_length(length: int) -> bytes:
    """A request whose headers have so many bytes."""
    return WHOLE[:-2] + b"X: " + b"x" * (length - len(WHOLE) - 5) + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([_of_length(HEADERS_MOST)], b"200"),
        ([_of_length(HEADERS_MOST)[:-1], b"\n"], b"200"),
        ([_of_length(HEADERS_MOST).replace(b"\r\n", b"\n")], b"200"),
        ([_of_length(HEADERS_MOST + 1)], b"431"),
        ([_of_length(30_000)], b"431"),
        ([_of_length(HEADERS_MOST + 3)[:-2]], b"431"),
        ([_of_length(30_000)[:9_000], _of_length(30_000)[9_000:]], b"431"),
    ],
)
def test_headers_have_their_length(server: Server, parts: list[bytes], status: bytes) -> None:
    wire = server.connect(*parts)
    server.loop.work()
    assert wire.said.startswith(b"HTTP/1.1 " + status)
    assert wire.is_closing() == (status == b"431")
    assert (b"longer than 16384 bytes" in wire.said) == (status == b"431")


def test_the_oldest_that_asked_nothing_makes_room(server: Server) -> None:
    known = server.connect(WHOLE)
    server.loop.work()
    flood = []
    for _ in range(50):
        server.loop.pass_time(0.01)
        flood.append(server.connect(HALF))
    honest = server.connect(WHOLE)
    server.loop.work()
    assert honest.said.startswith(b"HTTP/1.1 200")
    assert not known.is_closing()
    assert [wire.is_closing() for wire in flood] == [True] * 49 + [False]
    assert len(server.state.connections) < MOST


def test_who_comes_while_all_are_being_answered_is_told_so(server: Server) -> None:
    busy = [server.connect(WHOLE) for _ in range(MOST - 1)]
    late = server.connect(WHOLE)
    server.loop.work()
    assert late.said.startswith(b"HTTP/1.1 503")
    assert all(wire.said.startswith(b"HTTP/1.1 200") for wire in busy)
