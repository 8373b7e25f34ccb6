"""A plan's diff in colours: what is added, removed, changed, archived and restored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.theme import color_of, mark_of
from memtui.words.fields import field_name
from memtui.words.notices import sentence
from memtui.words.plans import MARKS, move_in_words, text_changes, values_of
from store.operations.diff import Effect, FieldDiff, RecordDiff, count_records, record_diffs
from store.operations.plan import Plan
from store.text.display import visible_line

_MOST = 600
"""Lines that are drawn; of what is beyond them the records are counted."""
_TEXTS = 20
"""Texts that are named, besides the records; of those beyond, how many there are."""
_STYLES = {
    Effect.ADDED: "$text-success",
    Effect.REMOVED: "$text-error",
    Effect.CHANGED: "$accent-text",
    Effect.ARCHIVED: "$text-warning",
    Effect.RESTORED: "$text-success",
    Effect.FORGOTTEN: "$text-error",
}
_SIGN_STYLES = {">": "$text-warning", "+": "$text-success", "-": "$text-error", "~": "$accent-text"}


def diff_paragraphs(plan: Plan, also: Sequence[tuple[str, str]] = ()) -> list[Paragraph]:
    """Changes of a plan; `also` are the marks and words of what is done with it."""
    drawn = [plain(visible_line(sentence(note)), "$text-warning") for note in plan.notes]
    moves = (move_in_words(move.source, move.target) for move in plan.moves)
    for mark, words in (*moves, *also):
        drawn += [BLANK, _marked(mark, _SIGN_STYLES[mark], words)]
    texts = list(text_changes(plan))
    for mark, words in texts[:_TEXTS]:
        drawn += [BLANK, _marked(mark, _SIGN_STYLES[mark], words)]
    if len(texts) > _TEXTS:
        drawn += [BLANK, plain(f"… and {len(texts) - _TEXTS:,} more", "$dim")]
    for number, record in enumerate(record_diffs(plan)):
        if len(drawn) >= _MOST:
            rest = f"… and {count_records(plan) - number:,} more; see all with --dry-run"
            drawn += [BLANK, plain(rest, "$dim")]
            break
        drawn += [BLANK, *_record(record)]
    return drawn[1:] if drawn[:1] == [BLANK] else drawn


def _marked(mark: str, style: str, text: str) -> Paragraph:
    words = Content.assemble((f"{mark} ", f"bold {style}"), visible_line(text))
    return Paragraph(words, hang=2)


def _record(record: RecordDiff) -> Iterator[Paragraph]:
    mark, words = MARKS[record.effect]
    style = _STYLES[record.effect]
    yield Paragraph(
        Content.assemble(
            (f"{mark} ", f"bold {style}"),
            (f"#{record.issue} ", "$dim"),
            visible_line(record.id),
            (f"  {words}" if words else "", style),
        ),
        hang=2,
    )
    if record.effect is Effect.FORGOTTEN:
        return
    category = f"{mark_of(record.category)} {visible_line(record.category)}"
    yield Paragraph(
        Content.assemble(
            (category, color_of(record.category)),
            (f" · {visible_line(record.agent)} · ", "$dim"),
            visible_line(record.summary),
        ),
        indent=2,
        hang=4,
    )
    for field in record.fields:
        yield from _field(field)


def _field(field: FieldDiff) -> Iterator[Paragraph]:
    for sign, value in values_of(field):
        style = _SIGN_STYLES[sign]
        yield Paragraph(
            Content.assemble(
                (f"{sign} ", style),
                (f"{visible_line(field_name(field.name))}: ", "$dim"),
                (visible_line(value), style),
            ),
            indent=2,
            hang=4,
        )
