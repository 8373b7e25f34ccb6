"""What becomes of a vault's files where a change broke off and they were edited since, by rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store.backends.vault import pending
from store.backends.vault.pending import NAME, complete, make_changes, read_pending

LIST, NOTE = "dev/decisions.md", "notes/Rules.md"


def _entry(number: int, said: str) -> str:
    return f"<!-- id:1{number:012d} -->\n{said}\n"


ONE, TWO, NEW = _entry(1, "One."), _entry(2, "Two."), _entry(3, "New.")
TEXTS: dict[str, str | None] = {
    "none": None,
    "one": f"# Decisions\n\n{ONE}",
    "two": f"# Decisions\n\n{TWO}\n{ONE}",
    "two and new": f"# Decisions\n\n{NEW}\n{TWO}\n{ONE}",
    "two edited": f"# Decisions\n\n{TWO.replace('Two', 'Too')}\n{ONE}",
    "by hand": f"# Mine\n\n{TWO}\n- Said by hand\n\n{ONE}",
    "note": "# Rules\n\nWait.\n",
    "note edited": "# Rules\n\nWait long.\n",
    "note new": "# Rules\n\nWait with jitter.\n",
    "not text": "\udcff",
}
ROWS = [
    # the file, as it was read, as it is to be, as it is now
    (LIST, "none", "one", ("none", "one", "two", "by hand", "not text")),
    (LIST, "one", "two", ("one", "two", "none", "by hand", "two edited")),
    (LIST, "two", "two and new", ("two", "two edited", "by hand", "one", "none")),
    (LIST, "two", "one", ("two", "one", "two edited", "by hand", "none", "two and new")),
    (LIST, "two", "two edited", ("two", "two edited", "by hand", "two and new")),
    (LIST, "one", "none", ("one", "two", "none", "by hand")),
    (NOTE, "none", "note", ("none", "note", "note edited")),
    (NOTE, "note", "note new", ("note", "note new", "note edited", "none", "not text")),
    (NOTE, "note", "none", ("note", "none", "note edited")),
]


def _bytes(name: str) -> bytes | None:
    text = TEXTS[name]
    return None if text is None else text.encode("utf-8", "surrogateescape")


def _put(path: Path, data: bytes | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if data is not None:
        path.write_bytes(data)


def _standing(folder: Path) -> str:
    names = {name: (folder / name).read_bytes() for name in sorted(
        it.relative_to(folder).as_posix() for it in folder.rglob("*.md"))}  # fmt: skip
    known = {_bytes(name): name for name in TEXTS}
    return ", ".join(f"{name}: {known.get(data) or data!r}" for name, data in names.items())


def test_what_an_interrupted_change_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    told = []
    for at, (path, was, to_be, states) in enumerate(ROWS):
        for now in states:
            folder = tmp_path / f"{at} {now}"
            _put(folder / path, _bytes(was))
            with monkeypatch.context() as patched:
                patched.setattr(pending, "_write", lambda *_: None)
                make_changes(folder, {path: _bytes(to_be)})
            _put(folder / path, _bytes(now))
            waiting = sorted(read_pending(folder))
            complete(folder)
            assert not (folder / NAME).exists()
            assert read_pending(folder) == {}
            told.append(f"{was} > {to_be}, now {now}: waits {waiting}; {_standing(folder)}")
    assert "\n".join(told) == snapshot
