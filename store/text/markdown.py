"""Messages as their writers laid them out: paragraphs, sections by heading, sentences.

Nothing here judges what a sentence means: it only cuts where the writer did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from store.platform.lazy_pattern import lazy_pattern

_CODE_BLOCK = lazy_pattern(r"^[ \t]*+(`{3,}|~{3,}).*?(?:^[ \t]*+\1[`~]*+[ \t]*$|\Z)", re.S | re.M)
_BLANK = lazy_pattern(r"\n[ \t]*\n")
_HEADING = lazy_pattern(r"^ {0,3}(#{1,6})\s+(\S.*?)[\s#:]*$")
_BOLD_HEADING = lazy_pattern(r"^ {0,3}(?:\d{1,2}[.)] )?\*\*([^*\n]{2,80}?):?\*\*:?\s*$")
_BULLET = lazy_pattern(r"^(\s*)(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_NO_PROSE = lazy_pattern(r"^\s*(?:\||>|[-*_=]{3,}\s*$|[│├└┌┐┘┴┬─╭╰])")
_EMPHASIS = lazy_pattern(r"(`[^`\n]*`)|\*\*(.+?)\*\*|(?<!\w)__(?=[^_\n]*\s)(.+?)__(?!\w)")
"""What is in code marks has no markup; a name with two underscores has none either."""
_LOCAL_LINK = lazy_pattern(r"(`[^`\n]*`)|\[([^\]\n]{1,200})\]\((?!https?:)[^()\s]{1,400}\)")
"""A link to a file is shown by its name: where it lies on a disk is private."""
SENTENCE_END = lazy_pattern(r"(?<=[.!?…])[\"')\]]?\s+(?=[^\sa-z])|(?<=[。！？])")
_LONGEST = 2_000
"""Characters of a sentence: of as many a memory is at most."""
_FENCES = ("```", "~~~")
_ENDED = (".", "!", "?", ":", ";", ",", "。", "！", "？", "…")


class Section(NamedTuple):
    """A heading with the prose below it, up to the next heading."""

    heading: str
    text: str
    depth: int


class Passage(NamedTuple):
    """A sentence of a text's prose, without markup, the lines that it takes, from 1, and the
    heading above it.
    """

    text: str
    line: int
    end: int
    heading: str = ""


def without_code(text: str) -> str:
    return _CODE_BLOCK.sub("", text) if "```" in text or "~~~" in text else text


def plain(text: str) -> str:
    """Return a line without emphasis and without the targets of links to files."""
    if "](" in text:
        text = _LOCAL_LINK.sub(lambda found: found[1] or found[2], text)
    if "**" in text or "__" in text:
        text = _EMPHASIS.sub(lambda found: found[1] or found[2] or found[3], text)
    return text.strip()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text's prose, in order; each item of a list ends one."""
    found: list[str] = []
    for line in without_code(text).splitlines():
        if line.strip() and not _NO_PROSE.match(line) and not _HEADING.match(line):
            parts = SENTENCE_END.split(plain(_BULLET.sub("", line)))
            found += [part.strip() for part in parts if part.strip()]
    return found


def passages(text: str) -> Iterator[Passage]:
    """Yield the sentences of a text's prose, each whole where it runs over lines, without code,
    tables, headings and what is too long for a sentence.
    """
    code = _CODE_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
    run, above = list[str](), ""
    for number, line in enumerate((*code.split("\n"), ""), start=1):
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        is_prose = bool(line.strip()) and not _NO_PROSE.match(line) and not heading
        if run and (bullet or not is_prose):
            yield from (
                passage._replace(heading=above) for passage in _passages_of(run, number - len(run))
            )
            run = []
        above = plain(heading[2]) if heading else above
        if is_prose:
            run.append(line[bullet.end() :] if bullet else line.strip())


