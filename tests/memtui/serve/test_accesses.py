"""What agents were given is kept together every two minutes, where no answer waits for it."""

from __future__ import annotations

from datetime import timedelta

from memtui.serve.rpc.server import Accesses
from store.evolving.context import AgentContext
from tests.store.factories import NOW


def test_accesses_are_kept_together_and_the_rest_at_the_end() -> None:
    kept: list[dict[str, set[str]]] = []
    accesses = Accesses(
        lambda given: kept.append({agent: set(ids) for agent, (ids, _) in given.items()})
    )
    for minute, agent, ids in ((0, "a", "12"), (1, "b", "1"), (2, "a", "23"), (3, "a", "4")):
        accesses.add(agent, AgentContext("", 0, tuple(ids)), NOW + timedelta(minutes=minute))
    accesses.close()
    assert kept == [{"a": {"1", "2", "3"}, "b": {"1"}}, {"a": {"4"}}]
