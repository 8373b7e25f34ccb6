"""The evolving memory, from outside: privacy, speed, edge cases, quality (clauses 004-45 to 84)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from memtui.serve.http.app import application
from memtui.serve.http.metrics import Metrics
from memtui.serve.rpc.http import RpcEndpoint
from memtui.serve.rpc.server import Server as RpcServer
from store import AgentMemory, open_memory
from store.errors import NotFound
from store.evolving.interaction import Interaction, records_of
from tests.seeds.interactions import FACT, INVALID, NOT_FOUND, context, interaction, keep, retrieved
from tests.seeds.world import NOW, World

ROOT = Path(__file__).parents[2]


def test_004_46_no_password_is_taken_into_the_settings(world: World) -> None:
    url = "postgresql://me:hunter2@db/team"
    refused = world.cli("config", "set", "backend", url)
    assert refused.code == 2 and "~/.pgpass or PGPASSWORD" in refused.err
    assert "hunter2" not in refused.err + world.cli("config", "--json").out


@pytest.mark.parametrize("asked", ["false", "true"])
def test_004_47_personal_data(world: World, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setenv("MEMTUI_REDACT_PERSONAL_DATA", asked)
    world.add("Write to ann@example.com or call +1 415 555 2671")
    content = world.records()[0]["content"]
    assert ("ann@example.com" in content, "555 2671" in content) == ((asked == "false",) * 2)


def naming(world: World, word: bytes) -> list[str]:
    files = (path for path in world.path.rglob("*") if path.is_file())
    return [path.name for path in files if word in path.read_bytes()]


def test_004_48_what_is_forgotten_is_in_no_file(world: World) -> None:
    [identifier] = world.add("The zebra lease ends in May")
    world.memory.recall.inject(world.memory.recall.plan("engineer", 29, "zebra lease"))
    world.memory.index.settle()
    assert len(naming(world, b"zebra")) >= 3
    assert world.cli("remove", identifier, "--forget", "--yes").code == 0
    assert naming(world, b"zebra") == []
    with pytest.raises(NotFound):
        world.memory.get(identifier)


@pytest.mark.parametrize("form", ["json-lines", "agentx", "vault"])
def test_004_49_all_can_be_taken_elsewhere(world: World, form: str) -> None:
    world.add("Chose SQLite", "Tabs wrap", tags=("db",))
    out = world.home / "out"
    assert world.cli("export", "--format", form, "--output", str(out)).code == 0
    with open_memory(world.home / "new", cache=world.home / "other") as memory:
        memory.apply(memory.exchange.plan_import(out))
        found = [memory.get(hit.entry.id) for hit in memory.search("agent:engineer").hits]
    assert {(it.content, it.tags) for it in found} == {
        ("Chose SQLite", ("db",)),
        ("Tabs wrap", ("db",)),
    }


def test_004_50_who_was_given_what_is_logged(world: World) -> None:
    identifier = keep(world)
    retrieved(world)
    world.stop()
    (line,) = world.log("recalled")
    assert (line["agent"], line["observationIds"]) == ("engineer", [identifier])
    assert line["channel"] == "jsonrpc"


def test_004_51_hostile_text_is_data(world: World) -> None:
    for text in ("a\x1b[2Jb", "<script>alert(1)</script>", "x'; DROP TABLE y; --"):
        [identifier] = world.add(f"Chose {text}")
        assert "\x1b" not in world.cli("show", identifier).out + world.cli("list").out
        assert "Chose " in world.memory.recall.plan("engineer", 29, "chose").text


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("many"))
    texts = [f"Login {n} was red since the clock of page{n % 50} was wrong" for n in range(500)]
    made.add(*texts, issue_number=0, category="interaction")
    made.memory.index.settle()
    return made


def test_004_53_57_the_time_of_a_retrieval_and_the_size_of_a_million(
    many: World,
) -> None:
    mine, taken = AgentMemory(many.memory, "engineer"), []
    for _ in range(10):
        before = time.process_time()
        assert len(mine.retrieve_memories("login clock", NOW)) == 5
        taken.append(time.process_time() - before)
    assert sorted(taken)[9] < 0.1
    stats = many.memory.stats()
    assert 0 < 1_000_000 * (stats.size_bytes or 0) / stats.total_observations < 50e9  # 004-57


def test_004_55_a_context_takes_a_fifth_of_fifty_turns(world: World) -> None:
    mine, words = AgentMemory(world.memory, "engineer"), "The clock of module {} was wrong. " * 60
    turns = [
        Interaction(f"i-{n}", f"Why is login {n} red?", NOW, response=words.format(*[n] * 60))
        for n in range(50)
    ]
    history = sum(len(f"{it.query}{it.response}") for it in turns) / 4
    world.memory.store([it for turn in turns for it in records_of(turn, "engineer")])
    text = mine.relevant_context("why is login 7 red", NOW, max_tokens=5_000)
    assert history > 25_000 and "login 7" in text.text
    assert 0 < text.tokens <= history / 5


def test_004_65_an_agents_memory_holds_everything_to_it(world: World) -> None:
    mine, theirs = (AgentMemory(world.memory, name) for name in ("engineer", "reviewer"))
    stored = mine.add_interaction(Interaction("i-1", "Why is login red?", NOW, response=FACT))
    assert mine.retrieve_memories("login", NOW) and not theirs.retrieve_memories("login", NOW)
    assert theirs.statistics(NOW).total == 0
    with pytest.raises(NotFound):
        theirs.delete_memory(stored.id)


@pytest.fixture
def client(world: World) -> Iterator[TestClient]:
    """A client of a server over HTTP with a token of the engineer, and one of anybody."""
    server, metrics = RpcServer(lambda: world.memory, world.clock), Metrics()
    tokens = {"e" * 24: "engineer", "*" * 24: "*"}
    endpoint = RpcEndpoint(server, metrics, lambda: 0.0)
    app = application(endpoint, tokens, metrics, clock=lambda: 0.0)
    with TestClient(app, base_url="http://127.0.0.1:1") as opened:
        yield opened
    server.close()


def post(client: TestClient, agent: str, token: str, method: str, **params: Any) -> Any:  # noqa: ANN401
    """Ask a method over HTTP; its result, the error's code, or the status where it is refused."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    asked["a2a_context"] = {"source_agent": agent}
    headers = {"Authorization": f"Bearer {token * 24}"}
    answer = client.post("/api/v1/jsonrpc", json=asked, headers=headers)
    if answer.status_code != 200:
        return answer.status_code
    found = answer.json()
    return found["error"]["code"] if "error" in found else found["result"]


