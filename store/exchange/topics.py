"""The notes that an agent's client keeps by itself: a topic a file, whose head names it.

Claude Code writes them below `memory/`: `name`, `description` and `type` are above the text, and
`MEMORY.md` lists the files.
"""

from __future__ import annotations

from datetime import datetime

from store.backends.vault.markdown import front_matter
from store.backends.vault.properties import Properties, read_properties
from store.backends.vault.topics import category_of_topic
from store.exchange.long_text import split_observation
from store.exchange.values import Reader, Reading
from store.model import Observation

AGENT = "claude-code"


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


def _text(properties: Properties, name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""
