"""Several clients at once: what each was told is kept stays kept, and none is refused."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

from memtui.serve.mcp.calls import outcome
from memtui.serve.mcp.tool_arguments import Outcome
from store import AgentMemory, open_memory
from tests.store.factories import observation

CLIENTS, EACH = 2, 8


def _say(folder: Path, cache: Path, client: int) -> None:
    with open_memory(folder, cache=cache) as memory:
        for number in range(EACH):
            said = Outcome(id="obs-1", helped=True, note=f"note {number}")
            outcome(memory, said, f"c{client}")
            if number % 4 == 0:
                AgentMemory(memory, "engineer").update_memory(
                    "obs-1", {"summary": f"Summary {client} {number}"}
                )


def test_no_outcome_is_lost_and_no_update_refused(tmp_path: Path) -> None:
    folder, cache = tmp_path / "memory", tmp_path / "cache"
    with open_memory(folder, cache=cache) as memory:
        memory.store([observation("Ask the lock first", id="obs-1")])
    fork = multiprocessing.get_context("fork")
    clients = [fork.Process(target=_say, args=(folder, cache, at)) for at in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert [client.exitcode for client in clients] == [0] * CLIENTS
    with open_memory(folder, cache=cache) as memory:
        assert memory.get("obs-1").extra["outcomes"]["helped"] == CLIENTS * EACH