def test_004_45_different_a_token_of_ones_own_is_for_one_agent(client: TestClient) -> None:
    assert post(client, "engineer", "x", "memory.stats") == 401
    assert post(client, "reviewer", "e", "memory.stats") == NOT_FOUND
    assert post(client, "engineer", "e", "memory.stats")["total_memories"] == 0
    assert post(client, "reviewer", "*", "memory.stats")["total_memories"] == 0


def test_004_64_different_one_path_takes_all_methods(client: TestClient) -> None:
    stored = post(client, "engineer", "e", "memory.store", interaction=interaction())
    (found,) = post(client, "engineer", "e", "memory.retrieve", query="login")["memories"]
    assert found["memory_id"] == stored["memory_id"]
    assert client.get("/healthz").text == "ok\n"


def test_004_77_different_prometheus_reads_the_measures(client: TestClient) -> None:
    post(client, "engineer", "e", "memory.store", interaction=interaction())
    post(client, "engineer", "e", "memory.retrieve", query="login", memory_types=["episodic"])
    post(client, "engineer", "e", "memory.retrieve")
    text = client.get("/metrics", headers={"Authorization": f"Bearer {'*' * 24}"}).text
    for line in (
        'memory_retrieval_latency_seconds_count{agent_id="engineer",memory_type="episodic"} 1.0',
        'memory_encoding_latency_seconds_count{agent_id="engineer"} 1.0',
        'memory_database_query_duration_seconds_count{query_type="insert"} 1.0',
        'memory_errors_total{code="-32602"} 1.0',
    ):
        assert line in text


def test_004_67_an_empty_query_has_an_empty_context_and_a_warning(world: World) -> None:
    keep(world)
    for query in ("", " ", "\n\t"):
        found = context(world, query)
        assert (found["context"], found["warning"]) == ("", "The query is empty")


def test_004_68_a_long_text_is_cut_with_a_warning(world: World) -> None:
    given = interaction(response="The clock was wrong. " * 6_000)
    stored = world.rpc("memory.store", interaction=given)
    assert "longer than 100,000 characters" in stored["warnings"][0]
    assert len(world.records(0)[0]["content"]) <= 2_000


