"""The app as Textual's own tools want it: `textual run --dev memtui.tui.dev`.

It opens the memory that `memtui` would open from the same place, MEMTUI_DIR included.
"""

from __future__ import annotations

from memtui.cli.memory import find_memory
from memtui.startup import shown_path
from memtui.tui.app import MemtuiApp

_path = find_memory(None)
app = MemtuiApp(_path, place=shown_path(_path))
