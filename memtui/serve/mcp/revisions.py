"""The protocol's revisions: which one a request speaks, and what 2026-07-28 adds to a result.

Revisions up to 2025-11-25 begin with `initialize` and agree on one for the connection. From
2026-07-28 on there is no beginning: each request carries its revision in `_meta`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.serve.jsonrpc import INVALID_PARAMS, RpcError

STATELESS = "2026-07-28"
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that `initialize` may agree on, the newest first."""
UNSUPPORTED_VERSION = -32022
"""The code for a revision that is not served (2026-07-28)."""
META_PREFIX = "io.modelcontextprotocol/"
"""What the keys of `_meta` begin with that the protocol defines."""
_TTL_MS = 3_600_000
"""How long a client may keep a list of tools: they change with the installed version alone."""
_LISTS = frozenset(
    ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list")
)


def is_stateless(params: Mapping[str, Any]) -> bool:
    """Return whether a request carries its own revision.

    Raises `RpcError` for one that is not served.
    """
    meta = params.get("_meta")
    if not isinstance(meta, dict) or f"{META_PREFIX}protocolVersion" not in meta:
        return False
    asked = meta[f"{META_PREFIX}protocolVersion"]
    if not isinstance(asked, str):
        raise RpcError(INVALID_PARAMS, f"`_meta.{META_PREFIX}protocolVersion` must be a string.")
    if asked != STATELESS:
        raise unsupported(asked, STATELESS)
    if not isinstance(meta.get(f"{META_PREFIX}clientCapabilities"), dict):
        raise RpcError(INVALID_PARAMS, f"`_meta.{META_PREFIX}clientCapabilities` is missing.")
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
    """Add what 2026-07-28 has in a result: its type, who served it, how long it may be kept."""
    added: dict[str, Any] = {
        "resultType": "complete",
        "_meta": {f"{META_PREFIX}serverInfo": server},
    }
    if method in _LISTS:
        added |= {"ttlMs": _TTL_MS, "cacheScope": "public"}
    elif method == "resources/read":
        added |= {"ttlMs": 0, "cacheScope": "private"}
    return {**result, **added}
