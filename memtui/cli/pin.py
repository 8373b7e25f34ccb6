"""`memtui pin`: always recalled, whatever their score."""

from __future__ import annotations

from memtui.cli.marks import flag_command

pin_command = flag_command(
    "pinned", "Pin observations: they are always recalled, whatever their score."
)
