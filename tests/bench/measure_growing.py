"""What grows behind memory as it is used, and must not slow it: journal and log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import mkdtemp

from store import Memory, open_memory
from store.backends.text_kinds import TextKind
from store.model import Observation
from store.records import format_time
from tests.bench.measure import Series, Target, interleaved, once
from tests.bench.world import World

SMALL, LARGE = "store one, 10 operations kept", "store one, 3,000 operations kept"
SHORT_LOG, LONG_LOG = "what a session was told, a log of 1 MB", "the same, a log of 40 MB"
_LINE = 1_000
"""About how many bytes a recall takes in the log, with the ids of some twenty memories."""


@once
def journalling(world: World) -> Iterator[Series]:
    """Storing one observation, by how many operations the journal keeps."""
    kept = {SMALL: 10, LARGE: 20 if world.is_quick else 3_000}
    memories = {name: _with_operations(world, each) for name, each in kept.items()}
    numbers = iter(range(1_000_000))

    def store(memory: Memory) -> None:
        memory.store([_observation(f"Chose lock {next(numbers)} for it")])

    took = interleaved(
        {name: lambda memory=memory: store(memory) for name, memory in memories.items()},  # type: ignore[misc]
        runs=world.runs(30),
    )
    for memory in memories.values():
        memory.close()
    yield Series(SMALL, took[SMALL])
    yield Series(LARGE, took[LARGE], Target(same=1.3, beside=SMALL), per=SMALL)


@once
def prompting(world: World) -> Iterator[Series]:
    """What a hook asks of the log at each prompt, by how long the log is."""
    sizes = (1_000, 40_000) if not world.is_quick else (10, 20)
    memories = [_with_log(world, lines) for lines in sizes]
    short, long = (memory for memory in memories)
    took = interleaved(
        {
            SHORT_LOG: lambda: short.recall.already_injected("session-2"),
            LONG_LOG: lambda: long.recall.already_injected("session-2"),
        },
        runs=world.runs(20),
    )
    yield Series(SHORT_LOG, took[SHORT_LOG])
    yield Series(LONG_LOG, took[LONG_LOG], Target(median=30), per=SHORT_LOG)


def _observation(content: str, issue: int = 1) -> Observation:
    return Observation(agent="engineer", issue_number=issue, category="decision", content=content)


def _with_operations(world: World, number: int) -> Memory:
    place = Path(mkdtemp(dir=world.root))
    memory = open_memory(place / "memory", cache=place / "cache")
    memory.store([_observation("Chose plain files")])
    (name,) = memory.backend.texts.names(TextKind.OPERATIONS)
    data = memory.backend.texts.read(TextKind.OPERATIONS, name)
    now = datetime.now(UTC)
    for at in range(number):
        time = now - timedelta(minutes=at + 1)
        path = memory.path / "operations" / f"{time:%Y%m%dT%H%M%S}000-a1b2.json"
        path.write_bytes(data)
    return memory


def _with_log(world: World, lines: int) -> Memory:
    place = Path(mkdtemp(dir=world.root))
    memory = open_memory(place / "memory", cache=place / "cache")
    ids = [f"obs-engineer-29-1709035200000-{at:06x}" for at in range(500)]
    memory.store([_observation("Chose plain files")])
    begun = datetime.now(UTC) - timedelta(days=300)
    random = Random(lines)
    keep, most = timedelta(days=365), 10**9
    for at in range(lines):
        entry = {
            "type": "recalled",
            "timestamp": format_time(begun + timedelta(minutes=10 * at)),
            "sessionId": f"session-{at // 50}",
            "observationIds": random.choices(ids, k=_LINE // 45),
        }
        if memory.backend.log.append(entry):
            memory.backend.log.settle(datetime.now(UTC), keep, most)
    return memory
