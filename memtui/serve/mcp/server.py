"""Requests of the protocol, answered over one memory.

`tools/list` and all that comes before a call is answered without opening memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from memtui import __version__
from memtui.serve.arguments import WrongArguments, checked
from memtui.serve.jsonrpc import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Json,
    Request,
    RpcError,
    serve_streams,
)
from memtui.serve.mcp.revisions import (
    META_PREFIX,
    STATELESS,
    agreed_revision,
    complete,
    is_stateless,
)
from memtui.serve.mcp.tools import INSTRUCTIONS, TOOLS
from memtui.serve.server import MemoryServer, check_place, open_served
from memtui.words.remember import ABOUT, TEXT
from store.errors import AmbiguousId, NotFound, StoreError

if TYPE_CHECKING:
    from store import Memory
    from store.backends import Location

NOBODY = "mcp"
"""The agent of a client without a name."""
_CLIENT = re.compile(r"[^a-z0-9]+")
_NOT_FOUND = -32002
"""The code for a resource that is not there, up to 2025-11-25; later revisions have -32602."""
_GUIDE = "memtui://instructions"
_MEMORY = "memtui://memory/"
_RECALL: Json = {
    "name": "recall",
    "title": "Recall for a task",
    "description": "What earlier sessions learned that matters for a task.",
    "arguments": [{"name": "task", "description": "The task.", "required": True}],
}
_REMEMBER: Json = {"name": "remember", "title": "Remember this session", "description": ABOUT}
_GUIDE_RESOURCE: Json = {
    "uri": _GUIDE,
    "name": "instructions",
    "title": "How to use this memory",
    "mimeType": "text/plain",
}
_MEMORY_TEMPLATE: Json = {
    "uriTemplate": f"{_MEMORY}{{id}}",
    "name": "memory",
    "title": "One memory in full",
    "mimeType": "text/plain",
}
_OFFERS: Json = {
    "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
    "instructions": INSTRUCTIONS,
}
_CONSTANT_RESULTS: Mapping[str, Json] = {
    "server/discover": {"supportedVersions": [STATELESS], **_OFFERS},
    "ping": {},
    "tools/list": {"tools": [tool.listed for tool in TOOLS.values()]},
    "resources/list": {"resources": [_GUIDE_RESOURCE]},
    "resources/templates/list": {"resourceTemplates": [_MEMORY_TEMPLATE]},
    "prompts/list": {"prompts": [_RECALL, _REMEMBER]},
}
"""The results that are always the same, by their methods."""


class Server(MemoryServer):
    """Answers the requests of one client, or of several, each named by its transport."""

    def __init__(self, open_memory: Callable[[], Memory], version: str) -> None:
        super().__init__(open_memory)
        self._info = {"name": "memtui", "title": "memtui memory", "version": version}
        self._client = ""
        self._methods: Mapping[str, Callable[[Mapping[str, Any], str], Json]] = {
            "initialize": self._initialize,
            "tools/call": self._call,
            "resources/read": self._read,
            "prompts/get": self._prompt,
        }

    def result(self, request: Request, caller: str) -> Json:
        """Carry out a method. `caller` is who asks, where several share the server; else it is who
        began the connection.
        """
        method, params = request.method, request.params
        stateless = is_stateless(params)
        if stateless and method in ("initialize", "ping"):
            raise RpcError(METHOD_NOT_FOUND, f"{STATELESS} has no {method}.")
        if not stateless and method == "server/discover":
            raise RpcError(INVALID_PARAMS, "server/discover names its revision in `_meta`.")
        if method in _CONSTANT_RESULTS:
            found = _CONSTANT_RESULTS[method]
        elif method in self._methods:
            found = self._methods[method](params, caller)
        else:
            raise RpcError(METHOD_NOT_FOUND, f"Unknown method {method[:80]!r}.")
        return complete(method, found, self._info) if stateless else found

    def _asking(self, params: Mapping[str, Any], client: str) -> str:
        """Who asks, which is the agent of what is added: by its token or session, where several
        share the server; named in the request itself; or where the connection began.
        """
        meta = params.get("_meta")
        own = meta.get(f"{META_PREFIX}clientInfo") if isinstance(meta, dict) else None
        named = _name_of(own)
        if client:
            return named or client if client == NOBODY else client
        return named or self._client or NOBODY

    def _initialize(self, params: Mapping[str, Any], caller: str) -> Json:
        if not caller:
            self._client = _name_of(params.get("clientInfo"))
        agreed = agreed_revision(params.get("protocolVersion"))
        return {"protocolVersion": agreed, "serverInfo": self._info, **_OFFERS}

    def _call(self, params: Mapping[str, Any], caller: str) -> Json:
        # It loads the search, in 0.2 s, which a client that only lists tools need not wait for.
        from memtui.serve.mcp.calls import CALLS, ToolError, in_words

        name = params.get("name")
        if not isinstance(name, str) or name not in TOOLS:
            raise RpcError(INVALID_PARAMS, f"Unknown tool. Tools: {', '.join(TOOLS)}.")
        try:
            arguments = checked(TOOLS[name].takes, params.get("arguments", {}))
            memory = self.memory_at(getattr(arguments, "level", ""))
            found = CALLS[name](memory, arguments, self._asking(params, caller))
        except (WrongArguments, ToolError) as error:
            return _refused(str(error))
        except StoreError as error:
            return _refused(error.full_message)
        return {"content": [_text(in_words(found))], "structuredContent": found, "isError": False}

    def _read(self, params: Mapping[str, Any], caller: str) -> Json:
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "`uri` is missing.")
        text = INSTRUCTIONS if uri == _GUIDE else self._text_of(uri, params)
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}

    def _text_of(self, uri: str, params: Mapping[str, Any]) -> str:
        # They load in 7 ms, which a client that only lists tools need not wait for.
        from store.text.display import visible
        from store.text.turns import defused

        try:
            if not uri.startswith(_MEMORY):
                raise NotFound("Unknown resource.", "")
            messages = self.memory.settings.review == "after"
            found = self.memory.get_redacted(unquote(uri.removeprefix(_MEMORY)), messages=messages)
            return defused(visible(found.content))
        except (NotFound, AmbiguousId) as error:
            code = INVALID_PARAMS if is_stateless(params) else _NOT_FOUND
            message = f"{error.message} Resources are {_GUIDE} and {_MEMORY}ID."
            raise RpcError(code, message, {"uri": uri}) from error

    def _prompt(self, params: Mapping[str, Any], caller: str) -> Json:
        if params.get("name") == _REMEMBER["name"]:
            message = {"role": "user", "content": _text(TEXT)}
            return {"description": ABOUT, "messages": [message]}
        given = params.get("arguments")
        task = given.get("task") if isinstance(given, dict) else None
        if params.get("name") != _RECALL["name"] or not isinstance(task, str) or not task.strip():
            raise RpcError(
                INVALID_PARAMS,
                "Unknown prompt. Prompts: `recall`, with the argument `task`, and `remember`.",
            )
        recall = self.memory.recall
        text = recall.inject(recall.plan(None, None, task)) or "Nothing is remembered for this."
        message = {"role": "user", "content": _text(text)}
        return {"description": _RECALL["description"], "messages": [message]}


def client_name(name: object) -> str:
    return _CLIENT.sub("-", name.lower()).strip("-")[:40] if isinstance(name, str) else ""


def serve(folder: Location | None = None) -> None:
    """Answer by standard input and output until the client closes our input. Raises `NoMemory`
    where there is no such folder.
    """
    check_place(folder)
    server = Server(lambda: open_served(folder), __version__)
    try:
        serve_streams(server.answer)
    finally:
        server.close()


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _name_of(client: object) -> str:
    """Return a client's name as that of an agent; empty for none."""
    return client_name(client.get("name")) if isinstance(client, dict) else ""


def _refused(sentence: str) -> Json:
    return {"content": [_text(sentence)], "isError": True}
