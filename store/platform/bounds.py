"""Limits of reading: what is beyond is kept where it is, named and passed over."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

MAX_DEPTH = 64
"""Levels of objects and lists in one value; people's own files have fewer than ten."""
MAX_NESTING = 1_000
"""Levels of a text of JSON that is parsed at all, whatever the interpreter could take."""
MAX_VALUES = 10_000
"""Values in one record, all its lists and objects taken apart."""
MAX_TEXT = 1_000_000
"""Characters of one text; memtui itself stores 2,000."""
MAX_RECORDS = 300_000
"""Records in one file."""
MAX_BYTES = 256 * 1024 * 1024
"""Bytes of one file of records. A larger one is reported, not read."""
MAX_TEXT_FILE = 16_000_000
"""Bytes of one file of settings, or of git."""
_BRANCHES = (dict, list)
_NO_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^\[\]{}"]++', re.S)
"""What of a text of JSON opens and closes nothing."""
_PART = r"(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DEEP_KEY = rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MAX_DEPTH}}}"
"""A dotted key of TOML beyond bounds, which takes its reader time by the square of its parts."""


def load_json(text: str | bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a foreign text. Raises `ValueError`, also for what nests too deep."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError(f"it nests more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:
        if is_text_nested_beyond(text):
            raise ValueError(f"it nests more than {MAX_DEPTH} levels deep") from error
        if (trouble := json_trouble(error)) == str(error):
            raise  # it names the place
        raise ValueError(trouble) from error
    if isinstance(value, _BRANCHES) and (reason := _why_too_large(value)):
        raise ValueError(reason)
    return value


def is_nested_beyond(value: object) -> bool:
    """Return whether a value has more than `MAX_NESTING` levels of objects and lists.

    How many levels Python parses differs by its version and by the stack: from 3.14 on, tens of
    thousands.
    """
    level = [value]
    for _ in range(MAX_NESTING + 1):
        level = [
            inner
            for branch in level
            if isinstance(branch, _BRANCHES)
            for inner in (branch.values() if isinstance(branch, dict) else branch)
        ]
        if not level:
            return False
    return True


def is_text_nested_beyond(text: str | bytes) -> bool:
    """Return whether a text of JSON, valid or not, has more than `MAX_NESTING` levels."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "replace")
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return False
    levels = accumulate(1 if mark in "[{" else -1 for mark in _NO_BRACKETS.sub("", text))
    return any(level > MAX_NESTING for level in levels)


def json_trouble(error: ValueError) -> str:
    """Say what is wrong with a JSON text: of long numbers Python names a switch of its own."""
    return "a number has too many digits" if "int_max_str_digits" in str(error) else str(error)


def load_toml(text: str) -> dict[str, Any]:
    """The values of a foreign TOML text. Raises `ValueError`, also for what nests too deep."""
    import tomllib  # few files are TOML

    if re.search(_DEEP_KEY, text):
        raise ValueError(f"it nests more than {MAX_DEPTH} levels deep")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(f"it nests more than {MAX_DEPTH} levels deep") from error


def excess_of(record: dict[str, Any]) -> str:
    """Say in words which bound a record exceeds; empty where it exceeds none."""
    if len(record) > MAX_VALUES:
        return f"it has {len(record):,} keys, too many to read"
    is_flat = True
    for value in record.values():
        kind = type(value)
        if kind is str:
            if len(value) > MAX_TEXT:
                return f"it has a string of more than {MAX_TEXT:,} characters"
        elif kind is dict or kind is list:
            is_flat = False
    return "" if is_flat else _why_too_large(record, MAX_VALUES)


def _why_too_large(value: object, most: int | None = None) -> str:
    """Say why a value has too many levels or values, level by level; empty if it has not."""
    level, number = [value], 0
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for branch in level:
            if isinstance(branch, dict):
                inner += branch.values()
            elif isinstance(branch, list):
                inner += branch
        number += len(inner)
        if most is not None and number > most:
            return f"it has more than {most:,} values"
        level = [value for value in inner if isinstance(value, _BRANCHES)]
        if not level:
            return ""
    return f"it nests more than {MAX_DEPTH} levels deep"


def open_regular(path: Path, most: int) -> BinaryIO:
    """Return a file to be read; links are followed.

    Raises `OSError`, also for a device or a pipe and for more than `most` bytes.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode) or info.st_size > most:
        os.close(handle)
        number = errno.EFBIG if stat.S_ISREG(info.st_mode) else errno.EINVAL
        what = "too large" if number == errno.EFBIG else "not a regular file"
        raise OSError(number, what, str(path))
    return os.fdopen(handle, "rb")


def read_regular(path: Path, most: int = MAX_TEXT_FILE) -> bytes:
    """Return the content of a file. Raises as `open_regular`."""
    with open_regular(path, most) as file:
        return file.read(most)
