"""A thread as a conversation: who said what to whom in which round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from textual.content import Content

from memtui.clarifications.text import heading, rounds, speaker, standing
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from store.clarifications.model import Clarification, Entry, EntryType
from store.clarifications.monitor import circles
from store.text.display import visible

_STYLES: Mapping[str, str] = {
    EntryType.QUESTION: "$accent-text",
    EntryType.ANSWER: "$text-success",
    EntryType.ESCALATION: "$text-warning",
}


def thread_paragraphs(it: Clarification, now: datetime) -> list[Paragraph]:
    """What it is about, where it stands, and all that was said; two answers that say the same are
    marked.
    """
    same = circles(it)
    lines = [
        plain(heading(it), "bold"),
        plain(f"{standing(it, now)} · {rounds(it)}", "$dim"),
    ]
    for entry in it.thread:
        lines += [BLANK, *_said(it, entry, now, again=entry in same)]
    return lines


def _said(it: Clarification, entry: Entry, now: datetime, *, again: bool) -> Iterator[Paragraph]:
    style = "$text-warning" if again else _STYLES.get(entry.type, "$dim")
    yield Paragraph(
        Content.assemble(
            (speaker(it, entry, now), style), ("  says the same" if again else "", style)
        ),
        hang=2,
    )
    for line in visible(entry.body).split("\n"):
        yield Paragraph(Content(line), indent=2, hang=2)
