"""Requests of the protocol, answered over one memory; no transport.

`tools/list` and all that comes before a call is answered without opening memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from memtui.serve import jsonrpc
from memtui.serve.arguments import WrongArguments, checked
from memtui.serve.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Request, RpcError
from memtui.serve.mcp.tools import INSTRUCTIONS, TOOLS
from memtui.words.remember import ABOUT, TEXT
from store.errors import StoreError

if TYPE_CHECKING:
    from store import Memory


STATELESS = "2026-07-28"
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that `initialize` may agree on, the newest first."""
UNSUPPORTED_VERSION = -32022
"""The code for a revision that is not served (2026-07-28)."""
_PREFIX = "io.modelcontextprotocol/"
_TTL_MS = 3_600_000
"""How long a client may keep a list of tools: they change with the installed version alone."""
_LISTS = frozenset(
    ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list")
)


def is_stateless(params: Mapping[str, Any]) -> bool:
    """The request carries its own revision. Raises `RpcError` for one that is not served."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or f"{_PREFIX}protocolVersion" not in meta:
        return False
    asked = meta[f"{_PREFIX}protocolVersion"]
    if not isinstance(asked, str):
        raise RpcError(INVALID_PARAMS, f"`_meta.{_PREFIX}protocolVersion` must be a string.")
    if asked != STATELESS:
        raise unsupported(asked, STATELESS)
    if not isinstance(meta.get(f"{_PREFIX}clientCapabilities"), dict):
        raise RpcError(INVALID_PARAMS, f"`_meta.{_PREFIX}clientCapabilities` is missing.")
    return True


def unsupported(asked: str, *served: str) -> RpcError:
    return RpcError(
        UNSUPPORTED_VERSION,
        f"Protocol revision {asked[:40]} is not supported here.",
        {"supported": [*served], "requested": asked},
    )


def agreed_revision(asked: object) -> str:
    """Return the revision that `initialize` agrees on: the one asked for, else our newest."""
    return asked if isinstance(asked, str) and asked in HANDSHAKE else HANDSHAKE[0]


def complete(method: str, result: dict[str, Any], server: Mapping[str, str]) -> dict[str, Any]:
    """A result with what 2026-07-28 adds: its type, who served it, how long it may be kept."""
    added: dict[str, Any] = {"resultType": "complete", "_meta": {f"{_PREFIX}serverInfo": server}}
    if method in _LISTS:
        added |= {"ttlMs": _TTL_MS, "cacheScope": "public"}
    elif method == "resources/read":
        added |= {"ttlMs": 0, "cacheScope": "private"}
    return {**result, **added}


Json = dict[str, Any]

_NOT_FOUND = -32002
"""The code for a resource that is not there, up to 2025-11-25; later revisions have -32602."""
_GUIDE = "memtui://instructions"
_MEMORY = "memtui://memory/"
_PROMPT: Json = {
    "name": "recall",
    "title": "Recall for a task",
    "description": "What earlier sessions learned that matters for a task.",
    "arguments": [{"name": "task", "description": "The task.", "required": True}],
}
_REMEMBER: Json = {"name": "remember", "title": "Remember this session", "description": ABOUT}
NOBODY = "mcp"
"""The agent of a client that says no name."""
_CLIENT = re.compile(r"[^a-z0-9]+")


class Server:
    """Answers messages. `open_memory` is called at the first tool that needs it."""

    def __init__(self, open_memory: Callable[[], Memory], version: str) -> None:
        self._open_memory = open_memory
        self._memory: Memory | None = None
        self._info = {"name": "memtui", "title": "memtui memory", "version": version}
        self._client = ""
        self._methods: Mapping[str, Callable[[Mapping[str, Any]], Json]] = {
            "server/discover": lambda params: {"supportedVersions": [STATELESS], **self._offers()},
            "ping": lambda params: {},
            "tools/list": lambda params: {"tools": [tool.listed for tool in TOOLS.values()]},
            "resources/list": self._resources,
            "resources/templates/list": self._templates,
            "resources/read": self._read,
            "prompts/list": lambda params: {"prompts": [_PROMPT, _REMEMBER]},
            "prompts/get": self._prompt,
        }

    def answer(self, data: bytes, client: str = "") -> bytes:
        """Return the answer to one message as a line; empty where none is wanted.

        `client` is who asks, where several share the server; else who began the connection.
        """
        try:
            request = jsonrpc.parse(data)
        except RpcError as error:
            return jsonrpc.encode(jsonrpc.failure(error.id, error))
        if request is None or not request.wants_answer:
            return b""
        return jsonrpc.encode(self.reply(request, client))

    def reply(self, request: Request, client: str = "") -> Json:
        try:
            return jsonrpc.result(request.id, self._result(request, client))
        except RpcError as error:
            return jsonrpc.failure(request.id, error)
        except StoreError as error:
            return jsonrpc.failure(request.id, RpcError(jsonrpc.INTERNAL_ERROR, error.told))
        except Exception as error:  # noqa: BLE001 - the client gets an answer to all it asks
            told = RpcError(jsonrpc.INTERNAL_ERROR, f"memtui failed: {type(error).__name__}.")
            return jsonrpc.failure(request.id, told)

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()

    def _result(self, request: Request, client: str) -> Json:
        method, params = request.method, request.params
        stateless = is_stateless(params)
        if stateless and method in ("initialize", "ping"):
            raise RpcError(METHOD_NOT_FOUND, f"{STATELESS} has no {method}.")
        if not stateless and method == "server/discover":
            raise RpcError(INVALID_PARAMS, "server/discover names its revision in `_meta`.")
        carry_out: Callable[[Mapping[str, Any]], Json] | None
        if method == "tools/call":
            carry_out = partial(self._call, client=client)
        elif method == "initialize":
            carry_out = partial(self._initialize, is_shared=bool(client))
        else:
            carry_out = self._methods.get(method)
        if carry_out is None:
            raise RpcError(METHOD_NOT_FOUND, f"Unknown method {method[:80]!r}.")
        result = carry_out(params)
        return complete(method, result, self._info) if stateless else result

    def _asking(self, params: Mapping[str, Any], client: str) -> str:
        """Who asks, which is the agent of what is added: by its token or session, where several
        share the server; named in the request itself; or where the connection began.
        """
        meta = params.get("_meta")
        own = meta.get("io.modelcontextprotocol/clientInfo") if isinstance(meta, dict) else None
        named = _name_of(own)
        if client:
            return named or client if client == NOBODY else client
        return named or self._client or NOBODY

    def _initialize(self, params: Mapping[str, Any], *, is_shared: bool) -> Json:
        if not is_shared:
            self._client = _name_of(params.get("clientInfo"))
        agreed = agreed_revision(params.get("protocolVersion"))
        return {"protocolVersion": agreed, "serverInfo": self._info, **self._offers()}

    def _offers(self) -> Json:
        return {
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "instructions": INSTRUCTIONS,
        }

    def _call(self, params: Mapping[str, Any], *, client: str) -> Json:
        from memtui.serve.mcp.calls import CALLS, ToolError, in_words

        name = params.get("name")
        if not isinstance(name, str) or name not in TOOLS:
            raise RpcError(INVALID_PARAMS, f"Unknown tool. Tools: {', '.join(TOOLS)}.")
        try:
            arguments = checked(TOOLS[name].takes, params.get("arguments", {}))
            found = CALLS[name](self._opened(), arguments, self._asking(params, client))
        except (WrongArguments, ToolError) as error:
            return _refused(str(error))
        except StoreError as error:
            return _refused(error.told)
        return {"content": [_text(in_words(found))], "structuredContent": found, "isError": False}

    def _resources(self, params: Mapping[str, Any]) -> Json:
        guide = {
            "uri": _GUIDE,
            "name": "instructions",
            "title": "How to use this memory",
            "mimeType": "text/plain",
        }
        return {"resources": [guide]}

    def _templates(self, params: Mapping[str, Any]) -> Json:
        memory = {
            "uriTemplate": f"{_MEMORY}{{id}}",
            "name": "memory",
            "title": "One memory in full",
            "mimeType": "text/plain",
        }
        return {"resourceTemplates": [memory]}

    def _read(self, params: Mapping[str, Any]) -> Json:
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "`uri` is missing.")
        text = INSTRUCTIONS if uri == _GUIDE else self._text_of(uri, params)
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}

    def _text_of(self, uri: str, params: Mapping[str, Any]) -> str:
        from urllib.parse import unquote

        from store.errors import AmbiguousId, NotFound
        from store.text.display import visible
        from store.text.turns import defused

        try:
            if not uri.startswith(_MEMORY):
                raise NotFound("Unknown resource.", "")
            found = self._opened().get_redacted(unquote(uri.removeprefix(_MEMORY)))
            return defused(visible(found.content))
        except (NotFound, AmbiguousId) as error:
            code = INVALID_PARAMS if is_stateless(params) else _NOT_FOUND
            told = f"{error.message} Resources are {_GUIDE} and {_MEMORY}ID."
            raise RpcError(code, told, {"uri": uri}) from error

    def _prompt(self, params: Mapping[str, Any]) -> Json:
        if params.get("name") == _REMEMBER["name"]:
            message = {"role": "user", "content": _text(TEXT)}
            return {"description": ABOUT, "messages": [message]}
        given = params.get("arguments")
        task = given.get("task") if isinstance(given, dict) else None
        if params.get("name") != _PROMPT["name"] or not isinstance(task, str) or not task.strip():
            raise RpcError(
                INVALID_PARAMS,
                "Unknown prompt. Prompts: `recall`, with the argument `task`, and `remember`.",
            )
        memory = self._opened()
        text = (
            memory.recall.inject(memory.recall.plan(None, None, task))
            or "Nothing is remembered for this."
        )
        message = {"role": "user", "content": _text(text)}
        return {"description": _PROMPT["description"], "messages": [message]}

    def _opened(self) -> Memory:
        if self._memory is None:
            self._memory = self._open_memory()
        return self._memory


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _name_of(client: object) -> str:
    """Return a client's name as that of an agent; empty for none."""
    return client_name(client.get("name")) if isinstance(client, dict) else ""


def client_name(name: object) -> str:
    return _CLIENT.sub("-", name.lower()).strip("-")[:40] if isinstance(name, str) else ""


def _refused(sentence: str) -> Json:
    return {"content": [_text(sentence)], "isError": True}
