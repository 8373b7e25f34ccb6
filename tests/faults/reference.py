"""A writer that does everything right, in a few lines, and the wrong ones the harness must catch.

Each keeps texts in `issue-29.json` and `issue-30.json`, lists of strings, and a derived
`listing.json` of all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.faults.harness import Acknowledge, Scenario, Subject, View

ISSUES = (29, 30)


@dataclass(frozen=True, slots=True)
class Writer:
    """A way to write: the right one, with each of its steps a field that can be left out."""

    temporary: bool = True
    syncs_file: bool = True
    syncs_folder: bool = True
    continues_short_writes: bool = True
    record_first: bool = True
    cleans_up: bool = True
    closes: bool = True

    def replace(self, path: Path, data: bytes, durable: bool = True) -> None:
        """Replace a file's content."""
        target = path.with_name(f"{path.name}.tmp") if self.temporary else path
        try:
            self._write(target, data, durable and self.syncs_file)
            if self.temporary:
                target.replace(path)
        except OSError:
            if self.temporary and self.cleans_up:
                with suppress(FileNotFoundError):
                    target.unlink()
            raise
        if durable and self.syncs_folder:
            descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _write(self, path: Path, data: bytes, durable: bool) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
                if not self.continues_short_writes:
                    break
            if durable:
                os.fsync(descriptor)
        except OSError:
            if self.closes:
                os.close(descriptor)
            raise
        os.close(descriptor)

    def add(self, folder: Path, issue: int, text: str) -> None:
        """Store a text."""
        texts = {number: _read(_file(folder, number)) for number in ISSUES}
        texts[issue] = [*texts[issue], text]
        steps: list[Callable[[], None]] = [
            lambda: self.replace(_file(folder, issue), _encode(texts[issue])),
            lambda: self._list(folder, texts.values()),
        ]
        for step in steps if self.record_first else reversed(steps):
            step()

    def _list(self, folder: Path, texts: Iterable[list[str]]) -> None:
        with suppress(OSError):
            everything = sorted(text for some in texts for text in some)
            self.replace(folder / "listing.json", _encode(everything), durable=False)


@dataclass(frozen=True, slots=True)
class TwoFilesAtOnce(Writer):
    """Wrong: changes an issue in two steps, so that a reader sees the text doubled in between."""

    def add(self, folder: Path, issue: int, text: str) -> None:
        before = _read(_file(folder, issue))
        self.replace(_file(folder, issue), _encode([*before, text, text]))
        self.replace(_file(folder, issue), _encode([*before, text]))
        self._list(folder, [_read(_file(folder, number)) for number in ISSUES])


@dataclass(frozen=True, slots=True)
class TakesErrorsForEmpty(Writer):
    """Wrong: takes an issue that can't be read just now for one that has nothing in it."""

    def add(self, folder: Path, issue: int, text: str) -> None:
        try:
            before = _read(_file(folder, issue))
        except OSError:
            before = []
        self.replace(_file(folder, issue), _encode([*before, text]))


def scenario(name: str, writer: Writer) -> Scenario:
    """Two texts added one after the other to a store that has some, by this writer."""

    def prepare(folder: Path) -> None:
        right = Writer()
        right.add(folder, 29, "the first")
        right.add(folder, 30, "another issue's")

    def run(folder: Path, acknowledge: Acknowledge) -> None:
        writer.add(folder, 29, "the second")
        acknowledge()
        writer.add(folder, 30, "the third")
        acknowledge()

    subject = Subject(
        view=_view,
        listing=lambda folder: frozenset(_read(folder / "listing.json")),
        add=lambda folder, text: Writer().add(folder, 29, text),
        in_order=_in_order,
        errors=(OSError,),
        may_stay=lambda name: False,
    )
    return Scenario(name, subject, prepare, run)


def _view(folder: Path) -> View:
    return {f"#{issue}": tuple(sorted(_read(_file(folder, issue)))) for issue in ISSUES}


def _in_order(folder: Path) -> None:
    listed = _read(folder / "listing.json")
    assert listed == sorted(text for issue in ISSUES for text in _read(_file(folder, issue)))


def _file(folder: Path, issue: int) -> Path:
    return folder / f"issue-{issue}.json"


def _read(path: Path) -> list[str]:
    try:
        texts: list[str] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    return texts


def _encode(texts: list[str]) -> bytes:
    return json.dumps(texts).encode()
