"""`memtui pin`: always recalled, whatever their score."""

from __future__ import annotations

from memtui.cli.marks import flag_command

pin_command = flag_command("pinned", "Pin memories: always injected.", "Unpin them.")
