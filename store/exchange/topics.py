"""The notes that an agent's client keeps by itself.

Claude Code writes a topic a file below `memory/`: `name`, `description` and `type` are above the
text, and `MEMORY.md` lists the files. Codex writes one `memories/MEMORY.md` for all projects: a
`# Task Group: …` says under `applies_to: cwd=FOLDER; …` where it holds.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from store.backends.vault.markdown import front_matter
from store.backends.vault.topics import category_of_topic
from store.exchange.long_text import split_observation
from store.exchange.values import Reader, Reading
from store.model import Observation
from store.text.properties import Properties, read_properties

AGENT = "claude-code"
_GROUP = re.compile(r"^# Task Group:.*?(?=^# |\Z)", re.M | re.S)
_POINTERS = re.compile(
    r"^(?:scope|applies_to):.*$|^### (?:rollout_summary_files|keywords)$\n(?:(?!#).*\n?)*", re.M
)
"""What a group of Codex's has for its own search, and the summaries of sessions that it names."""


def read_topic(text: str, name: str, written: datetime) -> Reading:
    """Return the memories of a topic's file, several where it is long; none where its head names no
    topic.

    `written` is when the file was written last, in UTC.
    """
    reader = Reader(name)
    front, body = front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    properties = read_properties(front)
    title, description = _text(properties, "name"), _text(properties, "description")
    if not (title and description and body.strip()):
        return reader.reading()
    whole = Observation(
        agent=AGENT,
        issue_number=0,
        category=str(category_of_topic(front)),
        content=body.strip(),
        summary=description,
        sources=(name,),
        extra={"properties": {"aliases": [title]}},
    )
    whole = whole._replace(id=reader.make_id(whole), timestamp=written)
    for part in split_observation(whole, description):
        reader.add(part, name)
    return reader.reading()


def has_group_of(text: str, project: Path) -> bool:
    """Return whether one of Codex's groups of tasks in a text holds in the project."""
    return any(_holds_in(group[0], project) for group in _GROUP.finditer(text))


def groups_of(text: str, project: Path) -> str:
    """Return the text with blank lines in place of the groups that hold in other projects; as it is
    where it has no groups.
    """

    def kept(group: re.Match[str]) -> str:
        return _POINTERS.sub(_blank, group[0]) if _holds_in(group[0], project) else _blank(group)

    return _GROUP.sub(kept, text)


def _holds_in(group: str, project: Path) -> bool:
    folder = re.escape(str(project))
    return re.search(rf"^applies_to:.*[= ]{folder}(?=[/;,\s]|$)", group, re.M) is not None


def _blank(part: re.Match[str]) -> str:
    return "\n" * part[0].count("\n")


def _text(properties: Properties, name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""
