"""JSON-RPC: what its methods take and answer, and what an access counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.serve.rpc.methods import METHODS
from memtui.serve.rpc.server import Accesses, Server
from store import Memory, open_memory
from store.evolving.context import AgentContext
from tests.store.factories import NOW, Clock, observation

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def clock() -> Clock:
    """Noon."""
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=clock) as memory:
        yield memory


@pytest.fixture
def rpc(opened: Memory, clock: Clock) -> Ask:
    """Ask a method as an agent; gives the whole answer."""
    return asking(Server(lambda: opened, clock))


def asking(server: Server) -> Ask:

    def asked(method: str, agent: str | None = "a1", allowed: str = "*", **params: Any) -> Any:  # noqa: ANN401 - any JSON
        message = {"jsonrpc": "2.0", "id": 7, "method": f"memory.{method}", "params": params}
        if agent is not None:
            message["a2a_context"] = {"source_agent": agent}
        return json.loads(server.answer(json.dumps(message).encode(), allowed))

    return asked


def test_it_describes_what_its_methods_take(opened: Memory, clock: Clock) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "rpc.discover", "params": {}}
    answer = json.loads(Server(lambda: opened, clock).answer(json.dumps(message).encode()))
    methods = {method["name"]: method for method in answer["result"]["methods"]}
    assert list(methods) == list(METHODS)
    params = methods["memory.retrieve"]["params"]
    assert [(param["name"], param["required"]) for param in params] == [
        ("query", True),
        ("k", False),
        ("memory_types", False),
    ]
    assert params[1]["schema"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 5}


def interaction(query: str = "Why is the login test red?", **more: object) -> dict[str, object]:
    """What `memory.store` takes."""
    given = {"id": "i-1", "query": query, "timestamp": "2026-03-01T11:30:00Z"}
    return {**given, **more}


def stored(rpc: Ask, agent: str = "a1", **more: Any) -> str:  # noqa: ANN401 - any JSON
    """The id of the memory that an interaction became."""
    told = rpc("store", agent, interaction=interaction(**more))
    identifier: str = told["result"]["memory_id"]
    return identifier


def test_another_agents_memory_is_not_there(rpc: Ask, opened: Memory) -> None:
    theirs = stored(rpc, "a2", query="The secret plan of login")
    for asked in ("login plan", "agent:a2", "login OR agent:a2", '" agent:a2'):
        assert rpc("retrieve", query=asked, k=50)["result"]["memories"] == []
        assert rpc("get_context", query=asked)["result"]["context"] == ""
    for method, more in (
        ("update", {"updates": {"content": "mine"}}),
        ("delete", {}),
        ("delete", {"forget": True}),
    ):
        told = rpc(method, memory_id=theirs, **more)
        assert told["error"]["code"] == -32001
        assert told["error"]["message"] == f"Memory {theirs} not found."
    assert rpc("stats")["result"]["total_memories"] == 0
    assert rpc("prune", strategy="oldest_first")["result"]["remaining_count"] == 0
    assert opened.get(theirs).content == "The secret plan of login"
    assert any("a1 asked for" in entry.message for entry in opened.activity().entries)


def test_an_agent_that_the_caller_is_not_is_refused(rpc: Ask, opened: Memory) -> None:
    stored(rpc)
    told = rpc("retrieve", "a1", "a2", query="login")
    assert told["error"]["code"] == -32001
    assert any("a2 asked as a1" in entry.message for entry in opened.activity().entries)
    assert "result" in rpc("retrieve", "a1", "a1", query="login")


@pytest.mark.parametrize("by_another_program", [False, True])
def test_what_is_forgotten_is_not_kept_of_what_waits(
    opened: Memory, clock: Clock, tmp_path: Path, by_another_program: bool
) -> None:
    server = Server(lambda: opened, clock)
    rpc = asking(server)
    made = stored(rpc, query="The port of the gateway is 8181?")
    assert "8181" in rpc("get_context", query="port of the gateway")["result"]["context"]
    if by_another_program:
        with open_memory(opened.path, cache=tmp_path / "other", clock=clock) as other:
            other.forget(other.plan.forget(made))
    else:
        rpc("delete", memory_id=made, forget=True)
    server.close()
    kept = [it for it in opened.path.rglob("*") if it.is_file() and b"8181" in it.read_bytes()]
    assert kept == []


def test_a_contradiction_is_flagged_on_both_sides(rpc: Ask, opened: Memory) -> None:
    kept = {"agent": "a1", "issue_number": 0, "category": "decision"}
    older, newer = opened.store(
        [
            observation("We deploy on Fridays", timestamp=NOW - timedelta(days=1), **kept),
            observation("We do not deploy on Fridays", timestamp=NOW, **kept),
        ]
    )
    first, second = rpc("retrieve", query="deploy on Fridays")["result"]["memories"]
    assert (first["memory_id"], first["contradicts"]) == (newer, [older])
    assert (second["memory_id"], second["contradicted_by"]) == (older, newer)


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("store", {}, "`interaction` is missing"),
        ("store", {"interaction": interaction(" ")}, "query is empty"),
        ("store", {"interaction": interaction(timestamp="soon")}, "ISO 8601"),
        ("store", {"interaction": interaction(timestamp="2026-03-01T12:00:01Z")}, "in the future"),
        ("store", {"interaction": interaction(success="yes")}, "valid boolean"),
        ("store", {"interaction": interaction(task_id="t" * 301)}, "at most 300 characters"),
        ("store", {"interaction": interaction(outcome="o" * 100_001)}, "at most 100000"),
        ("retrieve", {"query": "x", "k": 0}, "equal to 1"),
        ("retrieve", {"query": ""}, "at least 1 character."),
        ("retrieve", {"query": "x", "memory_types": ["dreams"]}, "should be 'working'"),
        ("update", {"memory_id": "x", "updates": {}}, "No updates"),
        ("update", {"memory_id": "x", "updates": {"agent": "a2"}}, "`updates.agent` is not known"),
        ("prune", {"strategy": "random"}, "should be 'least_relevant'"),
        ("stats", {"odd": "a2"}, "`odd` is not known"),
    ],
)
def test_wrong_params_are_told(rpc: Ask, method: str, params: dict[str, Any], told: str) -> None:
    error = rpc(method, **params)["error"]
    assert error["code"] == -32602
    assert told in error["message"]


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.sampled_from([name.removeprefix("memory.") for name in METHODS]),
    st.dictionaries(
        st.sampled_from(
            ["interaction", "query", "k", "memory_types", "task_id", "max_tokens", "memory_id"]
        ),
        _JSON,
        max_size=3,
    ),
)
def test_any_params_have_an_answer(method: str, params: dict[str, Any]) -> None:
    server = Server(lambda: pytest.fail("memory was opened"), lambda: NOW)
    if method not in ("store", "update", "prune"):
        params = {**params, "odd": 1}
    message = {"jsonrpc": "2.0", "id": 1, "method": f"memory.{method}", "params": params}
    message["a2a_context"] = {"source_agent": "a1"}
    told = json.loads(server.answer(json.dumps(message).encode()))
    assert told["error"]["code"] in (-32602, -32700)


def test_malformed_requests_are_answered_and_write_nothing(opened: Memory, clock: Clock) -> None:
    server = Server(lambda: opened, clock)
    dice = Random(11)
    values: list[Any] = [None, True, -1, 1e308, "", "x" * 300, [], {}, {"a": [1]}, "\ud800", "é"]
    keys = ["interaction", "query", "k", "task_id", "max_tokens", "memory_id", "updates", "odd"]
    methods = [f"memory.{name.removeprefix('memory.')}" for name in METHODS] + ["zz", 4, None]
    for _ in range(400):
        params = {key: dice.choice(values) for key in dice.sample(keys, dice.randrange(4))}
        message = {
            "jsonrpc": dice.choice(["2.0", "2.0", "2.0", 2]),
            "id": dice.choice([1, "a", None, {}]),
            "method": dice.choice(methods),
            "params": dice.choice([params, params, *values]),
            "a2a_context": dice.choice([{"source_agent": "a1"}, {"source_agent": 3}, *values]),
        }
        data = json.dumps(message).encode()
        if dice.random() < 0.3:
            cut = dice.randrange(len(data))
            data = data[:cut] + bytes([dice.randrange(256)]) + data[cut + 1 :]
        answer = server.answer(data)
        assert b"Traceback" not in answer
        assert b"memtui failed" not in answer
        if answer:
            assert json.loads(answer)["jsonrpc"] == "2.0"
    assert opened.stats().total_observations == 0


# What agents were given is kept together every two minutes, where no answer waits for it.


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
