"""HTTP: who may ask, how much, and what is measured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from anyio import create_task_group, fail_after, sleep_forever, wait_all_tasks_blocked
from starlette.testclient import TestClient

from memtui.serve.http import app as app_module
from memtui.serve.http.app import application
from memtui.serve.http.endpoint import Reply
from memtui.serve.http.metrics import Metrics
from memtui.serve.http.rate_limit import RateLimit
from memtui.serve.http.run import Address, address_of
from memtui.serve.http.tokens import agent_of, read_tokens, tokens_of
from memtui.serve.jsonrpc import MAX_MESSAGE
from memtui.serve.rpc.http import RpcEndpoint
from memtui.serve.rpc.server import Server
from store import open_memory
from store.errors import InvalidSetting, Unreadable
from tests.memtui.serve.conftest import served

ONE, ANY = "a" * 24, "b" * 24
TOKENS = {ONE: "a1", ANY: "*"}
PATH = RpcEndpoint.path


class Empty:
    """An endpoint that answers everything alike."""

    path = PATH

    def refusal(self, headers: Mapping[str, str]) -> bytes:
        return b""

    def answer(self, message: bytes, agent: str, headers: Mapping[str, str]) -> Reply:
        return Reply(b"{}")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server over an empty memory; its clock stands still."""
    server = Server(lambda: open_memory(tmp_path / "memory", cache=tmp_path / "cache"))
    metrics = Metrics()
    endpoint = RpcEndpoint(server, metrics, lambda: 0.0)
    app = application(endpoint, TOKENS, metrics, clock=lambda: 0.0)
    with TestClient(app, base_url="http://127.0.0.1:1") as opened:
        yield opened
    server.close()


def _message(agent: str = "a1", **more: object) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "memory.stats", "params": {}}
    return {**message, "a2a_context": {"source_agent": agent}, **more}


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("method", "params", "layers"),
    [
        ("memory.retrieve", {"query": "x"}, "episodic semantic"),
        ("memory.retrieve", {"query": "x", "memory_types": ["working"]}, "working"),
        ("memory.get_context", {"query": "x"}, "episodic procedural semantic working"),
        ("memory.get_context", {"query": "x", "memory_types": ["working"]}, ""),
        ("memory.stats", {}, ""),
    ],
)
def test_retrievals_are_measured_by_the_layers_they_looked_at(
    client: TestClient, method: str, params: dict[str, Any], layers: str
) -> None:
    client.post(PATH, json=_message(method=method, params=params), headers=_bearer(ONE))
    text = client.get("/metrics", headers=_bearer(ANY)).text
    found = re.findall(r'latency_seconds_count\{agent_id="a1",memory_type="(.*)"\} 1.0', text)
    assert " ".join(sorted(found)) == layers


@pytest.mark.parametrize("header", ["", "Bearer", f"Bearer {ONE}x", f"Basic {ONE}", "Bearer \xe9"])
def test_without_a_token_nothing_is_told(client: TestClient, header: str) -> None:
    headers = [(b"authorization", header.encode("latin-1"))] if header else []
    for told in (client.post(PATH, json=_message(), headers=headers), client.get("/metrics")):
        assert told.status_code == 401
    assert client.get("/healthz").text == "ok\n"


def test_a_page_of_a_browser_does_not_get_in(client: TestClient) -> None:
    headers = _bearer(ONE)
    evil = client.post(PATH, json=_message(), headers={**headers, "Host": "evil.example:1"})
    assert evil.status_code == 421
    page = client.post(PATH, json=_message(), headers={**headers, "Origin": "https://evil.example"})
    assert page.status_code == 403
    assert "access-control-allow-origin" not in page.headers
    for broken in ("[", "[::1", "a]b"):  # no URL at all
        assert client.get("/healthz", headers={"Host": broken}).status_code == 421
        page = client.post(PATH, json=_message(), headers={**headers, "Origin": f"http://{broken}"})
        assert page.status_code == 403
    assert client.options(PATH, headers=headers).status_code == 405
    here = client.post(PATH, json=_message(), headers={**headers, "Origin": "http://localhost:3"})
    assert here.status_code == 200


def test_a_message_is_bounded_and_a_notification_has_no_answer(client: TestClient) -> None:
    told = client.post(PATH, content=b"x" * (MAX_MESSAGE + 1), headers=_bearer(ONE))
    assert told.status_code == 413
    message = _message()
    del message["id"]
    told = client.post(PATH, json=message, headers=_bearer(ONE))
    assert (told.status_code, told.content) == (202, b"")
    told = client.post(PATH, content=b"{", headers=_bearer(ONE))
    assert told.json()["error"]["code"] == -32700
    assert client.get(PATH, headers=_bearer(ONE)).status_code == 405


