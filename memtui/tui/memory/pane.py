"""The selected observation: what was learned, by whom, when, and where it came from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.formatting import dated, plural
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import key_in_use
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.theme import LEVEL_MARKS, color_of, mark_of
from memtui.tui.widgets.text_pane import TextPane
from memtui.words.drift import drift_words
from memtui.words.usage import usage_words
from store.errors import NotFound
from store.model import Hit, Observation, SearchResult
from store.text.display import visible, visible_line

if TYPE_CHECKING:
    from store import Memory
    from store.drift.verdicts import Drift
    from store.search.highlight import Marks
    from store.usage.kept import KeptSessions

_MARKDOWN = (
    (r"(?m)^#{1,6} .*$", "bold"),
    (r"\*\*[^*\n]+\*\*", "bold"),
    (r"`[^`\n]+`", "$category-key-fact"),
    (r"(?m)^[ \t]*(?:[-*+]|\d+\.)(?= )", "$accent-text"),
    (r"(?m)^[ \t]*```.*$", "$dim"),
    (r"(?m)^> .*$", "italic"),
)
"""Patterns and styles; compiled with the first memory that is shown, after the first frame."""


_NO_BREAK = "\u00a0"
GONE = Content.styled("This memory is no longer in the store.", "$dim")


def read_observation(
    memory: Memory, hit: Hit, found: SearchResult | None = None
) -> tuple[Observation, Marks, Drift, KeptSessions] | None:
    """Return the whole observation of a row, where the words that found it are in it, what became
    of the code that it names, and what sessions did with it; None where it is gone.
    """
    try:
        observation = memory.get_redacted(hit.entry.id, fresh=False)
    except NotFound:
        return None
    query, near = (found.query, found.near) if found is not None else ("", ())
    drift = memory.drift.verdicts().of(observation)
    marks = memory.highlights(observation.content, query, near)
    return observation, marks, drift, memory.known_usage()


def is_offered_as_mine(memory: Memory, observation: Observation) -> bool:
    """Return whether a memory is a rule that may hold in all of the user's projects."""
    if not observation.extra:  # as of most
        return False
    from store.backends.user_data import project_root  # not for the first frame
    from store.capture.general import is_for_all_projects

    return is_for_all_projects(observation, project_root(memory.path).name)


class ObservationView(TextPane):
    """A pane that reads the observation under the cursor of the results."""

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._shown = ""
        self._read, self._is_offered = Paragraph(Content("")), False

    def on_mount(self) -> None:
        self.set_title("Memory")

    @exclusive_worker(group="read")
    async def read(self, memory: Memory, hit: Hit | None, found: SearchResult | None) -> None:
        """Read and show the observation of a row, if any; `found` is the answer it is of."""
        if hit is None:
            self._shown, self._is_offered = "", False
            self.show([], from_top=True)
            return
        read = await ask(read_observation, memory, hit, found)
        self._read = Paragraph(GONE if read is None else whole(hit, *read, self._now()))
        self._is_offered = read is not None and await ask(is_offered_as_mine, memory, read[0])
        self._show_read(from_top=hit.entry.id != self._shown)
        self._shown = hit.entry.id

    def _show_read(self, *, from_top: bool) -> None:
        shown = [self._read]
        if self._is_offered and (key := key_in_use(self.app, "memory.level")):
            offer = f"This rule names nothing of the project: {key} makes it yours in all."
            shown += [BLANK, plain(offer, "$accent-text")]
        self.show(shown, from_top=from_top)

    def follow_focus(self) -> None:
        """Offer the key that works now: in the search box none does."""
        if self._is_offered:
            self._show_read(from_top=False)


def title(hit: Hit) -> Content:
    return highlighted(hit.entry.summary, hit.summary_marks).stylize_before("bold")


def facts(entry: Observation, now: datetime) -> Content:
    """One line: category, agent, issue, time and what is special."""
    parts = [
        Content.styled(
            f"{mark_of(entry.category)} {visible_line(entry.category)}",
            color_of(entry.category),
        ),
        Content(visible_line(entry.agent)),
        Content(f"#{entry.issue_number}"),
        Content(dated(entry.timestamp, now)),
    ]
    if entry.level in LEVEL_MARKS:
        parts.append(Content(f"{LEVEL_MARKS[entry.level]} {entry.level}"))
    parts += [Content.styled(word, "$accent-text") for word in states(entry)]
    whole_parts = [Content(part.plain.replace(" ", _NO_BREAK), list(part.spans)) for part in parts]
    return Content.styled(" · ", "$dim").join(whole_parts)


def facts_and_drift(entry: Observation, drift: Drift, now: datetime) -> Content:
    """Return the facts, and in a line of its own how a memory no longer fits the code."""
    if not drift.is_drifted:
        return facts(entry, now)
    words = Content.styled(f"{drift_words(drift, now)} · Z repairs", "$text-warning")
    return Content("\n").join([facts(entry, now), words])


def states(entry: Observation) -> list[str]:
    found = [
        word
        for word, holds in (
            ("archived", entry.archived),
            ("pinned", entry.pinned),
            ("muted", entry.muted),
        )
        if holds
    ]
    if entry.category == "task":
        found.append("done" if "done" in entry.tags else "open")
    return found


def whole(
    hit: Hit,
    observation: Observation,
    marks: Marks,
    drift: Drift,
    usage: KeptSessions,
    now: datetime,
) -> Content:
    """Summary or first line, facts, what became of its code, the rest of the content, a last line
    with id and use.
    """
    footer = [visible_line(observation.id)]
    if observation.tags:
        footer.append(" ".join(f"#{visible_line(tag)}" for tag in observation.tags))
    if observation.recall_count:
        footer.append(f"recalled {plural(observation.recall_count, 'time')}")
    if used := usage_words(usage.counts.get(observation.id)):
        footer.append(used)
    content = highlighted(observation.content, marks)
    first = observation.content.partition("\n")[0]
    if has_summary_first(observation):
        heading, rest = content[: len(first)].stylize_before("bold"), content[len(first) + 1 :]
    else:
        heading, rest = title(hit), content
    parts = [heading + "\n" + facts_and_drift(observation, drift, now)]
    if rest.plain.strip():
        parts.append(rest)
    parts.append(Content.styled(" · ".join(footer), "$dim"))
    return Content("\n\n").join(parts)


def has_summary_first(observation: Observation) -> bool:
    """True if the content begins with the summary, which is often its first line, shortened."""
    first = observation.content.partition("\n")[0].strip()
    return first.startswith(observation.summary.strip().removesuffix("…").rstrip())


def highlighted(text: str, marks: Marks) -> Content:
    """Content with light Markdown colouring; what is written stays as it is written."""
    content = Content(visible(text))
    for pattern, style in _MARKDOWN:
        content = content.highlight_regex(pattern, style=style)
    for start, end in marks:
        content = content.stylize("bold $accent-text underline", start, end)
    return content
