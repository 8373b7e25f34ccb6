"""What agents were given is kept together every two minutes, where no answer waits for it."""

from __future__ import annotations

from datetime import timedelta

from memtui.serve.rpc.server import Accesses
from store.evolving.context import AgentContext
from tests.store.factories import NOW


def test_accesses_are_kept_together_and_the_rest_at_the_end() -> None:
    kept: list[dict[str, tuple[dict[str, int], str]]] = []
    accesses = Accesses(
        lambda given: kept.append(
            {agent: (dict(ids), last.text) for agent, (ids, last) in given.items()}
        )
    )
    answers = ((0, "a", "12", "told"), (1, "b", "1", ""), (2, "a", "23", ""), (3, "a", "4", ""))
    for minute, agent, ids, text in answers:
        accesses.add(agent, AgentContext(text, 0, tuple(ids)), NOW + timedelta(minutes=minute))
    accesses.close()
    first = {"a": ({"1": 1, "2": 2, "3": 1}, "told"), "b": ({"1": 1}, "")}
    assert kept == [first, {"a": ({"4": 1}, "")}]
