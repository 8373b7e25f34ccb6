"""Messages of JSON-RPC: what is a request, what is refused and with which code."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.serve import jsonrpc
from memtui.serve.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_MESSAGE,
    PARSE_ERROR,
    RpcError,
    read_lines,
    serve_lines,
)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b'{"a": NaN}', PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"3", INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "method": "a", "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": 3, "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "a", "id": true}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "a", "id": [1]}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "a", "id": 1e999}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "a", "id": 1, "params": [1]}', INVALID_PARAMS),
        (b"[" * 200_000, INVALID_REQUEST),
        (b'{"a":' * 100 + b"1" + b"}" * 100, INVALID_REQUEST),
        (('["∀", ' + "[" * 100_000).encode("utf-16"), INVALID_REQUEST),
        (b'{"id": ' + b"9" * 5_000 + b"}", PARSE_ERROR),
        (b" " * (MAX_MESSAGE + 1), INVALID_REQUEST),
    ],
)
def test_what_is_no_request_is_refused(message: bytes, code: int) -> None:
    with pytest.raises(RpcError) as refused:
        jsonrpc.parse(message)
    assert refused.value.code == code


@given(st.binary(max_size=300))
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    try:
        jsonrpc.parse(data)
    except RpcError as error:
        assert jsonrpc.encode(jsonrpc.failure(None, error)).endswith(b"\n")


def test_a_line_that_is_too_long_is_passed_over_and_the_next_one_read() -> None:
    source = BytesIO(b"x" * (3 * MAX_MESSAGE) + b"\n\n  \n{}\n")
    first, second = read_lines(source)
    assert len(first) == MAX_MESSAGE + 1
    assert second == b"{}\n"


def test_serving_ends_when_nobody_reads() -> None:
    class Gone(BytesIO):
        def write(self, _: object) -> int:
            raise BrokenPipeError

    asked = []
    serve_lines(lambda line: asked.append(line) or b"x", BytesIO(b"a\nb\n"), Gone())  # type: ignore[func-returns-value]
    assert asked == [b"a\n"]
