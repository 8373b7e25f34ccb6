"""An observation as a text to edit: Markdown under a small header, and what an edit of it changed.

The header is between two lines of `---`, a field to a line; a value that would not be read as
it is written (with a comma in a tag, with a line break) is written as a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from store import Memory
from store.errors import InvalidObservation, refuse
from store.model import MAX_CONTENT, MAX_SUMMARY, Observation, issue_named
from store.operations.plan import Plan
from store.records import first_line
from store.text.display import visible

_FENCE = "---"
_FIELDS = ("agent", "issue", "category", "tags", "summary")
_HELP = "# Separate tags with commas. An empty summary uses the first line of the text."
_TAG = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,]*?)\s*(?:,|$)')
Flag: TypeAlias = Literal["pinned", "muted"]
_KINDS: dict[tuple[Flag, bool], str] = {
    ("pinned", True): "pin",
    ("pinned", False): "unpin",
    ("muted", True): "mute",
    ("muted", False): "unmute",
}


def to_text(observation: Observation) -> str:
    """Return the text to edit. `from_text` finds nothing changed in it."""
    follows = observation.summary == first_line(observation.content)
    header = {
        "agent": _written(observation.agent),
        "issue": str(observation.issue_number),
        "category": _written(observation.category),
        "tags": ", ".join(_written(tag, in_list=True) for tag in observation.tags),
        "summary": "" if follows else _written(observation.summary),
    }
    if _has_level(observation):
        header["level"] = observation.level
    lines = [_FENCE, *(f"{name}: {value}".rstrip() for name, value in header.items())]
    lines += [_HELP, _FENCE]
    return "\n".join([*lines, "", observation.content]) + "\n"


def _has_level(observation: Observation) -> bool:
    """Return whether the header has the level: of a new memory; others move by an operation."""
    return bool(observation.level) and not observation.id


def from_text(text: str, observation: Observation) -> dict[str, Any]:
    """Return the fields that an edited text gives another value than `observation` has.

    What the text does not name stays. Raises `InvalidObservation`, naming every mistake and its
    line, for a text that can't be taken apart, or whose content or summary is longer than what is
    kept.
    """
    was = to_text(observation)
    if "\r\n" not in observation.content:  # then it is the editor that wrote them
        text, was = text.replace("\r\n", "\n"), was.replace("\r\n", "\n")
    header, content = _apart(text)
    was_header, was_content = _apart(was)
    mistakes: list[InvalidObservation] = []
    names = (*_FIELDS, "level") if _has_level(observation) else _FIELDS
    had = _named(was_header, names, mistakes)
    fields: dict[str, Any] = {}
    for name, (line, value) in _named(header, names, mistakes).items():
        if value != had[name][1]:
            with _gathering(mistakes):
                fields.update(_field(name, value, line))
    if content != was_content:
        with _gathering(mistakes):
            _check_length("content", content, MAX_CONTENT)
            fields["content"] = content
    if mistakes:
        from store.validation.rules import check_fields  # the first frame needs no rules

        with _gathering(mistakes):
            check_fields(observation._replace(**fields), fields)
    refuse(mistakes)
    return fields


def content_of(text: str) -> str:
    try:
        return _apart(text)[1]
    except InvalidObservation:
        return text.strip()


@contextmanager
def _gathering(mistakes: list[InvalidObservation]) -> Iterator[None]:
    """Adds a refusal to the mistakes, so that the others are found too."""
    try:
        yield
    except InvalidObservation as error:
        mistakes.append(error)


def _written(value: str, *, in_list: bool = False) -> str:
    is_plain = value and value == value.strip() == visible(value) and not value.startswith('"')
    if is_plain and "\n" not in value and not (in_list and "," in value):
        return value
    return json.dumps(value) if value or in_list else ""


def _apart(text: str) -> tuple[list[str], str]:
    """Return the lines of the header, and the content without the blank lines around it."""
    if not text.strip():
        raise InvalidObservation("The text is empty.", "Write what was learned.")
    first, _, rest = text.lstrip("\ufeff").partition("\n")
    if first.strip() != _FENCE:
        raise InvalidObservation(
            "The header is missing.",
            f"Start with a line `{_FENCE}`, then agent, issue and category.",
        )
    lines = rest.split("\n")
    end = next((i for i, line in enumerate(lines) if line.strip() == _FENCE), None)
    if end is None:
        raise InvalidObservation("The header is not closed.", f"Close it with a line `{_FENCE}`.")
    return lines[:end], "\n".join(lines[end + 1 :]).strip("\n")


def _named(
    header: list[str], names: Sequence[str], mistakes: list[InvalidObservation]
) -> dict[str, tuple[int, str]]:
    """The line and the written value of each field; where one is given twice, the last holds."""
    named: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(header, start=2):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon and name in names:
            named[name] = number, value.strip()
        else:
            mistakes.append(
                InvalidObservation(
                    f"Line {number} of the header is not valid: {line.strip()!r}.",
                    f"Write `name: value`; names are {', '.join(names)}.",
                )
            )
    return named


def _field(name: str, value: str, line: int) -> dict[str, Any]:
    match name:
        case "issue":
            if (number := issue_named(value)) is None:
                raise InvalidObservation(
                    f"Line {line}: issue {value!r} is not a number.",
                    "Use 0 for the whole project.",
                )
            return {"issue_number": number}
        case "tags":
            tags = (_read(found, line) for found in _TAG.findall(value))
            return {"tags": tuple(dict.fromkeys(tag.lstrip("#") for tag in tags if tag))}
        case "summary":
            summary = _read(value, line)
            _check_length("summary", summary, MAX_SUMMARY)
            return {"summary": summary}
        case _:
            return {name: _read(value, line)}


def _read(written: str, line: int) -> str:
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written))
    except ValueError:
        raise InvalidObservation(
            f"Line {line}: {written} needs one closing quotation mark.",
            'Write a quotation mark inside as \\".',
        ) from None


def _check_length(name: str, text: str, most: int) -> None:
    """Refuse what the store would cut: nothing that a person wrote goes without a word."""
    if len(text) > most:
        raise InvalidObservation(
            f"The {name} has {len(text):,} characters; the limit is {most:,}.",
            "Shorten it, or split it into two memories.",
        )


def plan_flag(memory: Memory, ids: Sequence[str], flag: Flag, *, on: bool) -> Plan:
    """Return a plan that pins or mutes observations, or takes that back."""
    return memory.plan.edit(ids, {flag: on}, _KINDS[flag, on])
