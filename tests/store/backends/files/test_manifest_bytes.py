"""The manifest's bytes after each state that it may be found in, in whole and exchanged in part."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.backends.files import large_manifest, manifest
from store.backends.files.large_manifest import checksum, spliced
from store.backends.files.layout import MANIFEST
from store.backends.files.manifest import manifest_ids, manifest_is_altered, settle_manifest
from tests.store.factories import record, write_issue

FIRST, LATER = "2026-03-01T12:00:00.000Z", "2026-03-02T12:00:00.000Z"
OPENED, CLOSED = b',\n  "entries": [\n', b"\n  ]\n}\n"


def _line(name: str, issue: int = 1, said: str = "x") -> bytes:
    return b'{"id":"%s","issueNumber":%d,"summary":"%s"}' % (name.encode(), issue, said.encode())


def _listing(*lines: bytes, **more: object) -> bytes:
    header = {"version": 1, "issueCount": 2, "checksum": checksum(lines), **more}
    kept = {key: value for key, value in header.items() if value is not None}
    said = json.dumps(kept, indent=2).encode().removesuffix(b"\n}")
    return said + OPENED + b",\n".join(lines) + CLOSED


def _id_of(text: bytes) -> object:
    return json.loads(text)["id"]


A, B, C = _line("a"), _line("b", 2), _line("c", 2)
WHOLE = _listing(A, B, C)
SAME: list[bytes] = []


@pytest.mark.parametrize(
    ("data", "present", "stale", "lines"),
    [
        (WHOLE, {1, 2}, {}, SAME),
        (WHOLE, {1, 2}, {1: {"a": A}}, SAME),
        (WHOLE, {1, 2}, {1: {"a": _line("a", said="y")}}, [_line("a", said="y"), B, C]),
        (WHOLE, {1, 2}, {2: {"c": C}}, [A, C]),
        (WHOLE, {1, 2}, {2: {"b": B}}, [A, B]),
        (WHOLE, {1, 2}, {2: {}}, [A]),
        (WHOLE, {1, 2}, {1: {}}, [B, C]),
        (WHOLE, {1, 2}, {1: {}, 2: {}}, None),
        (WHOLE, {1, 2}, {1: {}, 2: {"n": _line("n", 2)}}, None),
        (WHOLE, {1, 2, 3}, {3: {"n": _line("n", 3)}}, [A, B, C, _line("n", 3)]),
        (WHOLE, {1, 2}, {2: {"n": _line("n", 2), "c": C}}, [A, C, _line("n", 2)]),
        (WHOLE, {1}, {}, None),
        (WHOLE, {1, 2, 3}, {1: {"a": A}}, None),
        (WHOLE, {1, 2}, {1: {"a": A}, 2: {"b": B, "c": C}}, SAME),
        (WHOLE, {1, 2, 3, 4}, {it: {} for it in (1, 2, 3, 4)}, None),
        (WHOLE + b" ", {1, 2}, {}, None),
        (WHOLE.replace(b"\n{", b"\n {", 1), {1, 2}, {}, None),
        (WHOLE.replace(b'"}\n', b'" }\n'), {1, 2}, {}, None),
        (WHOLE.replace(b'"y"', b'"\0"').replace(b'"x"', b'"\0"', 1), {1, 2}, {}, None),
        (_listing(A, B, C, pad="p" * 4_000), {1, 2}, {}, None),
        (_listing(A, B, C, pad="p" * 3_900), {1, 2}, {}, SAME),
        (_listing(A, B, C, checksum=None), {1, 2}, {1: {"a": A}}, None),
        (_listing(A, B, C, checksum=7), {1, 2}, {1: {"a": A}}, None),
        (_listing(A, B, C, checksum="soon"), {1, 2}, {1: {"a": A}}, None),
        (_listing(A, B, C, issueCount=None), {1, 2}, {1: {"a": A}}, None),
        (_listing(A, B, C, issueCount=3), {1, 2}, {1: {"a": A}}, None),
        (b"[1" + WHOLE[1:], {1, 2}, {}, None),
        (b"[" * 9_000 + WHOLE, {1, 2}, {}, None),
        (WHOLE[1:], {1, 2}, {}, None),
        (b"", {1, 2}, {}, None),
    ],
    ids=count(),
)
def test_some_lines_are_exchanged_where_all_else_is_known(
    data: bytes,
    present: set[int],
    stale: Mapping[int, Mapping[str, bytes]],
    lines: list[bytes] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_manifest, "LARGE", 1)
    new = spliced(data, OPENED, CLOSED, present, stale, _id_of, LATER)
    if lines is SAME:
        assert new is data
    elif lines is None:
        assert new is None
    else:
        expected = _listing(*lines, issueCount=len(present), updatedAt=LATER)
        assert json.loads(new or b"") == json.loads(expected)
        assert (new or b"").endswith(expected[expected.index(OPENED) :])


@pytest.mark.parametrize(("more", "is_so"), [(0, True), (1, False)])
def test_only_a_large_manifest_is_exchanged_in_part(
    monkeypatch: pytest.MonkeyPatch, more: int, is_so: bool
) -> None:
    monkeypatch.setattr(large_manifest, "LARGE", len(WHOLE) + more)
    new = spliced(WHOLE, OPENED, CLOSED, {1, 2}, {2: {}}, _id_of, LATER)
    assert (new is not None) is is_so


def _plain(data: bytes) -> bytes:
    return data


def _with(**keys: Any) -> Callable[[bytes], bytes]:  # noqa: ANN401
    """The manifest as another program would write it again, the first entry changed."""

    def changed(data: bytes) -> bytes:
        value = json.loads(data)
        value["entries"][0] |= keys
        return json.dumps(value).encode()

    return changed


def _header(**keys: Any) -> Callable[[bytes], bytes]:  # noqa: ANN401
    def changed(data: bytes) -> bytes:
        head, entries = data.split(OPENED)
        value = {**json.loads(head + b"}"), **keys}
        return json.dumps(value, indent=2).encode().removesuffix(b"\n}") + OPENED + entries

    return changed


FOUND: dict[str, Callable[[bytes], bytes]] = {
    "as it was written": _plain,
    "with a header of others": _header(theirs=[1], version=3),
    "without a version": lambda data: data.replace(b'  "version": 1,\n', b""),
    "without a checksum": _header(checksum=None),
    "with another checksum": _header(checksum="0" * 16),
    "with a count of issues": _header(issueCount=9),
    "with entries in its header": _header(entries=[]),
    "with a key of others": _with(theirs=1),
    "with a text for tokens": _with(tokens="8"),
    "with true for tokens": _with(tokens=True),
    "with another order": lambda data: json.dumps(json.loads(data), sort_keys=True).encode(),
    "without an issue": _with(issueNumber=None),
    "with an id that is no text": _with(id=7),
    "with an entry that is none": lambda data: data.replace(b'"entries": [\n', b'"entries": [7,'),
    "a list": lambda _: b"[]",
    "without entries": lambda _: b'{"version": 1}',
    "cut": lambda data: data[:-9],
    "cut before its end": lambda data: data.replace(CLOSED, b""),
    "with an empty byte": lambda data: data.replace(b"plain", b"pl\0in"),
    "with not a number": lambda data: data.replace(b'"tokens":8', b'"tokens":NaN', 1),
    "with a line cut": lambda data: data.replace(b'Z"},\n', b'Z",\n', 1),
    "with a line that names no issue": lambda data: data.replace(b',"issueNumber":1,', b",", 1),
    "empty of entries": lambda data: data[: data.index(OPENED)] + OPENED + CLOSED,
}


def test_what_a_manifest_becomes_by_what_it_was(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    told = []
    for name, changed in FOUND.items():
        folder = tmp_path / name
        write_issue(folder, 1, record("k1", issueNumber=1), record("k2", issueNumber=1))
        write_issue(folder, 2, record("k3", issueNumber=2))
        settle_manifest(folder, [], FIRST)
        path = folder / MANIFEST
        path.write_bytes(changed(path.read_bytes()))
        os.utime(path, (2**33, 2**33))  # so that no file is newer
        ids, is_altered = manifest_ids(folder), manifest_is_altered(folder)
        write_issue(folder, 2, record("k3", issueNumber=2), record("k4", issueNumber=2))
        rebuilt = settle_manifest(folder, [2], LATER)
        new = path.read_text(encoding="utf-8")
        told += [f"{name}: {ids}, altered {is_altered}, rebuilt {rebuilt}", new]
    assert "\n".join(told) == snapshot


ODD: dict[str, dict[str, Any]] = {
    "whole": {},
    "another issue": {"issueNumber": 7},
    "tokens as text": {"tokens": "8"},
    "tokens true": {"tokens": True},
    "no tokens": {"tokens": None},
    "empty agent": {"agent": ""},
    "no summary": {"summary": None},
    "no content": {"content": None},
    "a day that month has not": {"timestamp": "2026-02-29T10:00:00.000Z"},
    "a day not every month has": {"timestamp": "2026-01-31T10:00:00.000Z"},
    "a 28th": {"timestamp": "2026-02-28T23:59:59.999Z"},
    "a time without its parts": {"timestamp": "2026-02-27T10:00:00Z"},
    "a time of a zone": {"timestamp": "2026-02-27T10:00:00.000+02:00"},
    "no time": {"timestamp": "soon"},
    "a time that is a number": {"timestamp": 1_772_366_400_000},
    "a lone surrogate": {"summary": "x\ud800"},
}


def test_the_entry_of_each_odd_record(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    told = []
    for name, keys in ODD.items():
        folder = tmp_path / name
        write_issue(folder, 29, record("k1", **keys), 7, {})
        settle_manifest(folder, [], FIRST)
        entries = (folder / MANIFEST).read_bytes().split(OPENED)[-1].removesuffix(CLOSED)
        told.append(f"{name}: {entries.decode()}")
    assert "\n".join(told) == snapshot


def test_of_a_large_manifest_no_more_than_three_issues_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (large_manifest, manifest):
        monkeypatch.setattr(module, "LARGE", 1)
    for issue in range(1, 6):
        os.utime(write_issue(tmp_path, issue, record(f"k{issue}", issueNumber=issue)), (1, 1))
    settle_manifest(tmp_path, [], FIRST)
    reads: list[Path] = []
    read = manifest._read

    def counted(path: Path, folder: Path) -> Any:  # noqa: ANN401 - as it returns
        reads.append(path)
        return read(path, folder)

    monkeypatch.setattr(manifest, "_read", counted)
    monkeypatch.setattr(manifest, "_newer", lambda *_: set())
    settle_manifest(tmp_path, [1, 2, 3, 99], LATER)
    assert reads == []
    settle_manifest(tmp_path, [1, 2, 3, 4], LATER)
    assert len(reads) == 1
