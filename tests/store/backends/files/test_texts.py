"""The paths of named texts, and what is unpacked of a compressed one."""

from __future__ import annotations

import gzip

import pytest

from store.backends.text_kinds import TextKind, text_at, text_path, unpacked
from store.errors import NotFound


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("operations/a.json", (TextKind.OPERATIONS, "a")),
        ("recalls/a.md", (TextKind.RECALLS, "a")),
        ("recalls/a.json", None),
        ("recalls", None),
        ("issue-29.json", None),
    ],
)
def test_which_text_a_path_names(path: str, found: tuple[TextKind, str] | None) -> None:
    if found is not None:
        assert text_at(path) == found
        assert text_path(*found) == path
    else:
        with pytest.raises(NotFound):
            text_at(path)


def test_what_is_kept_compressed_is_unpacked_as_far_as_it_goes() -> None:
    text = b"".join(b'{"role":"user","text":"Question %d"}\n' % at for at in range(2_000))
    packed = gzip.compress(text)
    assert unpacked(TextKind.MESSAGES, packed) == text
    half = unpacked(TextKind.MESSAGES, packed[: len(packed) // 2])
    assert text.startswith(half) and len(half) > 1_000
    for damaged in (b"", b"no gzip", packed[1:], text):
        assert unpacked(TextKind.MESSAGES, damaged) == b""
    for kind in TextKind:
        if kind is not TextKind.MESSAGES:
            assert unpacked(kind, packed) == packed
