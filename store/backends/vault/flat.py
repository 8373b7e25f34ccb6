"""Flat files of one agent each, from before the vault had folders: which section becomes what.

`dev.md` with `## Decisões` and others becomes `dev/decisions.md` and so on; the file itself stays
as `dev.md.bak`. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from store.backends.vault.markdown import front_matter
from store.model import Category
from store.text.closest_match import nearest

BACKUP = ".bak"
"""What is put after the name of a flat file that became entries."""
_SECTIONS = {
    Category.DECISION: "decisoes|decisoes tecnicas|decisions|technical decisions",
    Category.LESSON: "aprendizados|notas de sessao|licoes|lessons|lessons learned|findings|notes",
    Category.TASK: "tarefas|tasks|open tasks",
    Category.PROJECT: "contexto|contexto de projeto|context|project context|projects",
    Category.HANDOFF: "handoffs|handoff",
}
_CATEGORIES = {name: category for category, names in _SECTIONS.items() for name in names.split("|")}
_HEADING = re.compile(r"##[ \t]+(.*?)[ \t#]*")
_TITLE = re.compile(r"#[ \t].*")
_LETTERS = re.compile(r"[^a-z ]+")


class Section(NamedTuple):
    """A section of a flat file: its category, its text."""

    category: str
    content: str


def is_flat(name: str) -> bool:
    """Return whether a file at the top of a vault, by its name, is one of an agent of its own."""
    return name.endswith(".md") and name[0] not in "._" and name.lower() != "readme.md"


def sections_of(text: str) -> Iterator[Section]:
    """The sections of a flat file; what no heading names is a lesson, with its heading."""
    title, lines = "", list[str]()
    body = front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"))[1]
    for line in [*body.split("\n"), "## "]:
        heading = _HEADING.fullmatch(line)
        if heading is None:
            lines.append("" if _TITLE.fullmatch(line) and not any(lines) else line)
            continue
        content = "\n".join(lines).strip("\n")
        if content.strip():
            category = category_of(title)
            whole = content if category or not title else f"{title}\n\n{content}"
            yield Section(category or Category.LESSON, whole)
        title, lines = heading[1], []


def category_of(title: str) -> Category | None:
    """The category that a heading names, in Portuguese or English, spelt roughly; else `None`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    word = " ".join(_LETTERS.sub(" ", plain.lower()).split())
    found = word if word in _CATEGORIES else nearest(word, _CATEGORIES) if word else None
    return _CATEGORIES[found] if found else None


def flat_files(paths: Iterable[str]) -> list[str]:
    return sorted(path for path in paths if "/" not in path and is_flat(path))
