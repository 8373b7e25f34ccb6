"""What fills an agent's context beside memory: the files that agents read by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from store.recall.report import ContextItem
from store.text.tokens import Counter

_PLACES = (
    ("instruction", "CLAUDE.md"),
    ("instruction", "CLAUDE.local.md"),
    ("instruction", "AGENTS.md"),
    ("instruction", ".claude/CLAUDE.md"),
    ("instruction", ".codex/AGENTS.md"),
    ("instruction", ".github/copilot-instructions.md"),
    ("skill", ".claude/skills/*/SKILL.md"),
    ("agent-def", ".claude/agents/*.md"),
    ("agent-def", ".github/agents/*.md"),
    ("template", ".claude/commands/*.md"),
    ("template", ".github/templates/*.md"),
)
_OF_THE_USER = (".claude/", ".codex/")
_MOST_BYTES = 1_000_000
"""A larger file is none that an agent would read whole."""


def context_items(root: Path, home: Path, counter: Counter) -> list[ContextItem]:
    """The instructions, skills, agents and templates of a project and of its user, with tokens.

    Files that can't be read are passed over, as agents do.
    """
    found = [(category, path, str(path.relative_to(root))) for category, path in _files(root)]
    if home != root:
        found += [
            (category, path, f"~/{path.relative_to(home)}")
            for category, path in _files(home, _OF_THE_USER)
        ]
    items = []
    for category, path, name in found:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        items.append(ContextItem(category, name, counter.count(text)))
    return items


def _files(root: Path, within: tuple[str, ...] = ("",)) -> Iterator[tuple[str, Path]]:
    for category, pattern in _PLACES:
        if pattern.startswith(within):
            for path in sorted(root.glob(pattern)):
                if path.is_file() and path.stat().st_size <= _MOST_BYTES:
                    yield category, path
