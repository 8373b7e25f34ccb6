"""The app as Textual's own tools want it: `textual run --dev memtui.tui.dev`.

It opens the memory that `memtui` would open from the same place, MEMTUI_DIR included.
"""

from __future__ import annotations

from pathlib import Path

from memtui.tui.app import MemtuiApp
from store.backends import shown_location
from store.backends.location import find_store

_path = find_store(Path.cwd())
app = MemtuiApp(_path, place=shown_location(_path))
