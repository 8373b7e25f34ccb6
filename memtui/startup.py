"""Opening the app on a memory, with no more loaded than that takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import store
from memtui.formatting import shown_path
from store.backends import Location
from store.backends.location import FOLDER, VAULT, find_store, named_store, own_place
from store.backends.user_data import project_root
from store.errors import NoMemory, StoreError
from store.platform.project import project_of

if TYPE_CHECKING:
    from store import Memory

_NAMES_A_PLACE = (
    "_HOME",
    "_CONFIG_DIR",
    "_DATA_DIR",
    "_AGENT_DIR",
    "_SETTINGS_PATH",
)
"""What the variables end in by which clients find their folders and settings."""
_OF_THE_TERMINAL = frozenset({"XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "MEMTUI_TRACEBACK"})


def open_app(folder: Location | None = None, *, can_go_back: bool = False) -> bool:
    """Open the app on the memory in a folder, else on the nearest above the working directory.

    From another memory that is opened there, or the demo, one comes back. Where there is no memory
    yet, the app offers what it can begin with; nothing is written before one agrees. Returns True
    if the user wants to go back. Raises `NoMemory` for a folder that was named and can't hold one,
    and `NoTerminal` where there is no terminal.
    """
    path, opens = _memory_in(folder), None
    check_terminal()
    from memtui.tui.app import BACK, MemtuiApp, run

    while True:
        app = MemtuiApp(path, place=project_title(path), opens=opens, can_go_back=can_go_back)
        wanted = run(app)
        if not wanted or wanted == BACK:
            return wanted == BACK
        if wanted != "again":
            next_app = open_demo if wanted == "demo" else partial(open_app, wanted)
            if not next_app(can_go_back=True):
                return False
        path, opens = _memory_in(folder), app.back_to


def _memory_in(folder: Location | None) -> Location:
    try:
        return named_store(folder) if folder else find_store(Path.cwd())
    except NoMemory:
        if folder is not None or os.environ.get("MEMTUI_DIR"):
            raise
        from store.backends.placement import MemoryPlace, memory_to_begin

        return memory_to_begin(Path.cwd(), MemoryPlace.USER)


def open_demo(*, can_go_back: bool = False) -> bool:
    """Open the app on the sample store, in a temporary folder that is gone afterwards.

    The sample is written behind the first frame. Returns True if the user wants to go back. Raises
    `NoTerminal`.
    """
    check_terminal()
    from memtui.tui.app import BACK, MemtuiApp, run
    from memtui.tui.frame.route import DEMO

    with TemporaryDirectory(prefix="memtui-demo-") as name, _home_in(Path(name) / "home"):
        cache = Path(name) / "cache"

        def open_sample(folder: Location) -> Memory:
            from memtui.sample import write_sample_store, write_waiting_sessions

            if isinstance(folder, Path):
                write_waiting_sessions(Path.home(), project_root(folder), datetime.now(UTC))
                write_sample_store(
                    folder,
                    datetime.now(UTC),
                    cache=cache,
                    should_continue=lambda: app.is_running,
                )
            return store.open_memory(folder, cache=cache)

        folder = Path(name) / "heron" / ".agentx" / "memory"
        app = MemtuiApp(folder, place=DEMO, open_memory=open_sample, can_go_back=can_go_back)
        return run(app, lambda: rmtree(name, ignore_errors=True)) == BACK


@contextmanager
def _home_in(folder: Path) -> Iterator[None]:
    """Give this process a home of its own: what is set and installed meanwhile is the demo's.

    Variables that name another place for something of the user's are left out.
    """
    kept = dict(os.environ)
    folder.mkdir()
    for name in kept:
        named = name.startswith(("XDG_", "MEMTUI_")) or name.endswith(_NAMES_A_PLACE)
        if named and name not in _OF_THE_TERMINAL:
            del os.environ[name]
    os.environ |= {"HOME": str(folder), "GIT_CONFIG_GLOBAL": str(folder / ".gitconfig")}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= kept


class NoTerminal(StoreError):
    """The app was called where there is no terminal: by a client's hook, perhaps.

    It is no mistake in the call: exit 2 would forbid the client what the hook was asked about.
    """


def check_terminal() -> None:
    """Raise `NoTerminal` where the app would wait for keys that nobody can press.

    Textual reads keys from the standard input and draws on the standard error, unless another
    driver does that (in a browser).
    """
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    for stream, does in ((sys.__stdin__, "read keys from"), (sys.__stderr__, "draw on")):
        if stream is None or not stream.isatty():
            raise NoTerminal(
                f"No terminal to {does}: the app can't open.",
                "`memtui --help` lists commands that need no terminal.",
            )


def project_title(memory: Location) -> str:
    """The project that a memory belongs to, and its branch; the path of one that has none."""
    memory = own_place(memory)
    if not isinstance(memory, Path):
        return shown_path(memory)
    if memory.parts[-2:] != FOLDER.parts and memory.name != VAULT.name:
        return shown_path(memory)
    root, here = project_root(memory), project_of(Path.cwd())
    project = here if here is not None and here.main_root == root else project_of(root)
    branch = project.branch if project else ""
    return f"{root.name or root} · {branch}" if branch else root.name or shown_path(memory)
