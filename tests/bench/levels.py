"""What levels cost: `python -m tests.bench.levels FOLDER`.

Plans of recalls over one memory of 50,000, one of 60,000, and levels of 50,000 + 5,000 + 5,000, in
turn; and the start of a session, as its hook runs, with one memory and with three levels.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter

from store import Memory, open_memory
from store.backends.location import FOLDER, LEVELS
from store.backends.user_data import keep_project, mine_memory, place_in_user_data
from tests.bench.generate import AGENTS, write_store
from tests.bench.words import CONTENT_WORDS

_PLANS, _HOOKS = 200, 30
_SIZES = {"one of 50,000": 50_000, "one of 60,000": 60_000}
_PARTS = (50_000, 5_000, 5_000)
"""The project's own memories, the user's, and the team's."""
_NAME = "levels of 50,000 + 5,000 + 5,000"


def _laid_out(root: Path) -> dict[str, str]:
    """Return the locations, by the names of what they hold."""
    places = {name: root / f"of-{size}" for name, size in _SIZES.items()}
    for seed, (name, size) in enumerate(_SIZES.items()):
        if not places[name].exists():
            subprocess.run(["git", "init", "-q", places[name]], check=True)
            write_store(places[name] / FOLDER, size, seed)
    shop = root / "shop"
    if not shop.exists():
        subprocess.run(["git", "init", "-q", shop], check=True)
        kept = place_in_user_data(shop)
        keep_project(kept, shop)
        folders = (kept.memory, mine_memory(), shop / FOLDER)
        for seed, (folder, size) in enumerate(zip(folders, _PARTS, strict=True)):
            write_store(folder, size, 10 + seed)
        subprocess.run(["git", "-C", shop, "add", "-f", ".agentx"], check=True)
    return {
        **{name: str(place / FOLDER) for name, place in places.items()},
        _NAME: f"{LEVELS}{shop}",
    }


def _timed(memory: Memory, random: Random) -> float:
    task = " ".join(random.sample(CONTENT_WORDS, 6))
    start = perf_counter()
    memory.recall.plan(random.choice(AGENTS), None, task, budget=1_200)
    return (perf_counter() - start) * 1_000


def _planned(locations: dict[str, str]) -> Iterator[str]:
    memories = {name: open_memory(place) for name, place in locations.items()}
    took: dict[str, list[float]] = {name: [] for name in memories}
    for memory in memories.values():
        memory.index.refresh()
    randoms = {name: Random(7) for name in memories}
    for _ in range(_PLANS):
        for name, memory in memories.items():
            took[name].append(_timed(memory, randoms[name]))
    for name, samples in took.items():
        p95 = quantiles(samples, n=20)[18]
        yield f"plan, {name}: median {median(samples):.1f} ms, p95 {p95:.1f}"
        memories[name].close()


def _started(root: Path) -> Iterator[str]:
    """The processor's and the wall's time of a session's start, the same projects in turn."""
    projects = {"one of 50,000": root / "of-50000", "three levels": root / "shop"}
    took: dict[str, list[float]] = {name: [] for name in (*projects, "bare Python")}
    for at in range(_HOOKS):
        for name, folder in projects.items():
            given = f'{{"session_id": "s{at}", "cwd": "{folder}"}}'
            command = [sys.executable, "-m", "memtui", "hook", "session-start"]
            took[name].append(_run(command, folder, given))
        took["bare Python"].append(_run([sys.executable, "-c", ""], root, ""))
    for name, samples in took.items():
        yield f"hook, {name}: median {median(samples):.0f} ms, best {min(samples):.0f}"


def _run(command: list[str], folder: Path, given: str) -> float:
    mine = folder.name != "of-50000"
    environ = {**os.environ, **({} if mine else {"XDG_DATA_HOME": str(folder / "none")})}
    environ["PYTHONPATH"] = str(Path(__file__).parents[2])
    start = perf_counter()
    subprocess.run(command, cwd=folder, env=environ, input=given, text=True, capture_output=True)
    return (perf_counter() - start) * 1_000


def main() -> None:
    root = Path(sys.argv[1]).absolute()
    root.mkdir(parents=True, exist_ok=True)
    for kind in ("DATA", "CACHE", "CONFIG"):
        os.environ[f"XDG_{kind}_HOME"] = str(root / kind.lower())
    locations = _laid_out(root)
    for line in (*_planned(locations), *_started(root)):
        print(line)


if __name__ == "__main__":
    main()
