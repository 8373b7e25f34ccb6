"""`memtui mute`: never recalled, still found by search."""

from __future__ import annotations

from memtui.cli.marks import flag_command

mute_command = flag_command(
    "muted", "Mute memories: never injected, still searchable.", "Unmute them."
)
