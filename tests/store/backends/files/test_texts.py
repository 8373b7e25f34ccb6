"""The newest of a kind is noted beside the texts, and the note is never trusted alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from store.backends.files.kept_files import _NEWEST
from store.backends.text_kinds import TextKind, text_at, text_path, unpacked
from store.errors import NotFound
from tests.store.factories import make_store


def test_the_newest_is_known_without_a_list_and_from_one_where_the_note_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, kind = make_store(tmp_path), TextKind.OPERATIONS
    assert store.newest(kind) == ""
    for name in ("a", "c", "b"):
        store.keep(kind, name, b"{}")
    with monkeypatch.context() as patched:
        patched.setattr(store, "names", lambda _: pytest.fail("all were listed"))
        assert store.newest(kind) == "c"
    store.forget(kind, "c")
    assert store.newest(kind) == "b"
    note = store.folder / kind / _NEWEST
    for text in ("", "{", "7", '"gone"', '"../a"'):
        note.write_text(text)
        assert store.newest(kind) == "b"


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


@pytest.mark.parametrize("order", ["abc", "cab", "bca", "cba"])
@pytest.mark.parametrize("kind", [TextKind.OPERATIONS, TextKind.SESSIONS])
def test_the_newest_has_the_greatest_name_whenever_it_was_kept(
    tmp_path: Path, order: str, kind: TextKind
) -> None:
    store = make_store(tmp_path)
    for at, name in enumerate(order, start=1):
        store.keep(kind, name, b"{}")
        assert store.newest(kind) == max(order[:at])
    (store.folder / kind / _NEWEST).unlink(missing_ok=True)
    assert store.newest(kind) == "c"