async def test_a_message_that_does_not_come_whole_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app_module, "ARRIVES_WITHIN", 0.01)
    app = application(Empty(), TOKENS, Metrics())
    parts = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    said: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        if (part := next(parts, None)) is not None:
            return part
        await sleep_forever()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        said.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {ONE}".encode())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": PATH,
        "headers": headers,
        "query_string": b"",
    }
    with fail_after(5):
        await app(scope, receive, send)
    assert said[0]["status"] == 408
    assert (b"connection", b"close") in said[0]["headers"]
    assert said[1]["body"] == b"The message did not come whole within 0.01 seconds.\n"


def test_whoever_asks_too_much_waits() -> None:
    now = 0.0
    limit = RateLimit(lambda: now, rate=2, burst=3)
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]
    assert limit.allows("b")
    now = 0.5
    assert [limit.allows("a"), limit.allows("a")] == [True, False]
    now = 100.0
    assert sum(limit.allows("a") for _ in range(9)) == 3


def test_tokens_are_read_from_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# mine\na1 {ONE}\n\n*\t{ANY}\n")
    path.chmod(0o600)
    assert read_tokens(path) == TOKENS
    assert agent_of(f"bearer {ANY}", TOKENS) == "*"
    path.chmod(0o640)
    with pytest.raises(Unreadable, match="can be read by others"):
        read_tokens(path)
    linked = tmp_path / "linked"
    linked.symlink_to(path)
    with pytest.raises(Unreadable, match="not a regular file"):
        read_tokens(linked)
    with pytest.raises(Unreadable, match="can't be read"):
        read_tokens(tmp_path / "none")
    with pytest.raises(InvalidSetting, match="needs tokens"):
        tokens_of(None)


def test_it_listens_here_alone() -> None:
    assert address_of("127.0.0.1:80") == Address("127.0.0.1", 80)
    assert address_of("[::1]:0") == Address("::1", 0)
    assert address_of("8765") == Address("127.0.0.1", 8765)
    for text in ("0.0.0.0:80", "example.com:80", "127.0.0.1", "127.0.0.1:99999", ":::", ""):
        with pytest.raises(InvalidSetting):
            address_of(text)


def test_a_server_starts_answers_and_ends(tmp_path: Path) -> None:
    with served(tmp_path / "project", ONE) as (server, url):
        asked = Request(url, json.dumps(_message()).encode(), _bearer(ONE))
        with urlopen(asked, timeout=30) as answer:
            assert json.load(answer)["result"]["total_memories"] == 0
        server.terminate()
        assert server.wait(10) == 0  # what was told is written down before it ends


def test_each_client_of_mcp_over_http_is_the_agent_of_what_it_adds(tmp_path: Path) -> None:
    from memtui.serve.mcp.http import McpEndpoint
    from memtui.serve.mcp.server import Server as McpServer

    memory = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    server = McpServer(lambda: memory, "1")
    app = application(McpEndpoint(server), TOKENS, Metrics(), clock=lambda: 0.0)

    def ask(method: str, token: str, session: str = "", **params: Any) -> Any:  # noqa: ANN401
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = _bearer(token) | ({"Mcp-Session-Id": session} if session else {})
        return caller.post(McpEndpoint.path, json=message, headers=headers)

    def add(token: str, session: str, content: str) -> str:
        arguments = {"content": content, "category": "decision"}
        said = ask("tools/call", token, session, name="memory_add", arguments=arguments)
        found = memory.get(said.json()["result"]["structuredContent"]["id"])
        return found.agent

    with TestClient(app, base_url="http://127.0.0.1:1") as caller:
        sessions = [
            ask("initialize", token, clientInfo={"name": name}).headers["mcp-session-id"]
            for token, name in ((ANY, "Claude Code"), (ANY, "Codex"), (ONE, "Zed"))
        ]
        assert add(ANY, sessions[0], "One file an issue") == "claude-code"
        assert add(ANY, sessions[1], "Two files an issue") == "codex"
        assert add(ONE, sessions[2], "Three files an issue") == "a1"
        assert add(ANY, "", "Four files an issue") == "mcp"
    memory.close()


async def test_one_token_takes_no_more_than_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "SHARE", 2)
    app = application(Empty(), TOKENS, Metrics())
    said: list[int] = []

    async def ask(token: str, *parts: dict[str, Any]) -> None:
        left = list(parts)

        async def receive() -> MutableMapping[str, Any]:
            if left:
                return left.pop(0)
            await sleep_forever()
            raise AssertionError

        async def send(message: MutableMapping[str, Any]) -> None:
            if "status" in message:
                said.append(message["status"])

        headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())]
        scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers}
        await app({**scope, "query_string": b""}, receive, send)

    unfinished = {"type": "http.request", "body": b"{", "more_body": True}
    whole = {"type": "http.request", "body": b"{}", "more_body": False}
    with fail_after(5):
        async with create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(ask, ONE, unfinished)
            await wait_all_tasks_blocked()
            await ask(ONE, whole)
            await ask(ANY, whole)
            assert said == [429, 200]
            tasks.cancel_scope.cancel()
