"""`memtui git diff`: which memories changed between two commits."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from memtui.cli.memory import find_folder
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import note, one_line, paint, print_json, print_line
from memtui.words.fields import field_in_words, field_name
from store.git.diff import diff_memory
from store.merge.changes import MemoryChange, MemoryDiff
from store.model import Level

_EPILOG = """\b
Examples:
  memtui git diff                       changes since the last commit
  memtui git diff main...               changes on this branch since it left main
  memtui git diff v1.0..v1.1 --markdown  Markdown for a pull request
"""
_SIGNS = {
    "added": ("+", "green"),
    "edited": ("~", "yellow"),
    "superseded": ("»", "blue"),
    "archived": (">", "blue"),
    "restored": ("<", "blue"),
    "removed": ("-", "red"),
}
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~!&@])")
"""Characters that Markdown would read as its own."""


@click.command("diff", epilog=_EPILOG)
@click.argument("range_", metavar="[A..B]", required=False, default="")
@click.option("--markdown", is_flag=True, help="Print Markdown for a review.")
@json_option
@dir_option
def diff_command(range_: str, markdown: bool, as_json: bool) -> None:
    """Show memories added, edited, superseded and removed between two commits."""
    found = diff_memory(find_folder(Level.TEAM), range_)
    if as_json:
        print_json(_as_data(found))
    elif markdown:
        for line in _in_markdown(found):
            print_line(line)
    else:
        for change in found.changes:
            for line in _lines(change):
                print_line(line)
        note(f"{_counted(found)}.") if found.changes else note("No changes.")
    for issue in found.unread:
        note(f"#{issue} is left out: one of its files can't be read. Run `memtui doctor`.")


def _counted(found: MemoryDiff) -> str:
    """`2 added, 1 edited · 1,204 → 1,310 tokens`."""
    counts = ", ".join(f"{number:,} {what}" for what, number in found.counted().items())
    tokens = f"{found.tokens_before:,} → {found.tokens_after:,} tokens"
    return f"{counts} · {tokens}" if counts else tokens


def _lines(change: MemoryChange) -> Iterator[str]:
    sign, colour = _SIGNS[change.what]
    by = f"  by {one_line(change.by)}" if change.by else ""
    yield f"{paint(sign, fg=colour)} {_head(change)}  {paint(one_line(change.id), dim=True)}{by}"
    yield from (f"    {line}" for line in _new_text(change))
    for line in _edits(change):
        yield paint(f"    {line}", fg="red" if line.startswith("-") else "green")


def _new_text(change: MemoryChange) -> list[str]:
    """Return the lines of a new memory that has more than its summary: a reviewer reads it all."""
    record = change.after.record if change.after and change.what == "added" else {}
    content = str(record.get("content", ""))
    is_more = " ".join(content.split()) != str(record.get("summary", ""))
    return [one_line(line) for line in content.splitlines() if line.strip()] if is_more else []


def _edits(change: MemoryChange) -> Iterator[str]:
    """Yield what an edit took away and what it put there, each field in whole."""
    fields = change.fields if change.what == "edited" else {}
    for key, values in fields.items():
        if key == "summary" and "content" in fields:
            continue  # stands in the line of the memory
        for sign, value in zip("-+", values, strict=True):
            if value is not None:
                yield f"{sign} {one_line(f'{field_name(key)}: {field_in_words(value)}')}"


def _head(change: MemoryChange) -> str:
    """`#29 decision  engineer  Chose plain files  (8 tokens)`."""
    state = change.after or change.before
    record = state.record if state else {}
    words = [str(record.get(key, "")) for key in ("category", "agent", "summary")]
    issue = state.issue if state else 0
    tokens = record.get("tokens", 0)
    return one_line(f"#{issue} {'  '.join(words)}  ({tokens} tokens)")


def _in_markdown(found: MemoryDiff) -> Iterator[str]:
    yield f"### Memory: {_counted(found)}"
    last = ""
    for change in found.changes:
        if change.what != last:
            last = change.what
            yield f"\n**{last.capitalize()}**\n"
        yield f"- {_escaped(_head(change))}"
        yield from (f"  > {_escaped(line)}" for line in _new_text(change))
        if edits := list(_edits(change)):
            yield from ("  ```diff", *(f"  {line}" for line in edits), "  ```")


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _as_data(found: MemoryDiff) -> dict[str, object]:
    return {
        "tokensBefore": found.tokens_before,
        "tokensAfter": found.tokens_after,
        "changes": [
            {
                "what": str(change.what),
                "id": change.id,
                "by": change.by or None,
                "before": change.before.record if change.before else None,
                "after": change.after.record if change.after else None,
            }
            for change in found.changes
        ],
    }
