"""A server of JSON-RPC over one memory, whatever carries its messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import store
from memtui.serve.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    NOT_FOUND,
    Json,
    Request,
    RpcError,
    encode,
    failure,
    parse,
    result,
)
from store.errors import InvalidObservation, NoMemory, NotFound, StoreError

if TYPE_CHECKING:  # a client waits for our first answer, which needs no memory
    from store import Memory
    from store.backends import Location

ANY_AGENT = "*"
"""The caller that may be any agent."""
_MEMORY = (".agentx", "memory")


class MemoryServer(ABC):
    """Answers messages over one memory, which is opened at the first call that needs it. Safe to
    share between threads.
    """

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        self._open_memory = open_memory
        self._opened: Memory | None = None
        self._opening = Lock()

    @abstractmethod
    def result(self, request: Request, caller: str) -> Json:
        """Return the result of a request. Raises `RpcError`, `StoreError`."""

    @property
    def memory(self) -> Memory:
        with self._opening:
            if self._opened is None:
                self._opened = self._open_memory()
            return self._opened

    def memory_at(self, level: str) -> Memory:
        """Return the memory with a level open, which may be still to begin."""
        memory = self.memory
        if not level or memory.backend.levels:
            return memory
        from store.backends.location import levels_around  # few calls name a level

        if location := levels_around(memory.location, memory.path):
            with self._opening:
                memory.close()
                self._opened = memory = store.open_memory(location)
        return memory

    def answer(self, data: bytes, caller: str = "") -> bytes:
        """Return the answer to one message as a line; empty where none is wanted."""
        request, reply = self.handle(data, caller)
        is_wanted = reply is not None and (request is None or request.wants_answer)
        return encode(reply) if reply is not None and is_wanted else b""

    def handle(self, data: bytes, caller: str = "") -> tuple[Request | None, Json | None]:
        """Return the request of a message, and its reply; None for what is none, or has none."""
        try:
            request = parse(data)
        except RpcError as error:
            return None, failure(error.id, error)
        if request is None:
            return None, None
        try:
            return request, result(request.id, self.result(request, caller))
        except Exception as error:  # noqa: BLE001 - one request must not end the server
            return request, failure(request.id, _error_of(error))

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()


def _error_of(error: Exception) -> RpcError:
    if isinstance(error, RpcError):
        return error
    if isinstance(error, NotFound):
        return RpcError(NOT_FOUND, error.message)
    if isinstance(error, InvalidObservation):
        return RpcError(INVALID_PARAMS, error.full_message)
    if isinstance(error, StoreError):
        return RpcError(INTERNAL_ERROR, error.full_message)
    return RpcError(INTERNAL_ERROR, f"memtui failed: {type(error).__name__}.")


def check_place(folder: Location | None) -> None:
    """Refuse a folder that is not there, before a client waits for answers of a memory that would
    begin somewhere unmeant; the memory folder of a project may be still to come. Raises `NoMemory`.
    """
    if folder is None or "://" in str(folder):
        return
    from store.platform.home import expanded  # the first answer needs no memory

    place = expanded(folder)
    project = place.parents[1] if place.parts[-2:] == _MEMORY else place
    if not project.is_dir():
        raise NoMemory(
            f"{project} is not a folder.", "Give a project or its .agentx/memory folder."
        )


def open_served(folder: Location | None) -> Memory:
    """Open the memory to serve: the one named, else the nearest above, else one that begins here,
    as for hooks: not in the project, unless the user chose that.
    """
    from store.backends.location import levels_at
    from store.backends.placement import MemoryPlace, memory_to_begin
    from store.backends.user_data import is_in_user_data, mine_memory

    try:
        try:
            return store.open_memory(folder)
        except NoMemory:
            if isinstance(folder, str):
                raise
            if folder is not None:
                return store.open_memory(folder.joinpath(*_MEMORY))
            begins = memory_to_begin(Path.cwd(), MemoryPlace.USER)
            with_mine = mine_memory().is_dir() and is_in_user_data(begins)
            return store.open_memory(levels_at(Path.cwd()) if with_mine else begins)
    except FileNotFoundError as error:
        raise NoMemory("The working directory no longer exists.", "Give --dir.") from error
