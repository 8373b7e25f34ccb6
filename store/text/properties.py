"""The properties in a note's front matter, read: a text or a list of texts each.

Plain lines are read as they are; only what looks like more is read as YAML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from store.platform.lazy_pattern import lazy_pattern

Properties = Mapping[str, str | list[str]]
_KEY = lazy_pattern(r"(?P<name>[^\s:#\[\]{}\"'-][^:\n]{0,99}?)[ \t]*:(?:[ \t]+(?P<text>.*))?")
_FRONT = lazy_pattern(r"\ufeff?---[ \t]*\r?\n(?P<inner>(?:.*\n)*?)---[ \t]*(?:\r?\n|\Z)")
_MOST_PROPERTIES = 200
"""Properties of a note that are read."""
_YAML_STARTS = ("", *"[{\"'|>&*!")
"""What a value begins with that is more than the plain text of its line."""


def split_properties(text: str) -> tuple[str, str]:
    """Return the properties at the start of a text, their rules included, and what follows them."""
    front = _FRONT.match(text)
    if front is None or ":" not in front["inner"].strip().partition("\n")[0]:
        return "", text
    return front[0], text[front.end() :]


def read_properties(front: str) -> Properties:
    """Read the properties that a note's front matter names, at most 200."""
    found: dict[str, str | list[str]] = {}
    for name, text, lines in _entries(front):
        if value := _value(text, lines):
            found[name] = value
        if len(found) == _MOST_PROPERTIES:
            break
    return found


def _entries(front: str) -> Iterator[tuple[str, str, str]]:
    """Yield each property by itself: its name, what follows on its line, and all of its lines."""
    entry: tuple[str, str, list[str]] | None = None
    for line in front.splitlines()[1:-1]:
        if (key := _KEY.fullmatch(line.rstrip())) is not None:
            if entry is not None:
                yield entry[0], entry[1], "\n".join(entry[2])
            entry = key["name"], (key["text"] or "").strip(), [f"x: {key['text'] or ''}"]
        elif entry is not None:
            entry[2].append(line)
    if entry is not None:
        yield entry[0], entry[1], "\n".join(entry[2])


def _value(text: str, lines: str) -> str | list[str]:
    """Return the value of a property; its text where that is no YAML, such as `Lock: timed out`."""
    if "\n" not in lines and text[:1] not in _YAML_STARTS:
        return text
    import yaml  # only where a note has such a property: 28 ms

    try:
        value = yaml.load(lines, yaml.BaseLoader)["x"]
    except (yaml.YAMLError, RecursionError, ValueError):
        return text
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [item for item in value if item]
    return value if isinstance(value, str) else text
