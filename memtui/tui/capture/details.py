"""What stands beside the list of what a session would leave."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from memtui.formatting import age
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from memtui.words.finders import finder_of
from memtui.words.notices import sentence
from store.capture.plan import Captured, Skipped
from store.text.display import visible


def captured_details(row: Captured, now: datetime) -> list[Paragraph]:
    """An observation as it would be stored, and the passage that it comes from."""
    observation = row.observation
    category = observation.category
    facts = [
        observation.agent,
        f"#{observation.issue_number}",
        age(observation.timestamp, now),
    ]
    lines = [
        Paragraph(
            Content.assemble(
                (f"{mark_of(category)} {visible(category, newlines=False)}", color_of(category)),
                (visible(" · ".join(["", *facts]), newlines=False), "$dim"),
            )
        ),
        plain(visible(observation.content)),
    ]
    if finder := finder_of(observation.extra):
        lines.append(plain(f"from: {visible(finder, newlines=False)}", "$dim"))
    if row.passage.strip():
        lines += [BLANK, plain("From the transcript", "bold")]
        passage = row.passage.strip().split("\n")
        lines += [Paragraph(Content.styled(visible(line), "$dim")) for line in passage]
    return lines


def skipped_details(row: Skipped) -> list[Paragraph]:
    """What would not be stored, and why."""
    because = Content.assemble(("Skipped: ", "bold"), visible(sentence(row.reason), newlines=False))
    lines = [Paragraph(because)]
    if row.seen:
        seen = f"{row.seen} says the same; it counts as seen again."
        lines.append(plain(visible(seen, newlines=False), "$dim"))
    return [*lines, BLANK, plain(visible(row.text))]
