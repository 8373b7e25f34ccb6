"""The app in a terminal, beside a Textual app with as many widgets that does nothing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping

from store.search.folder import index_name
from tests.bench.bare_app import FIRST, ROW
from tests.bench.measure import Series, Target, measurement
from tests.bench.terminals import Terminal, Tmux
from tests.bench.world import World

BARE_START = "bare app, start to first frame"
BARE_ROWS = "bare app, start to rows of the index"
BARE_ECHO = "bare app, burst of 8 keys to its echo"
BARE_MEMORY = "bare app, memory"

_BARE = (sys.executable, "-m", "tests.bench.bare_app")
_APP = (sys.executable, "-m", "memtui")
_FRAME = "Opening memory …"
_RESULTS = ROW  # the mark of the row under the cursor, which no other row of the screen has
_KEYS = 8
_BESIDE_CHOICES = 28
"""The column where results and observation begin. The gauge at their left waits on purpose."""
_QUIET = 0.5
"""Seconds without change after which a screen is the last."""
_SETTLED = 2.0
"""Seconds after which a program holds what it will."""


@measurement
def app(world: World) -> Iterator[Series]:
    """Start, memory and a burst of keys, each beside the bare app's, taken in turn."""
    world.memory.index.refresh()
    environment = _environment(world)
    for command, shown in ((_BARE, FIRST), (_APP, _RESULTS)):
        with Terminal(command, environment) as warm_up:
            warm_up.wait_for(shown)
    yield from _starting(world, environment)
    yield from _holding(world, environment)
    yield from _typing(world, environment)


def _starting(world: World, environment: Mapping[str, str]) -> Iterator[Series]:
    bare, frame, results, floor = [], [], [], []
    index = str(world.cache / index_name(str(world.folder.resolve())))
    for _ in range(world.runs(25)):
        with Terminal(_BARE, environment) as terminal:
            bare.append(terminal.wait_for(FIRST))
        with Terminal(_APP, environment) as terminal:
            frame.append(terminal.wait_for(_FRAME))
            results.append(terminal.wait_for(_RESULTS))
        with Terminal((*_BARE, index), {**environment, "TEXTUAL_FPS": "120"}) as terminal:
            floor.append(terminal.wait_for(ROW))
    yield Series(BARE_START, bare)
    yield Series(BARE_ROWS, floor, per=BARE_START)
    yield Series("app, start to first frame", frame, Target(times=1.25), per=BARE_START)
    target = Target(times=1.25, floor=BARE_ROWS)
    yield Series("app, start to first results", results, target, per=BARE_START)


def _holding(world: World, environment: Mapping[str, str]) -> Iterator[Series]:
    """Memory after the first results, and after a query was typed."""
    rest = world.rest(_SETTLED)
    bare, shown, searched, shared = [], [], [], []
    try:
        for _ in range(world.runs(5)):
            with Terminal(_BARE, environment) as terminal:
                terminal.wait_for(FIRST)
                terminal.press_and_read("lock tim", rest)
                bare.append(terminal.memory()[0])
            with Terminal(_APP, environment) as terminal:
                terminal.wait_for(_RESULTS)
                terminal.press_and_read("", rest)
                shown.append(terminal.memory()[0])
                terminal.press_and_read("/lock tim", rest)
                resident, proportional = terminal.memory()
                searched.append(resident)
                shared.append(proportional)
    except FileNotFoundError:
        _skip("memory", "this system does not tell what a process holds")
        return
    yield Series(BARE_MEMORY, bare, unit="MB")
    target = Target(over=40)
    yield Series("app, memory with results", shown, target, "MB", per=BARE_MEMORY)
    yield Series("app, memory after a search", searched, target, "MB", per=BARE_MEMORY)
    yield Series("app, proportional memory after a search", shared, unit="MB", per=BARE_MEMORY)


def _typing(world: World, environment: Mapping[str, str]) -> Iterator[Series]:
    if shutil.which("tmux") is None:
        _skip("a burst of keys", "tmux is not installed")
        return
    echo, results, whole = [], [], []
    with Tmux(_BARE, environment) as bare, Tmux(_APP, environment) as mine:
        bare.until(FIRST)
        mine.until(_RESULTS)
        mine.key("/")
        mine.watch(_QUIET)
        for text in _bursts(world):
            echo.append(_burst(bare, text)[1])
            one, other = _burst(mine, text)
            results.append(one)
            whole.append(other)
    yield Series(BARE_ECHO, echo)
    yield Series("app, burst of 8 keys to its results", results, Target(over=60), per=BARE_ECHO)
    yield Series("app, the same to its last figure and gauge", whole, per=BARE_ECHO)


def _bursts(world: World) -> list[str]:
    wanted = world.runs(25)
    texts = (query[:_KEYS] for query in world.queries(200))
    return [text for text in texts if len(text.rstrip()) == _KEYS][:wanted]


def _burst(tmux: Tmux, text: str) -> tuple[float, float]:
    """Milliseconds until results and observation were the last, and until the whole screen was."""
    tmux.type(text)
    seen = tmux.watch(_QUIET)
    tmux.key("C-u")
    tmux.watch(_QUIET)
    last = [line[_BESIDE_CHOICES:] for line in seen[-1][1]]
    results = next(ms for ms, screen in seen if [line[_BESIDE_CHOICES:] for line in screen] == last)
    return results, seen[-1][0]


def _environment(world: World) -> dict[str, str]:
    """The world's, with a home of its own, in a terminal of many colours."""
    terminal = {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
    return {**world.environment, "HOME": str(world.root), **terminal}


def _skip(what: str, why: str) -> None:
    print(f"  {what} is left out: {why}.", file=sys.stderr)
