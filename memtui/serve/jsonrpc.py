"""JSON-RPC 2.0: one message a line, taken apart and answered. Pure; no transport, no memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from store.platform.bounds import json_trouble

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MAX_MESSAGE = 1_000_000
"""Bytes of a message that is read at most: fifty memories at their limit are a tenth of it."""
_MAX_DEPTH = 64
"""How deep a message may nest; what our own methods take nests four deep."""
_TOO_DEEP = f"The message nests deeper than {_MAX_DEPTH} levels."

Id = str | int | float | None
Json = dict[str, Any]


class RpcError(Exception):
    """A request that can't be answered: its code, a sentence, and data for the program."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Request(NamedTuple):
    """A request, or a notification where `wants_answer` is false.

    `envelope` is the whole message, with what stands beside `params`.
    """

    method: str
    params: Mapping[str, Any]
    id: Id
    wants_answer: bool
    envelope: Mapping[str, Any]


def parse(data: bytes) -> Request | None:
    """The request of a message; None for an answer to something we never asked.

    Raises `RpcError`, its data the id where one could be read: `{"id": …}`.
    """
    if len(data) > MAX_MESSAGE:
        raise RpcError(INVALID_REQUEST, f"The message is longer than {MAX_MESSAGE:,} bytes.")
    if _is_too_deep(data):
        raise RpcError(INVALID_REQUEST, _TOO_DEEP)
    try:
        message = json.loads(data, parse_constant=_refuse)
    except RecursionError as error:  # in UTF-16 a bracket may seem to stand in a text
        raise RpcError(INVALID_REQUEST, _TOO_DEEP) from error
    except ValueError as error:
        said = f"The message is not valid JSON: {json_trouble(error)}."
        raise RpcError(PARSE_ERROR, said) from error
    return request_of(message)


def request_of(message: object) -> Request | None:
    """The request of a message that is parsed already. Raises as `parse`."""
    if not isinstance(message, dict):
        raise RpcError(INVALID_REQUEST, "A message must be a JSON object.")
    number = message.get("id")
    is_none = isinstance(number, float) and not isfinite(number)  # 1e999 is no number of JSON's
    if isinstance(number, bool) or is_none or not isinstance(number, str | int | float | None):
        raise RpcError(INVALID_REQUEST, "The id must be a string or a number.")
    known = {"id": number}
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0".', known)
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method = message.get("method")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "The message has no method.", known)
    params = message.get("params", {})
    if not isinstance(params, dict):
        if "id" not in message:
            return None
        raise RpcError(INVALID_PARAMS, "The params must be a JSON object.", known)
    return Request(method, params, number, "id" in message, message)


def result(number: Id, value: Mapping[str, Any]) -> Json:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": number, "result": value}


def failure(number: Id, error: RpcError) -> Json:
    """The answer to a request that failed."""
    told: Json = {"code": error.code, "message": error.message}
    if error.data is not None:
        told["data"] = error.data
    return {"jsonrpc": "2.0", "id": number, "error": told}


def encode(message: Mapping[str, Any]) -> bytes:
    """A message as one line; lone surrogates are escaped, so that the line is always UTF-8."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _is_too_deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= _MAX_DEPTH:
        return False
    depth, within, escaped = 0, False, False
    for byte in data:
        if within:
            within = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
        elif byte == 0x22:
            within = True
        elif byte in b"[{":
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif byte in b"]}":
            depth -= 1
    return False
