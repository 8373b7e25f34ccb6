"""Files of other programs are read up to a bound, which itself is within it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from store.platform.bounds import (
    MAX_DEPTH,
    is_text_nested_beyond,
    load_json,
    load_toml,
    open_regular,
    read_regular,
)
from tests.open_files import open_below


def _nested(depth: int, kind: str) -> str:
    """A text of JSON that nests so deep, in lists, in objects or in both by turns."""
    text = "1"
    for at in range(depth):
        is_list = kind == "lists" or (kind == "both" and at % 2)
        text = f"[0, {text}]" if is_list else f'{{"a": 0, "b": {text}}}'
    return text


@pytest.mark.parametrize("kind", ["lists", "objects", "both"])
def test_a_text_may_nest_so_deep_and_no_deeper(kind: str) -> None:
    assert load_json(_nested(MAX_DEPTH, kind)) == json.loads(_nested(MAX_DEPTH, kind))
    for depth in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(ValueError, match="it nests more than 64 levels deep"):
            load_json(_nested(depth, kind) if depth < 100 else "[" * depth)
    for text in ("1", '"a"', "null", "[]"):
        assert load_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "is_too_deep"),
    [
        ("[" * 1_000 + "]" * 1_000, False),
        ("[" * 1_001 + "]" * 1_001, True),
        ('{"a":' * 1_001, True),
        ("[[]," * 600, False),
        ("[{}" * 1_001, True),
        (f'["{"[" * 2_000}", "\\"{"{" * 2_000}"]', False),
        (f'["a", {"[" * 1_001}', True),
        ("[1, " * 1_000 + '"' + "[" * 9, False),
    ],
)
def test_levels_are_counted_whatever_the_interpreter_takes(text: str, is_too_deep: bool) -> None:
    assert is_text_nested_beyond(text) is is_too_deep
    assert is_text_nested_beyond(text.encode("utf-16")) is is_too_deep


def test_a_dotted_key_of_toml_may_nest_so_deep_and_no_deeper() -> None:
    parts = ["a", '"b c"', "'d'", "e-f"] * (MAX_DEPTH // 4)
    value: object = load_toml(f"{' . '.join(parts)} = 1")
    for part in parts:
        assert isinstance(value, dict)
        value = value[part.strip("\"'")]
    assert value == 1
    with pytest.raises(ValueError, match="64 levels deep"):
        load_toml(f"{'.'.join([*parts, 'one'])} = 1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of ten bytes."""
    path = tmp_path / "x"
    path.write_bytes(b"0123456789")
    return path


def test_as_many_bytes_as_may_be_are_read_and_one_more_is_refused(path: Path) -> None:
    assert read_regular(path, 10) == b"0123456789"
    with pytest.raises(OSError, match="too large") as caught:
        read_regular(path, 9)
    assert caught.value.errno == errno.EFBIG


def test_what_is_no_file_is_refused_and_nothing_is_left_open(path: Path) -> None:
    pipe = path.with_name("pipe")
    os.mkfifo(pipe)
    before = open_below(path.parent)
    for place, most in ((pipe, 10), (path.parent, 10), (path, 3)):
        with pytest.raises(OSError):
            open_regular(place, most)
    assert open_below(path.parent) == before
