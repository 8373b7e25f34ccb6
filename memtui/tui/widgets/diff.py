"""A plan's diff in colours: what is made, what goes, what changes, what moves."""

from __future__ import annotations

import re

from textual.content import Content

from memtui.tui.theme import color_of, mark_of
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from store.text.visible import visible

_MOST = 600
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


def diff_paragraphs(diff: str, title: str = "") -> list[Paragraph]:
    """The text of `store.operations.diff.describe` in colours, without its `title` line."""
    lines = diff.rstrip().split("\n")
    if lines and lines[0] == title:
        lines = lines[1:]
    drawn: list[Paragraph] = []
    for line in lines[:_MOST]:
        if line and not line.startswith("    ") and drawn:
            drawn.append(BLANK)
        if line:
            drawn.append(_paragraph(line))
    if len(lines) > _MOST:
        rest = f"… and {len(lines) - _MOST:,} lines more; the command line's --dry-run shows them"
        drawn += [BLANK, plain(rest, "$dim")]
    return drawn


def _paragraph(line: str) -> Paragraph:
    if match := _RECORD.fullmatch(line):
        style = _STYLES[match["mark"]]
        return Paragraph(
            Content.assemble(
                (f"{match['mark']} ", f"bold {style}"),
                (f"{match['issue']} ", "$dim"),
                visible(match["id"], newlines=False),
                ((match["word"] or "").replace("(", " ").replace(")", ""), style),
            ),
            hang=2,
        )
    if match := _FIELD.fullmatch(line):
        style = _STYLES[match["mark"]]
        return Paragraph(
            Content.assemble(
                (f"{match['mark']} ", style),
                (f"{visible(match['field'], newlines=False)}:", "$dim"),
                (visible(match["value"], newlines=False), style),
            ),
            indent=2,
            hang=4,
        )
    if match := _FACTS.fullmatch(line):
        category = match["category"]
        return Paragraph(
            Content.assemble(
                (f"{mark_of(category)} {visible(category, newlines=False)}", color_of(category)),
                (f" · {visible(match['agent'], newlines=False)} · ", "$dim"),
                visible(match["summary"], newlines=False),
            ),
            indent=2,
            hang=4,
        )
    mark, _, rest = line.partition(" ")
    if mark in _STYLES:
        text = Content.assemble(
            (f"{mark} ", f"bold {_STYLES[mark]}"), visible(rest, newlines=False)
        )
        return Paragraph(text, hang=2)
    return plain(visible(line.strip(), newlines=False), "$text-warning")
