"""The app as Textual's own tools want it: `textual run --dev memtui.dev`.

It opens the memory that `memtui` would open from the same place, MEMTUI_DIR included.
"""

from __future__ import annotations

from memtui.app import MemtuiApp
from memtui.cli.opening import find_memory
from memtui.opening import shown_path

_path = find_memory(None)
app = MemtuiApp(_path, place=shown_path(_path))