def _passages_of(lines: Sequence[str], line: int) -> Iterator[Passage]:
    """Yield the sentences of a paragraph's lines, the first of which has this number."""
    joined, at = "\n".join(lines), 0
    for end in (*SENTENCE_END.finditer(joined), None):
        stop = end.start() if end else len(joined)
        piece = joined[at:stop]
        if len(piece) <= _LONGEST and (words := plain(" ".join(piece.split()))):
            above = len(piece) - len(piece.lstrip())
            first = line + piece.count("\n", 0, above)
            yield Passage(words, first, first + piece.strip().count("\n"))
        line += joined.count("\n", at, end.end() if end else stop)
        at = end.end() if end else stop


def paragraphs(text: str) -> Iterator[str]:
    """Yield each paragraph or list of a text as one line, without code, tables and headings, and
    without what only leads to code."""
    blocks = [
        block for block in _BLANK.split(_CODE_BLOCK.sub("\n\n```\n\n", text)) if block.strip()
    ]
    for at, block in enumerate(blocks):
        line = _joined(block)
        leads = line.endswith(":") and "```" in map(str.strip, blocks[at + 1 : at + 2])
        if line.strip("`") and not leads:
            yield line


def whole_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends: the last may have none."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def is_heading(text: str) -> bool:
    return bool(_HEADING.match(text.strip()))


def pieces(text: str) -> list[list[str]]:
    """Cut a text where its writer did: before headings, paragraphs, the outermost items of lists,
    and blank lines. Each piece has its lines; front matter and code stay whole.
    """
    found: list[list[str]] = []
    fence, can_begin = "", True
    for line in whole_lines(text):
        bare, bullet, heading = line.strip(), _BULLET.match(line), _HEADING.match(line)
        begins = can_begin or not bare or heading or (bullet and len(bullet[1]) < 2)
        mark = bare[:3] if bare.startswith(_FENCES) else bare if not found else ""
        if not found or (begins and not fence):
            found.append([])
        found[-1].append(line)
        is_end = bool(fence) and bare.startswith(fence)
        if is_end:
            fence = ""
        elif not fence and mark in (*_FENCES, "---"):
            fence = mark
        can_begin = not bare or bool(heading) or is_end
    return found


def sections(text: str) -> list[Section]:
    """Return the sections of a Markdown text, each with the prose under its own heading."""
    found: list[Section] = []
    heading, depth, lines = "", 0, list[str]()
    for line in (*without_code(text).splitlines(), "# end"):
        marked = _HEADING.match(line)
        bold = None if marked else _BOLD_HEADING.match(line)
        if marked is None and bold is None:
            lines.append(line)
            continue
        if heading:
            found.append(Section(heading, _joined("\n".join(lines)), depth))
        heading = plain(marked[2] if marked else bold[1] if bold else "")
        depth = len(marked[1]) if marked else 7
        lines = []
    return found


def items(text: str) -> list[str]:
    """Return the outermost items of a text's lists, each with all below it in one line."""
    found: list[list[str]] = []
    outermost: int | None = None
    for line in without_code(text).splitlines():
        if not line.strip() or _NO_PROSE.match(line):
            continue
        bullet = _BULLET.match(line)
        indent = len(bullet[1]) if bullet else len(line) - len(line.lstrip())
        outermost = indent if outermost is None else min(outermost, indent)
        if (bullet and indent <= outermost) or not found:
            found.append([])
        found[-1].append(line)
    return [line for lines in found if (line := _joined("\n".join(lines)))]


def _joined(block: str) -> str:
    """Return the lines of a block in one, items of a list apart by a semicolon."""
    joined = ""
    for line in block.splitlines():
        if not line.strip() or _NO_PROSE.match(line) or _HEADING.match(line):
            continue
        bare = plain(_BULLET.sub("", line))
        if joined and _BULLET.match(line) and not joined.endswith(_ENDED):
            joined += ";"
        joined = f"{joined} {bare}".strip()
    return joined