def test_004_69_70_no_memory_has_empty_answers_and_a_repeat_is_counted(world: World) -> None:
    assert retrieved(world) == [] and context(world)["memory_count"] == 0
    assert world.rpc("memory.stats")["total_memories"] == 0
    first, second = keep(world), keep(world)  # 004-69
    assert first == second and len(world.records(0)) == 1
    assert world.records(0)[0]["seenCount"] == 2


def test_004_71_of_two_that_contradict_each_other_the_newer_is_told(world: World) -> None:
    world.add("We use SQLite for the index")
    later = NOW + timedelta(days=1)
    [newer] = world.add("We don't use SQLite for the index any more, but Postgres", timestamp=later)
    world.clock.pass_by(days=2)
    plan = world.memory.recall.plan("engineer", 29, "index database sqlite", profile="evolving")
    reasons = {it.observation.id: it.reason for it in plan.candidates if not it.included}
    assert [reason.verdict for reason in reasons.values()] == ["contradicted"]
    assert "any more, but Postgres" in plan.text and "We use SQLite" not in plan.text
    assert newer not in reasons


def test_004_73_a_hostile_query_fails_nothing(world: World) -> None:
    keep(world)
    for query in (
        "'; DROP TABLE memories; --",
        '"unclosed',
        "a:b:c",
        "(((",
        "*" * 50,
        "\x00\x1b[2J",
        "x" * 9_999,
    ):
        assert "memories" in world.rpc("memory.retrieve", query=query)
        assert world.memory.search(query).total in (0, 1)
        assert world.rpc("memory.stats")["total_memories"] == 1


def test_004_74_an_interaction_of_the_future_is_refused(world: World) -> None:
    given = interaction(timestamp="2026-03-01T12:10:00Z")
    assert world.rpc("memory.store", interaction=given) == INVALID
    future = {"agent": "a", "issueNumber": 1, "category": "decision", "content": "Chose SQLite"}
    line = json.dumps(future | {"timestamp": "2036-01-01T00:00:00Z"})
    assert world.cli("add", "--batch", "-", stdin=line).code == 0
    assert "dated in the future" in world.cli("doctor").out


def test_004_75_params_of_a_retrieval(world: World) -> None:
    for valid in ({"query": "x"}, {"query": "x" * 10_000}, {"query": "x", "k": 50}):
        assert world.rpc("memory.retrieve", **valid) == {"memories": []}
    counts: list[dict[str, Any]] = [{"query": "x", "k": k} for k in (51, 0, "five")]
    for wrong in (*counts, {"query": "x" * 10_001}, {"query": 7}, {}):
        assert world.rpc("memory.retrieve", **wrong) == INVALID


def test_004_76_latencies_have_a_median_and_a_95th(world: World) -> None:
    world.end_session("s-1")
    world.hook("user-prompt", "s-2", prompt="Which database does the shop use?")
    for work in ("capture", "injection"):
        found = world.cli("stats", "--json").json["work"][work]
        assert found["done"] == 1 and 0 < found["medianMs"] <= found["p95Ms"] < 10_000


def test_004_81_a_million_memories_were_measured() -> None:
    figures = json.loads((ROOT / "docs" / "benchmarks.json").read_text("utf-8"))["figures"]
    name = "search with counts, finished words"
    (p95,) = [it["p95"] for it in figures if (it["name"], it["size"]) == (name, 1_000_000)]
    assert 0.1 < p95 < 100


def test_004_83_a_line_of_the_log_is_json_with_agent_session_and_operation(world: World) -> None:
    world.end_session("s-7")
    captured, stored = world.log("captured")[0], world.log("stored")[0]
    assert (captured["agent"], captured["sessionId"]) == ("claude-code", "s-7")
    operation = world.cli("history", "--json").json[0]["id"]
    assert captured["operation"] == stored["operation"] == operation


def test_004_84_every_method_is_described_and_in_the_manual(world: World) -> None:
    described = {it["name"]: it for it in world.rpc("rpc.discover", None)["methods"]}
    manual = (ROOT / "docs" / "jsonrpc.md").read_text("utf-8")
    seven = ("store", "retrieve", "get_context", "update", "prune", "stats", "delete")
    assert {f"memory.{name}" for name in seven} <= described.keys()
    assert [name for name in described if f"| `{name}` |" not in manual] == []
    assert [it["name"] for it in described["memory.store"]["params"]] == ["interaction"]
