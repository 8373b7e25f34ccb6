"""The rooms import each other one way only, and looking imports no more than it needs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

from tests.sources import ROOT, Imported, imports_of, sources
from tests.store.factories import make_memory, observation

SCREENS = {"textual", "rich", "click", "memtui"}
"""What belongs to the faces of memory, never to the store."""
AT_THE_TOP = {
    ".ci",
    ".gitattributes",
    ".gitignore",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "docs",
    "memtui",
    "memtui_start.py",
    "pyproject.toml",
    "server.json",
    "snapshots",
    "store",
    "tests",
}
"""What is kept of the project's top level."""
_MADE = re.compile(r"^(?: *(?:def|class) (?!__)(\w+)|((?!__)\w+)(?:: [^=\n]+)? = )", re.M)
"""Functions, classes and constants of a module, by their names."""
OF_BASES = {"readinto"}
"""Methods that a class of the standard library calls."""
SERVICES = {"service", "continuation", "plans", "upkeep", "vault_service"}
"""Modules in rooms of the store that stand above all rooms: what `Memory` offers of theirs."""


def _loaded(code: str, *arguments: object) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after some code."""
    script = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_no_room_imports_itself_in_a_round() -> None:
    """At each floor, folders and modules beside each other; what is imported late counts too."""
    rooms: defaultdict[tuple[str, ...], defaultdict[str, set[str]]]
    rooms = defaultdict(lambda: defaultdict(set))
    for source in (*sources("memtui"), *sources("store")):
        here = _room(Path(source.path).with_suffix("").parts)
        for module in chain.from_iterable(map(_reached, imports_of(source))):
            there = _room(tuple(module.split(".")))
            pairs = enumerate(zip(here, there, strict=False))
            shared = next((at for at, (one, other) in pairs if one != other), 0)
            if shared:
                rooms[here[:shared]][here[shared]].add(there[shared])
    assert len(rooms) > 30
    for beside in rooms.values():
        TopologicalSorter(beside).prepare()  # raises CycleError, which names the circle


def _room(module: tuple[str, ...]) -> tuple[str, ...]:
    """Where a module stands: services in a room of their own, whichever folder has them."""
    if module[0] == "store" and len(module) > 2 and module[2] in SERVICES:
        return ("store", "services", *module[1:])
    return module


def _reached(it: Imported) -> Iterator[str]:
    """The module that is imported, and each name of it, which may be a module too."""
    yield it.module
    yield from (f"{it.module}.{name}" for name in it.names)


def test_the_top_level_holds_nothing_that_was_left_behind() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout: what is kept of it can't be told")
    command = ["git", "ls-files", "--cached"]
    kept = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {path.partition("/")[0] for path in kept.splitlines()} == AT_THE_TOP


def test_nothing_stands_in_the_store_that_nobody_asks_for() -> None:
    """Where the only call of a check, or the only use of a bound, was dropped, it shows here.

    A name with an underscore is asked for in its own folder, another anywhere.
    """
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    anywhere: Counter[str] = Counter()
    made: list[tuple[str, str]] = []
    for source in (*sources("memtui"), *sources("store")):
        found = re.findall(r"\w+", source.text)
        words[str(Path(source.path).parent)].update(found)
        anywhere.update(found)
    for source in sources("store"):
        made += [(source.path, it[0] or it[1]) for it in _MADE.findall(source.text)]
    unasked = [
        f"{name}: {it}"
        for name, it in made
        if it not in OF_BASES
        and (words[str(Path(name).parent)] if it.startswith("_") else anywhere)[it] == 1
    ]
    assert len(made) > 1_000
    assert unasked == []


def test_importing_the_store_is_cheap() -> None:
    loaded = _loaded("from store import Observation")
    assert "store" in loaded
    assert not loaded & (SCREENS | {"pydantic", "tantivy", "platformdirs", "rapidfuzz"})


def test_looking_at_a_memory_loads_no_screen(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.store([observation()])
    loaded = _loaded(
        "import sys\nfrom pathlib import Path\nfrom store import open_memory\n"
        "with open_memory(sys.argv[1], cache=Path(sys.argv[2])) as memory:\n"
        "    assert memory.search('plain').total == 1\n"
        "    assert memory.get('obs-1').agent == 'engineer'\n",
        memory.path,
        tmp_path / "cache",
    )
    assert "tantivy" in loaded
    assert not loaded & (SCREENS | {"rapidfuzz"})


def test_every_name_the_store_offers_is_there() -> None:
    import store

    assert all(getattr(store, name) for name in store.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = store.nonsense


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_path_on_the_map_is_there(page: str) -> None:
    """A bare file name stands beside the last path before it; `<…>` and `…` stand for any name."""
    folder, named = ROOT, set()
    for path in re.findall(r"`([\w./<>…-]+)`", (ROOT / page).read_text()):
        if path.partition("/")[0] in {"memtui", "store", "tests", "docs", "snapshots"}:
            named.add(path)
            folder = ROOT / path if path.endswith("/") else (ROOT / path).parent
        elif re.fullmatch(r"\w+\.(py|tcss|json|sql)", path):
            named.add(str((folder / path).relative_to(ROOT)))
    assert len(named) > 10
    patterns = {path: re.sub(r"<\w+>|…", "*", path.rstrip("/")) for path in named}
    assert [path for path, pattern in patterns.items() if not any(ROOT.glob(pattern))] == []


@pytest.mark.parametrize("floor", ["store", "memtui"])
def test_every_room_has_its_row_on_the_map(floor: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rooms = {path.parent.name for path in (ROOT / floor).glob("*/__init__.py")}
    named = set(re.findall(rf"^\| .*`{floor}[/.](\w+)", page, re.MULTILINE))
    named |= set(re.findall(rf"`{floor}/(\w+)/", page))
    assert rooms - named == set()
