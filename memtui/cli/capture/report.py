"""What `memtui capture` prints: a preview, what was stored, and both as JSON."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from memtui.cli.exits import FAILED
from memtui.cli.output import note, note_all, one_line, paint, print_line
from memtui.formatting import plural
from memtui.settings.programs import programs_at_hand
from memtui.words.notices import sentence
from memtui.words.origins import finder_of
from store.agents.client import SessionFile
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.operations.batch import StoreReport
from store.platform.project import has_run_elsewhere
from store.records import to_record


def print_preview(plan: CapturePlan) -> None:
    for item in plan.kept:
        observation = item.observation
        finder = finder_of(observation.extra)
        found_by = paint(f"  (from: {one_line(finder)})", dim=True) if finder else ""
        category = paint(one_line(observation.category), bold=True)
        print_line(f"+ {category}  {one_line(observation.summary)}{found_by}")
    for skipped in () if plan.sessions else plan.skipped:
        print_line(
            paint(f"- {one_line(skipped.text)}  ({one_line(sentence(skipped.reason))})", dim=True)
        )
    note(_sum(plan, "would be stored"))


def print_captured(plan: CapturePlan, report: StoreReport) -> None:
    for identifier in report.ids:
        print_line(identifier)
    note_all(report.notices)
    note(_sum(plan, "proposed" if report.waiting else "stored"))
    if report.operation_id:
        note(f"Undo with `memtui undo {report.operation_id[-4:]}`.")


def print_where(plan: CapturePlan, memory: Path) -> None:
    if has_run_elsewhere(plan.folder, project_root(memory)):
        note(
            f"The session ran in {plan.folder}, but this memory is {memory}. "
            "Use --dir to change it."
        )


def print_other_programs() -> None:
    if not sys.stderr.isatty():
        return
    if at_hand := next(programs_at_hand(""), None):
        note(
            f"Rules picked these. {at_hand.title} picks better ones: "
            f"--with {shlex.quote(at_hand.command)}"
        )


def _sum(plan: CapturePlan, done: str) -> str:
    if plan.sessions:
        stored = f"{len(plan.kept)} {done} from {plural(len(plan.sessions), 'session')}"
    else:
        stored = f"{len(plan.kept)} {done} under #{plan.issue} for {plan.agent}"
    parts = [stored if plan.kept else "Nothing new found", f"{len(plan.skipped)} skipped"]
    if plan.replaced:
        parts.append(f"{len(plan.replaced)} by rules replaced")
    if plan.left_out:
        parts.append(f"{plural(plan.left_out, 'message')} of long sessions left out")
    if plan.seen_again:
        parts.append(f"{len(plan.seen_again)} seen before")
    if plan.redactions:
        parts.append(f"{plural(len(plan.redactions), 'secret')} redacted")
    if plan.unread_lines:
        parts.append(f"{plural(plan.unread_lines, 'line')} unreadable")
    return ", ".join(parts) + "."


def as_data(plan: CapturePlan, report: StoreReport | None) -> dict[str, object]:
    """Return the plan as JSON; with `ids` where it was carried out."""
    return {
        **_origin(plan),
        "kept": [{**to_record(item.observation), "passage": item.passage} for item in plan.kept],
        "skipped": [
            {
                "text": one.text,
                "reason": sentence(one.reason),
                **({"seen": one.seen} if one.seen else {}),
            }
            for one in plan.skipped
        ],
        "replaced": [entry.id for entry in plan.replaced],
        "leftOut": plan.left_out,
        "redactions": list(plan.redactions),
        "unreadLines": plan.unread_lines,
        **({} if report is None else {"ids": list(report.ids)}),
    }


def _origin(plan: CapturePlan) -> dict[str, object]:
    if plan.sessions:
        named = [{**_origin(session), "path": session.path} for session in plan.sessions]
        return {"sessions": named, "left": list(plan.left)}
    return {
        "issueNumber": plan.issue,
        "agent": plan.agent,
        "sessionId": plan.session_id,
        "folder": plan.folder,
        "branch": plan.branch,
    }


def fail_on_unknown(plan: CapturePlan, chosen: SessionFile | None) -> None:
    """Name the entries of a transcript that its format does not know, and exit with 1."""
    for line in plan.left:
        note(line)
    read = [(session.path, session.unknown) for session in plan.sessions]
    read = read or [(str(chosen.path) if chosen else "standard input", plan.unknown)]
    for name, unknown in read:
        if unknown:
            number = plural(len(unknown), "unknown entry", "unknown entries")
            note(f"{name}: {number} skipped, first: {unknown[0]}.")
    if plan.left or any(unknown for _, unknown in read):
        raise click.exceptions.Exit(FAILED)
