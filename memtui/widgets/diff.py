"""A plan's diff in colours: what is made, what goes, what changes, what moves."""

from __future__ import annotations

import re

from textual.content import Content

from memtui.theme import color_of, mark_of
from store.text.visible import visible

_MOST = 2_000
"""Lines that are drawn; what is beyond them is counted."""
_STYLES = {
    "+": "$text-success",
    "-": "$text-error",
    "~": "$accent-text",
    ">": "$text-warning",
    "<": "$text-success",
}
_RECORD = re.compile(r"(?P<mark>[-+~<>]) (?P<issue>#\d+) (?P<id>\S+)(?P<word> \(.*\))?")
_FIELD = re.compile(r" {4}(?P<mark>[-+]) (?P<field>[^:]+):(?P<value>.*)", re.DOTALL)
_FACTS = re.compile(r" {4}(?P<category>[^·]+) · (?P<agent>.*?) · (?P<summary>.*)", re.DOTALL)


def diff_content(diff: str, title: str = "") -> Content:
    """The text of `store.operations.diff.describe` in colours, without its `title` line."""
    lines = diff.rstrip().split("\n")
    if lines and lines[0] == title:
        lines = lines[1:]
    while lines and not lines[0]:
        lines = lines[1:]
    drawn = [_line(line) for line in lines[:_MOST]]
    if len(lines) > _MOST:
        rest = f"… and {len(lines) - _MOST:,} lines more, which the command line shows (--dry-run)"
        drawn.append(Content.styled(rest, "$dim"))
    return Content("\n").join(drawn)


def _line(line: str) -> Content:
    if match := _RECORD.fullmatch(line):
        style = _STYLES[match["mark"]]
        return Content.assemble(
            (f"{match['mark']} ", f"bold {style}"),
            (f"{match['issue']} ", "bold"),
            (visible(match["id"], newlines=False), ""),
            ((match["word"] or "").replace("(", "").replace(")", ""), style),
        )
    if match := _FIELD.fullmatch(line):
        style = _STYLES[match["mark"]]
        return Content.assemble(
            (f"    {match['mark']} ", style),
            (f"{visible(match['field'], newlines=False)}:", "$dim"),
            (visible(match["value"], newlines=False), style),
        )
    if match := _FACTS.fullmatch(line):
        category = match["category"]
        return Content.assemble(
            "    ",
            (f"{mark_of(category)} {visible(category, newlines=False)}", color_of(category)),
            (f" · {visible(match['agent'], newlines=False)} · ", "$dim"),
            visible(match["summary"], newlines=False),
        )
    mark, _, rest = line.partition(" ")
    if mark in _STYLES:
        return Content.assemble(
            (f"{mark} ", f"bold {_STYLES[mark]}"), visible(rest, newlines=False)
        )
    return Content.styled(visible(line, newlines=False), "$dim")
