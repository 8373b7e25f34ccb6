"""The protocol: both its revisions, tools, resources, the prompt, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from memtui.hooks.call import HookInput
from memtui.hooks.run import run_hook
from memtui.serve.mcp.revisions import HANDSHAKE, STATELESS, UNSUPPORTED_VERSION
from memtui.serve.mcp.server import Server
from memtui.serve.mcp.tool_answers import ANSWER_BYTES
from memtui.serve.mcp.tools import TOOLS
from store import Memory
from store.errors import NotFound
from store.merge.versions import alternatives, version_text
from tests.memtui.serve.conftest import Ask
from tests.store.factories import observation

META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "Codex CLI", "version": "1"},
}


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [(it, it) for it in HANDSHAKE] + [("1999-01-01", HANDSHAKE[0]), (3, HANDSHAKE[0])],
)
def test_initialize_agrees_on_a_revision(ask: Ask, asked: object, agreed: str) -> None:
    result = ask("initialize", protocolVersion=asked)["result"]
    assert result["protocolVersion"] == agreed
    assert result["serverInfo"]["version"] == "1.2.3"
    assert "resultType" not in result


def test_a_revision_that_is_not_served_is_named(ask: Ask) -> None:
    meta = META | {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}
    error = ask("tools/list", _meta=meta)["error"]
    assert error["code"] == UNSUPPORTED_VERSION
    assert error["data"] == {"supported": [STATELESS], "requested": "2030-01-01"}
    lacking = {"io.modelcontextprotocol/protocolVersion": STATELESS}
    assert ask("tools/list", _meta=lacking)["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_search", {"query": "lock timeout"}),
        ("memory_search", {"query": "nothing-of-the-kind"}),
        ("memory_context", {"task": "the lock times out", "issue": 29}),
        ("memory_for_files", {"paths": ["store/locks.py", "src/unknown.py"]}),
        ("memory_context", {"task": "鎖がタイムアウトした"}),
        ("memory_get", {"ids": ["-long"]}),
        ("memory_get", {"ids": ["-long", "-first", "-second"]}),
        ("memory_add", {"content": "Stderr is invisible in hooks", "category": "lesson"}),
    ],
)
def test_each_answer_keeps_its_schema_and_its_size(
    call: Ask, memory: Memory, tool: str, arguments: dict[str, Any]
) -> None:
    memory.store([observation("鎖がタイムアウトした後で" * 160, id="lock-long", issue_number=29)])
    memory.store([observation(f"Lock {it} " * 120, id=f"lock-{it}") for it in ("first", "second")])
    result = call(tool, **arguments)
    schema = TOOLS[tool].listed["outputSchema"]
    jsonschema.validate(result["structuredContent"], schema)
    assert result["isError"] is False
    structure = json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":"))
    assert len(result["content"][0]["text"].encode()) <= ANSWER_BYTES
    assert len(structure.encode()) <= ANSWER_BYTES


def test_search_goes_on_where_the_page_ended(call: Ask, memory: Memory) -> None:
    memory.store(
        [
            observation(f"Retry number {n} of the nightly build " * 6, issue_number=40)
            for n in range(30)
        ]
    )
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        result = call("memory_search", query="nightly build", **cursor)
        assert len(json.dumps(result).encode()) < ANSWER_BYTES + 500
        page = result["structuredContent"]
        seen += [hit["id"] for hit in page["hits"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert len(seen) == len(set(seen)) == 30


def test_get_gives_full_text_and_names_the_rest(call: Ask, memory: Memory) -> None:
    ids = memory.store([observation("long " * 380 + str(n), issue_number=41) for n in range(3)])
    page = call("memory_get", ids=ids)["structuredContent"]
    assert [it["id"] for it in page["memories"]] + page["rest"] == ids
    whole = call("memory_get", ids=[*ids, "nowhere"], all=True)["structuredContent"]
    assert [it["id"] for it in whole["memories"]] == ids
    assert whole["missing"] == ["nowhere"]
    (known,) = memory.store([observation("鎖がタイムアウト。" * 200, issue_number=41)])
    (cut,) = call("memory_get", ids=[known])["structuredContent"]["memories"]
    (full,) = call("memory_get", ids=[known], all=True)["structuredContent"]["memories"]
    assert cut["cut"]
    assert full["content"].startswith(cut["content"][:-1])


def test_the_context_is_the_recall_and_is_recorded(call: Ask, memory: Memory) -> None:
    told = call("memory_context", task="lock timeout", budget=500)["structuredContent"]
    assert told["text"] == memory.recall.plan(None, None, "lock timeout", budget=500).text
    assert memory.activity().entries[0].kind == "recalled"


def test_a_memory_is_added_once_cleaned_and_undone(call: Ask, ask: Ask, memory: Memory) -> None:
    ask("initialize", clientInfo={"name": "Codex CLI", "version": "1"})
    text = "Deploy with ./deploy.sh, token ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    first = call("memory_add", content=text, category="procedure")["structuredContent"]
    again = call("memory_add", content=text, category="procedure")["structuredContent"]
    assert (first["new"], again["new"]) == (True, False)
    kept = memory.get(first["id"])
    assert kept.agent == "codex-cli"
    assert "ghp_" not in kept.content


def test_several_memories_are_added_by_one_call_and_undone_together(
    call: Ask, memory: Memory
) -> None:
    known = {"content": "The port is 8766.", "category": "key-fact"}
    gone = {"content": "The port is 1.", "category": "key-fact"}
    call("memory_add", **known)
    removed = call("memory_add", **gone)["structuredContent"]["id"]
    memory.apply(memory.plan.remove(removed))
    several = [
        {"content": "Deploy with make ship.", "category": "procedure", "tags": ["ops"]},
        known,
        {"content": "Retries stop after 3.", "category": "decision", "issue": 7},
        gone,
    ]
    told = call("memory_add", memories=several)["structuredContent"]["memories"]
    assert [it.get("new") for it in told] == [True, False, True, None]
    assert told[3] == {"refused": True}, "a person removed it"
    assert call("memory_add", memories=[gone])["isError"] is True
    first, _, last = (memory.get(it["id"]) for it in told[:3])
    assert (first.tags, last.issue_number) == (("ops",), 7)
    memory.undo()
    for undone in (first, last):
        with pytest.raises(NotFound):
            memory.get(undone.id)
    assert memory.search("8766").hits


def _change(call: Ask, tool: str, **arguments: object) -> tuple[bool, bool]:
    said = call(tool, **arguments)["structuredContent"]
    return said["done"], said["proposed"]


def test_an_agent_corrects_and_removes_what_it_added(call: Ask, memory: Memory) -> None:
    made = call("memory_add", content="Port is 1", category="key-fact")["structuredContent"]["id"]
    assert _change(call, "memory_update", id=made, content="Port is 2") == (True, False)
    assert _change(call, "memory_update", id=made, content="Port is 3") == (True, False)
    assert memory.get(made).content == "Port is 3"
    assert _change(call, "memory_remove", id=made) == (True, False)
    assert memory.search("port").total == 0
    assert [it.kind for it in memory.history.operations()][:3] == ["remove", "edit", "edit"]
    memory.undo()
    assert memory.get(made).content == "Port is 3"
    assert call("memory_add", content="Port is 2", category="key-fact")["isError"] is False


def test_what_others_made_an_agent_only_proposes_to_change(call: Ask, memory: Memory) -> None:
    (mine,) = memory.store([observation("A person's", agent="mcp")])
    made = call("memory_add", content="Port is 1", category="key-fact")["structuredContent"]["id"]
    memory.edit(made, {"content": "Port is 9"})
    (hit,) = memory.search("httpx").hits
    for identifier in (mine, made, hit.entry.id):
        before = memory.get(identifier).content
        assert _change(call, "memory_update", id=identifier, content="No: x") == (False, True)
        assert _change(call, "memory_remove", id=identifier) == (False, True)
        assert memory.get(identifier).content == before
    versions = alternatives(memory.get(mine).extra)
    assert list(map(version_text, versions)) == ["mcp proposes: removing it"]
    found = [it for it in memory.doctor.examine().findings if it.notice.kind == "proposed"]
    assert len(found) == 3


def test_a_person_decides_on_a_proposal(call: Ask, memory: Memory) -> None:
    (mine,) = memory.store([observation("A person's")])
    call("memory_update", id=mine, content="Better said")
    memory.apply(memory.plan.resolve(mine, 1))
    assert (memory.get(mine).content, memory.get(mine).extra) == ("Better said", {})
    call("memory_remove", id=mine)
    memory.apply(memory.plan.resolve(mine, 0))
    assert memory.get(mine).content == "Better said"


def test_outcomes_are_kept_with_the_memory(call: Ask, memory: Memory) -> None:
    (found,) = memory.search("httpx").hits
    call("memory_outcome", id=found.entry.id, helped=True)
    said = call("memory_outcome", id=found.entry.id, helped=False, note="moved to aiohttp")
    assert said["structuredContent"] == {"id": found.entry.id, "helped": 1, "failed": 1}
    kept = memory.get(found.entry.id).extra["outcomes"]
    assert kept["notes"] == ["mcp: moved to aiohttp"]
    memory.undo()
    assert "failed" not in memory.get(found.entry.id).extra["outcomes"]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("memory_search", {}, "`query` is missing"),
        ("memory_search", {"query": ""}, "at least 1"),
        ("memory_search", {"query": "a", "limit": 5000}, "equal to 100"),
        ("memory_search", {"query": "a", "cursor": "zz"}, "first page"),
        ("memory_search", {"query": "a", "nope": 1}, "known: query"),
        ("memory_get", {"ids": ["nowhere"]}, "memory_search"),
        ("memory_add", {"content": "x", "category": "gossip"}, "decision"),
        ("memory_add", {"content": "x"}, "category` is missing."),
        ("memory_add", {}, "Give either `content` with its `category`, or `memories`."),
        ("memory_add", {"memories": []}, "at least 1"),
        ("memory_add", {"memories": [{"content": "x"}]}, "category` is missing."),
        (
            "memory_add",
            {"content": "x", "memories": [{"content": "y", "category": "task"}]},
            "Give either",
        ),
        (
            "memory_add",
            {"content": "<private>all of it</private>", "category": "lesson"},
            "Nothing",
        ),
        ("memory_outcome", {"id": "nowhere", "helped": True}, "memory_search"),
        ("memory_update", {"id": "nowhere", "content": "x"}, "memory_search"),
        ("memory_remove", {"id": "nowhere"}, "memory_search"),
        ("memory_for_files", {"paths": []}, "at least 1"),
    ],
)
def test_mistakes_tell_the_model_what_to_do(
    call: Ask, tool: str, arguments: dict[str, Any], says: str
) -> None:
    result = call(tool, **arguments)
    assert result["isError"] is True
    assert says in result["content"][0]["text"]


def test_resources_and_the_prompt(ask: Ask, memory: Memory) -> None:
    (found,) = memory.search("httpx").hits
    read = ask("resources/read", uri=f"memtui://memory/{found.entry.id}")["result"]
    assert "httpx" in read["contents"][0]["text"]
    assert ask("resources/read", uri="memtui://memory/nowhere")["error"]["code"] == -32002
    prompt = ask("prompts/get", name="recall", arguments={"task": "lock"})["result"]
    assert "Lock timeout" in prompt["messages"][0]["content"]["text"]
    assert memory.activity().entries[0].kind == "recalled"
    assert ask("prompts/get", name="recall")["error"]["code"] == -32602
    names = [it["name"] for it in ask("prompts/list")["result"]["prompts"]]
    assert names == ["recall", "remember"]
    remember = ask("prompts/get", name="remember")["result"]["messages"][0]["content"]["text"]
    assert "`memory_add`: the list `memories`" in remember


def test_malformed_requests_are_answered_and_write_nothing(server: Server, memory: Memory) -> None:
    dice = random.Random(7)
    before = memory.stats()
    values: list[Any] = [None, True, -1, 1e308, "", "x" * 300, [], {}, {"a": [1]}, "\ud800", "é"]
    names = [*TOOLS, "nope", 3, None]
    methods = ["tools/call", "tools/list", "resources/read", "prompts/get", "initialize", "zz", 4]
    for _ in range(400):
        arguments = {dice.choice(["query", "ids", "id", "paths", "limit"]): dice.choice(values)}
        params = dice.choice(
            [{"name": dice.choice(names), "arguments": dice.choice([arguments, *values])}, *values]
        )
        message = {
            "jsonrpc": dice.choice(["2.0", "2.0", "2.0", 2]),
            "id": dice.choice([1, "a", None, {}]),
            "method": dice.choice(methods),
            "params": params,
        }
        data = json.dumps(message).encode()
        if dice.random() < 0.3:
            cut = dice.randrange(len(data))
            data = data[:cut] + bytes([dice.randrange(256)]) + data[cut + 1 :]
        answer = server.answer(data)
        assert b"Traceback" not in answer
        if answer:
            assert json.loads(answer)["jsonrpc"] == "2.0"
    assert memory.stats() == before


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "memory_search", "arguments": {"query": "lock"}}),
        ("tools/call", {"name": "memory_search", "arguments": {}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "memtui://instructions"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "recall", "arguments": {"task": "lock"}}),
    ],
)
def test_results_are_what_the_protocol_s_types_say(
    ask: Ask, method: str, params: dict[str, Any]
) -> None:
    methods = pytest.importorskip("mcp_types.methods", reason="the SDK is not installed")
    stateless = ask(method, **params, _meta=META)["result"]
    methods.validate_server_result(method, STATELESS, stateless)
    if method != "server/discover":
        methods.validate_server_result(method, HANDSHAKE[0], ask(method, **params)["result"])


def test_search_context_app_and_hook_agree_on_what_is_best(
    call: Ask, memory: Memory, tmp_path: Path
) -> None:
    for words, best in (
        (
            "manifest lock timeout",
            "Lock timeout on manifest.json after 5 retries in store/locks.py",
        ),
        ("httpx or requests in the client", "Use httpx, not requests, in api/client.py"),
    ):
        hit = call("memory_search", query=words)["structuredContent"]["hits"][0]
        assert memory.get(hit["id"]).content == best
        assert memory.search(words).hits[0].entry.id == hit["id"]
        assert best in call("memory_context", task=words)["structuredContent"]["text"]
        given = HookInput(session_id=words, folder=str(tmp_path / "project"), prompt=words)
        assert best in run_hook("user-prompt", given, "claude-code", {}, tmp_path)
