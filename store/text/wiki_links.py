"""Links from one memory to another, as people write them: `[[id or title]]`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from store.platform.lazy_pattern import lazy_pattern

_LINK = lazy_pattern(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_MILLIS = lazy_pattern(r"(?:\A|-)([0-9]{13})(?:-|\Z)", re.ASCII)
_MOST = 100


def links_in(text: str) -> tuple[str, ...]:
    """Links of a text, in their order, each once, at most 100: ids and titles.

    Of `[[folder/Title#heading|shown]]` that is `folder/Title`.
    """
    if "[[" not in text:
        return ()
    found = (match[1].strip() for match in _LINK.finditer(text))
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST]


def link_key(target: str) -> str:
    """Return a link's target as it is compared: the last name of a path, whatever its case."""
    name = target.replace("\\", "/").rpartition("/")[2]
    return " ".join(name.removesuffix(".md").casefold().split())


def names_of(
    identifier: str, summary: str, content: str, extra: Mapping[str, object]
) -> frozenset[str]:
    """Return what a memory may be called in a link: its id, the milliseconds in that, its title,
    the heading that it begins with, and the aliases among its properties; as `link_key` has them.
    """
    heading = content.lstrip().partition("\n")[0].strip()
    millis = _MILLIS.search(identifier)
    names = [identifier, summary, heading.lstrip("# "), millis[1] if millis else ""]
    return frozenset(link_key(name) for name in (*names, *aliases_in(extra)) if name.strip())


def aliases_in(extra: Mapping[str, object]) -> tuple[str, ...]:
    """Return the other names that a note's properties give it, as Obsidian has them: `aliases`,
    `alias`; a list, or names with commas between them.
    """
    properties = extra.get("properties")
    if not isinstance(properties, dict):
        return ()
    given = (properties.get(name) for name in ("aliases", "alias"))
    names = (
        name
        for value in given
        for name in (value if isinstance(value, list) else str(value or "").split(","))
    )
    return tuple(
        dict.fromkeys(name.strip() for name in names if isinstance(name, str) and name.strip())
    )
