"""The notes that an agent's client keeps by itself, as they lie among others: heads and an index.

Claude Code writes a file a topic, with its `type` in the front matter, mostly below `metadata`, and
lists the files in `MEMORY.md`.
"""

from __future__ import annotations

import re

from store.model import Category

INDEX = "MEMORY.md"
"""The file that lists the topics of its folder."""
_CATEGORIES = {"feedback": Category.LESSON, "project": Category.PROJECT}
"""By the type of a topic; one of any other is a key fact."""
_TYPE = re.compile(r"^[ \t]*type:[ \t]*([\w-]+)[ \t]*$", re.M)
_LINE_OF_INDEX = re.compile(r"[-*] \[[^\]]+\]\([^)\s]+\.md\).*|#.*|\s*")


def category_of_topic(front: str) -> Category:
    """Return the category of a note by the type that its front matter names, nested or not."""
    named = _TYPE.search(front)
    return _CATEGORIES.get(named[1] if named else "", Category.KEY_FACT)


def is_index(path: str, text: str) -> bool:
    """Return whether a file only lists other files of its folder: it is no memory."""
    if path.rpartition("/")[2] != INDEX or "](" not in text:
        return False
    return all(map(_LINE_OF_INDEX.fullmatch, text.splitlines()))
