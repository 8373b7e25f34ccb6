"""The kinds of entries of the activity log: what each is called, its mark and its colour."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from store.activity.log import CAPTURED, FAILED, SHORTENED, STORED, WARNING

TAKEN_IN = "taken-in"
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "add": "added",
        "compact": "compacted",
        "edit": "edited",
        "import": "imported",
        "prune": "pruned",
        "remove": "removed",
        "repair": "repaired",
        "pin": "pinned",
        "unpin": "unpinned",
        "mute": "muted",
        "unmute": "unmuted",
        "mark": "marked",
        "tag": "tagged",
        "close": "closed",
        "reopen": "reopened",
        "merge": "merged",
        "asked-again": "asked again",
        TAKEN_IN: "indexed",
    }
)
"""Kinds of operations as what happened."""
LOOKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        STORED: ("+", "$text-success"),
        CAPTURED: ("↓", "$text-success"),
        "recalled": ("↑", "$category-decision"),
        "archived": ("▾", "$text-warning"),
        "restored": ("▴", "$text-success"),
        "compact": ("≡", "$category-lesson"),
        "prune": ("≈", "$category-lesson"),
        "edit": ("~", "$dim"),
        "remove": ("−", "$text-error"),
        "import": ("»", "$text-success"),
        "repair": ("✓", "$text-success"),
        TAKEN_IN: ("↓", "$dim"),
        "asked": ("?", "$accent-text"),
        "asked-again": ("?", "$text-warning"),
        "answered": ("→", "$accent-text"),
        "resolved": ("✓", "$text-success"),
        "escalated": ("!", "$text-warning"),
        "undone": ("‹", "$text-warning"),
        "redone": ("›", "$text-warning"),
        FAILED: ("×", "$text-error"),
        SHORTENED: ("−", "$dim"),
        WARNING: ("!", "$text-warning"),
    }
)
"""Mark and colour of each kind of entry."""
