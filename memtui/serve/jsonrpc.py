"""JSON-RPC 2.0: one message a line, taken apart and answered; nothing of memory."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, BinaryIO, NamedTuple

from store.platform.bounds import is_nested_beyond, is_text_nested_beyond, json_trouble

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_FOUND = -32001
"""The code for a memory that the agent has not (the evolving memory's blueprint)."""

MAX_MESSAGE = 1_000_000
"""Bytes of a message that is read at most: fifty memories at their limit are a tenth of it."""

Id = str | int | float | None
Json = dict[str, Any]
_TOO_LONG = b" " * (MAX_MESSAGE + 1)
"""In place of a line that was skipped; parsing it fails as too long."""


class RpcError(Exception):
    """A request that can't be answered: its code, a sentence, and data for the program.

    `id` is the request's, where one could be read of a message that is none.
    """

    def __init__(self, code: int, message: str, data: object = None, id: Id = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.id = id


class Request(NamedTuple):
    """A request, or a notification where `wants_answer` is false.

    `envelope` is the whole message, with the fields next to `params`.
    """

    method: str
    params: Mapping[str, Any]
    id: Id
    wants_answer: bool
    envelope: Mapping[str, Any]


def parse(data: bytes) -> Request | None:
    """Return the request of a message; None for an answer to something we never asked.

    Raises `RpcError`.
    """
    if len(data) > MAX_MESSAGE:
        raise RpcError(INVALID_REQUEST, f"The message is longer than {MAX_MESSAGE:,} bytes.")
    try:
        message = json.loads(data, parse_constant=_refuse)
    except RecursionError as error:
        raise RpcError(INVALID_REQUEST, "The message nests too deep.") from error
    except ValueError as error:
        if is_text_nested_beyond(data):
            raise RpcError(INVALID_REQUEST, "The message nests too deep.") from error
        trouble = f"The message is not valid JSON: {json_trouble(error)}."
        raise RpcError(PARSE_ERROR, trouble) from error
    if is_nested_beyond(message):
        raise RpcError(INVALID_REQUEST, "The message nests too deep.")
    if not isinstance(message, dict):
        raise RpcError(INVALID_REQUEST, "A message must be a JSON object.")
    number = message.get("id")
    is_none = isinstance(number, float) and not isfinite(number)  # 1e999 is no number of JSON's
    if isinstance(number, bool) or is_none or not isinstance(number, str | int | float | None):
        raise RpcError(INVALID_REQUEST, "The id must be a string or a number.")
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0".', id=number)
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method = message.get("method")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "The message has no method.", id=number)
    params = message.get("params", {})
    if not isinstance(params, dict):
        if "id" not in message:
            return None
        raise RpcError(INVALID_PARAMS, "The params must be a JSON object.", id=number)
    return Request(method, params, number, "id" in message, message)


def result(number: Id, value: Mapping[str, Any]) -> Json:
    return {"jsonrpc": "2.0", "id": number, "result": value}


def failure(number: Id, error: RpcError) -> Json:
    fields: Json = {"code": error.code, "message": error.message}
    if error.data is not None:
        fields["data"] = error.data
    return {"jsonrpc": "2.0", "id": number, "error": fields}


def encode(message: Mapping[str, Any]) -> bytes:
    """A message as one line; lone surrogates are escaped, so that the line is always UTF-8."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield each line that is not blank; of one that is too long only that it was there."""
    while line := stream.readline(MAX_MESSAGE + 1):
        if len(line) > MAX_MESSAGE and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_MESSAGE)) and not rest.endswith(b"\n"):
                pass
            yield _TOO_LONG
        elif line.strip():
            yield line


def serve_lines(answer: Callable[[bytes], bytes], source: BinaryIO, target: BinaryIO) -> None:
    """Answer each line until the input ends or nobody reads the answers; `b""` is no answer."""
    try:
        for line in read_lines(source):
            if reply := answer(line):
                target.write(reply)
                target.flush()
    except BrokenPipeError:
        return


def serve_streams(answer: Callable[[bytes], bytes]) -> None:
    """Answer what comes by standard input. Standard output belongs to the answers: what anything
    else prints goes to standard error.
    """
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve_lines(answer, sys.stdin.buffer, target)
