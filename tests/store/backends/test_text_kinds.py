"""The paths of named texts, what is unpacked of a compressed one, and which have expired."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta

import pytest

from store.backends.text_kinds import TextKind, expired_before, text_at, text_path, unpacked
from store.errors import NotFound
from tests.store.factories import NOW

KEEP = timedelta(days=30)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("used", "before"),
    [
        ([], None),
        ([NOW, NOW - DAY / 2], None),
        ([NOW + 400 * DAY], None),
        ([NOW, NOW - 2 * DAY], NOW - 32 * DAY),
        ([NOW - 40 * DAY, NOW - 2 * DAY, NOW + 400 * DAY], NOW - 32 * DAY),
        ([NOW - 40 * DAY], NOW - 70 * DAY),
    ],
)
def test_it_counts_from_the_last_use_before_today(
    used: list[datetime], before: datetime | None
) -> None:
    assert expired_before(NOW, used, KEEP) == before


def test_a_keep_beyond_all_times_expires_nothing() -> None:
    used = [datetime(2, 1, 1, tzinfo=UTC)]
    assert expired_before(NOW, used, timedelta(days=10_000)) is None


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
