"""What agents were told is recorded each minute, and counted before there is too much of it."""

from __future__ import annotations

from datetime import timedelta

from memtui.serve.rpc.accesses import Accesses
from store.evolving.context import AgentContext
from tests.store.factories import NOW


def test_what_many_agents_were_told_is_counted_before_who_looks_has_to() -> None:
    counted: list[int] = []
    recorded: list[int] = []
    accesses = Accesses(
        lambda agent, ids, text, tokens: recorded.append(sum(map(len, ids))),
        lambda: counted.append(sum(recorded)),
    )
    for minute in range(4):
        for agent in ("a", "b"):
            ids = tuple(f"{minute:0500}{agent}{number:0499}" for number in range(400))
            now = NOW + timedelta(minutes=minute)
            accesses.add(agent, AgentContext("", 0, ids), now)
    accesses.close()
    assert len(counted) == 2
    assert 2_000_000 < counted[0] < 4_000_000
    assert counted[1] == sum(recorded) == 3_200_000
