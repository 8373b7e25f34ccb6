"""What `memtui serve` offers as an OpenRPC document, made of the models that check requests."""

from __future__ import annotations

from memtui import __version__
from memtui.serve.arguments import schema_of
from memtui.serve.jsonrpc import Json
from memtui.serve.rpc.methods import METHODS, Method

DISCOVER = "rpc.discover"
"""The method by which OpenRPC has a server describe itself."""
_RESULT = {"name": "result", "schema": {"type": "object"}}


def openrpc() -> Json:
    """Return the methods, each with the JSON schema of its params."""
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "memtui",
            "version": __version__,
            "description": "Each request names its agent in `a2a_context.source_agent`, beside "
            "`params`, and sees only that agent's memories; who may be any agent can also list the "
            "agents, and compact and migrate a vault.",
        },
        "methods": [_described(name, method) for name, method in METHODS.items()],
    }


def _described(name: str, method: Method) -> Json:
    schema = schema_of(method.takes)
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    required = schema.get("required", [])
    params = [
        {"name": field, "required": field in required, "schema": {**of_field, **definitions}}
        for field, of_field in schema.get("properties", {}).items()
    ]
    # OpenRPC has required params first.
    params.sort(key=lambda param: not param["required"])
    return {"name": name, "paramStructure": "by-name", "params": params, "result": _RESULT}
