"""A change to several files, made in one instant.

What each file is to hold is first written durably to one file, and from then on it holds: whoever
reads the files reads it over them. Then each file is written, and it is removed. A crash in between
loses nothing: the next who changes them goes on where it ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from store.errors import Unreadable
from store.platform.read import read_bytes
from store.platform.write import make_folder, remove_file, replace_durably, replace_several

T = TypeVar("T")
FileChanges = Mapping[str, bytes | None]
"""Files by their names below a folder, and what each is to hold; `None` removes it."""


class PendingChange(Generic[T]):
    """The file of one change, which has a value `T` for each file that changes."""

    def __init__(self, root: Path, name: str, parse: Callable[[Any], T]) -> None:
        """`parse` makes a value of the JSON that was kept; what it raises is taken for damage."""
        self._root = root
        self._name = name
        self._parse = parse

    def read(self) -> dict[str, T]:
        """Return the change that is kept, by file; empty for none. Raises `Unreadable`."""
        try:
            files = json.loads(read_bytes(self._root / self._name, self._root))["files"]
            return {str(name): self._parse(kept) for name, kept in files.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            hint = "Run `memtui doctor --repair`."
            raise Unreadable(f"{self._name} is damaged.", hint) from error

    def keep(
        self, files: Mapping[str, object], still_ours: Callable[[], None] = lambda: None
    ) -> None:
        """Keep a change durably: it holds once this returns. Raises as `replace_durably`."""
        make_folder((self._root / self._name).parent)
        data = json.dumps({"version": 1, "files": files}).encode("ascii")
        replace_durably(self._root / self._name, data, self._root, still_ours)

    def finish(
        self,
        changes: FileChanges,
        written: Iterable[str] = (),
        check: Callable[[Path], None] = lambda path: None,
    ) -> None:
        """Write the files of a change, and remove it. Raises as `replace_several` does."""
        for name, data in changes.items():
            if data is not None:
                make_folder((self._root / name).parent)
        files = {self._root / name: data for name, data in changes.items()}
        replace_several(files, self._root, [self._root / name for name in written], check)
        remove_file(self._root / self._name, self._root)
