"""Kernel locks, bounds of what is read, and values made once."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from store.platform.bounds import (
    MAX_DEPTH,
    is_text_nested_beyond,
    load_json,
    load_toml,
    open_regular,
    read_regular,
)
from store.platform.lazy_property import lazy_property
from store.platform.lock import lock, unlock
from tests.open_files import open_below

_NOW = 0.0
"""A time that has passed: who waits until then does not wait."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def _held(path: Path) -> int:
    handle = lock(path, _NOW, 0.001)
    assert handle is not None
    return handle


def test_one_holds_it_at_a_time(path: Path) -> None:
    first = _held(path)
    assert path.stat().st_mode & 0o777 == 0o600
    opened = open_below(path.parent)
    assert lock(path, _NOW, 0.001) is None
    assert open_below(path.parent) == opened
    unlock(first)
    unlock(_held(path))


def test_who_waits_has_it_once_it_is_free(path: Path) -> None:
    first = _held(path)
    release = threading.Timer(0.005, unlock, [first])
    release.start()
    second = lock(path, time.monotonic() + 5, 0.001)
    release.join()
    assert second is not None
    unlock(second)


def test_it_is_free_though_a_fork_has_it_open(path: Path) -> None:
    first = _held(path)
    inherited = os.dup(first)
    unlock(first)
    unlock(_held(path))
    os.close(inherited)


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"a\.lock"):
        lock(path, _NOW, 0.001)
    assert not (tmp_path / "elsewhere").exists()


# Files of other programs are read up to a bound, which itself is within it.


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
def ten(tmp_path: Path) -> Path:
    ten = tmp_path / "x"
    ten.write_bytes(b"0123456789")
    return ten


def test_as_many_bytes_as_may_be_are_read_and_one_more_is_refused(ten: Path) -> None:
    assert read_regular(ten, 10) == b"0123456789"
    with pytest.raises(OSError, match="too large") as caught:
        read_regular(ten, 9)
    assert caught.value.errno == errno.EFBIG


def test_what_is_no_file_is_refused_and_nothing_is_left_open(ten: Path) -> None:
    pipe = ten.with_name("pipe")
    os.mkfifo(pipe)
    before = open_below(ten.parent)
    for place, most in ((pipe, 10), (ten.parent, 10), (ten, 3)):
        with pytest.raises(OSError):
            open_regular(place, most)
    assert open_below(ten.parent) == before


# What several threads ask for at once is made once.


class Slow:
    """Something whose part takes until others have asked for it too."""

    def __init__(self) -> None:
        self.made: list[object] = []
        self.asked = Event()

    @lazy_property
    def part(self) -> object:
        self.made.append(object())
        self.asked.wait(0.2)
        return self.made[-1]


def test_two_threads_get_the_same() -> None:
    slow = Slow()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: slow.part, range(4)))
    assert len(slow.made) == 1
    assert found == slow.made * 4
