"""`memtui mcp` over standard input and output: starts with the standard library alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui import __version__
from memtui.serve.jsonrpc import serve_streams
from memtui.serve.mcp.server import Server

if TYPE_CHECKING:
    from store import Memory
    from store.backends import Location

_MEMORY = (".agentx", "memory")


def serve(folder: Location | None = None) -> None:
    """Answer until the client closes our input. Raises `NoMemory` where there is no such folder."""
    check_place(folder)
    server = Server(lambda: opened(folder), __version__)
    try:
        serve_streams(server.answer)
    finally:
        server.close()


def _begun_here() -> Path:
    """Place for a memory that an agent begins: as for hooks, not unasked in the project."""
    from store.backends.placement import MemoryPlace, chosen_place, memory_at

    return memory_at(Path.cwd(), chosen_place() or MemoryPlace.USER)


def check_place(folder: Location | None) -> None:
    """Refuse a folder that is not there, before a client waits for answers of a memory that would
    begin somewhere unmeant; the memory folder of a project may be still to come. Raises `NoMemory`.
    """
    if folder is None or "://" in str(folder):
        return
    from store.platform.home import expanded

    place = expanded(folder)
    project = place.parents[1] if place.parts[-2:] == _MEMORY else place
    if not project.is_dir():
        from store.errors import NoMemory

        raise NoMemory(
            f"{project} is not a folder.", "Give a project or its .agentx/memory folder."
        )


def opened(folder: Location | None) -> Memory:
    """The memory to serve: the one named, else the nearest above, else one that begins here."""
    from store import open_memory
    from store.errors import NoMemory

    try:
        try:
            return open_memory(folder)
        except NoMemory:
            if isinstance(folder, str):
                raise
            if folder is None:
                return open_memory(_begun_here())
            return open_memory(folder / ".agentx" / "memory")
    except FileNotFoundError as error:
        raise NoMemory("The working directory no longer exists.", "Give --dir.") from error
