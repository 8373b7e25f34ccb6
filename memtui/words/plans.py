"""A plan in words and marks: `+` added, `-` removed, `~` changed, `>` archived, `<` restored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from memtui.words.fields import field_in_words, field_name
from memtui.words.notices import sentence
from memtui.words.sentences import title
from store.backends.text_kinds import TextKind
from store.doctor.findings import Examination, Finding
from store.drift.kept import ANCHOR
from store.model import Layout
from store.operations.diff import Effect, FieldDiff, RecordDiff, record_diffs
from store.operations.plan import Plan
from store.operations.proposals import proposal_summary
from store.platform.json_fields import mapping
from store.records import cut_line

MARKS: Mapping[Effect, tuple[str, str]] = MappingProxyType(
    {
        Effect.ADDED: ("+", "new"),
        Effect.REMOVED: ("-", "removed"),
        Effect.CHANGED: ("~", ""),
        Effect.ARCHIVED: (">", "archived"),
        Effect.RESTORED: ("<", "restored"),
        Effect.FORGOTTEN: ("·", "deleted for good"),
    }
)
"""The mark and the words of what becomes of a record."""
_LAYOUTS = MappingProxyType(
    {Layout.PER_ISSUE: "issue-N.json", Layout.EACH: "issue-N/<id>.json, which AgentX can't read"}
)
"""What files there are in a layout."""
_TRASH, _CUT = ".vault/memtui/trash/", ".json.new"
"""The folder of what a vault removed, and the ending of a conversation that was cut."""
_LONG = 400
"""Characters of a value that are shown."""


def plan_text(plan: Plan) -> str:
    if plan.is_empty:
        return f"{title(plan.action)}: nothing to do."
    lines = [title(plan.action), *(f"  {sentence(note)}" for note in plan.notes), ""]
    moves = (move_in_words(move.source, move.target) for move in plan.moves)
    lines += [f"{mark} {words}" for mark, words in moves]
    for record in record_diffs(plan):
        lines += _record_lines(record)
    lines += [f"{mark} {words}" for mark, words in text_changes(plan)]
    return "\n".join(lines).rstrip() + "\n"


def move_in_words(source: str, target: str) -> tuple[str, str]:
    """The mark and the words of a file that moves: into a vault's trash, or anywhere else."""
    if source.endswith(_CUT):
        return "~", f"cut {target} to its last messages"
    if target.endswith(_CUT):
        return "~", f"put back what was cut from {source}"
    if target.startswith(_TRASH):
        return "-", f"{source}, kept for 30 days in {_TRASH}"
    if source.startswith(_TRASH):
        return "+", f"{target}, from {_TRASH}"
    return ">", f"move {source} to {target}"


def text_changes(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield mark and words of a plan's changes other than records: texts, and the layout."""
    if plan.layout is not None:
        yield "~", f"{_LAYOUTS[plan.layout.before]} → {_LAYOUTS[plan.layout.after]}"
    for text in plan.texts:
        if text.kind is not TextKind.INBOX:
            yield _mark(text.before, text.after), text.path
        elif not plan.changes:  # which are what waited
            words = proposal_summary(text)
            yield _mark(text.before, text.after), f"in the inbox: {words}"
    for line in plan.lines:
        yield "+" if line.is_added else "-", f"{line.path}: {line.text}"
    for file in plan.files:
        words = cut_line(file.after or file.before or "", _LONG)
        place = "approved: " if file.approved_in else ""
        yield _mark(file.before or None, file.after or None), f"{place}{file.name}: {words}"
    for change in plan.clarifications:
        record = change.after or change.before or {}
        status = f", {change.after.get('status')}" if change.after else ""
        yield _mark(change.before, change.after), f"{change.id} {record.get('topic', '')}{status}"


def _mark(before: object, after: object) -> str:
    return "+" if before is None else "-" if after is None else "~"


def finding_text(finding: Finding) -> str:
    """Return what the doctor found, and at which level where there are several."""
    text = sentence(finding.notice)
    return f"{finding.level}: {text}" if finding.level else text


def repair_text(found: Examination) -> str:
    lines = [] if found.plan.is_empty else [plan_text(found.plan).rstrip()]
    return "\n".join([*(f"{mark} {words}" for mark, words in other_changes(found)), *lines])


def other_changes(found: Examination) -> Iterator[tuple[str, str]]:
    """Yield mark and words of what a repair does besides its plan."""
    for name in found.merges:
        yield "~", f"merge {name}"
    for name in found.traces:
        yield "~", f"redact secrets in {name}"
    if found.rebuild_manifest:
        yield "+", "rebuild manifest.json"
    if found.rebuild_index:
        yield "+", "rebuild the search index"


def values_of(field: FieldDiff) -> Iterator[tuple[str, str]]:
    """Yield a sign and a value in one line: what goes, what comes."""
    if field.before is not None:
        yield "-", "(a secret, not shown)" if field.secret else _in_one_line(field, field.before)
    if field.after is not None:
        yield "+", _in_one_line(field, field.after)


def _in_one_line(field: FieldDiff, value: object) -> str:
    if field.name == ANCHOR:
        return ", ".join(filter(None, mapping(value))) or "its commit"
    text = field_in_words(value).replace("\n", "\\n")
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _record_lines(record: RecordDiff) -> Iterator[str]:
    mark, words = MARKS[record.effect]
    yield f"{mark} #{record.issue} {record.id}" + (f" ({words})" if words else "")
    if record.effect is not Effect.FORGOTTEN:
        yield f"    {record.category} · {record.agent} · {record.summary}"
    for field in record.fields:
        for sign, value in values_of(field):
            yield f"    {sign} {field_name(field.name)}: {value}"
