"""`memtui drift`: memories compared with the code that they name, and their repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from shutil import which

import click

from memtui.cli.completed_values import complete_id
from memtui.cli.memory import chosen_ids, opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, one_line, paint, print_json, print_line, progress
from memtui.cli.plans import carry_out, carry_out_on
from memtui.cli.rows import short_id
from memtui.formatting import aligned
from memtui.words.drift import drift_words
from store.drift.verdicts import Drift
from store.errors import InvalidObservation
from store.memory import Memory
from store.model import Observation, Verdict
from store.records import format_time

_EPILOG = """\b
Examples:
  memtui drift                        list memories whose code changed, moved or is gone
  memtui drift --paths                write the new paths of moved files into memories
  memtui drift a1b2c3 --path store/lock.py=store/platform/lock.py
  memtui drift a1b2c3 --holds         it still holds: compare with the code as it is now
  memtui archive --query drift:gone   archive those whose code is gone
"""


@click.command(epilog=_EPILOG)
@click.argument("identifiers", metavar="[ID]...", nargs=-1, shell_complete=complete_id)
@click.option("--query", help="Only memories that match a query.")
@click.option("--paths", is_flag=True, help="Write the new paths of moved files into them.")
@click.option("--path", "new", multiple=True, metavar="OLD=NEW", help="Write a new path into them.")
@click.option("--holds", is_flag=True, help="They still hold: compare with the code as it is now.")
@operation_options
def drift_command(
    identifiers: tuple[str, ...],
    query: str | None,
    paths: bool,
    new: tuple[str, ...],
    holds: bool,
    options: Options,
) -> None:
    """Compare memories with the code that they name: current, moved, changed or gone.

    Files, cited lines and names are compared with what they were when the memory was made, by
    git's history. Nothing is sent anywhere.
    """
    if paths + bool(new) + holds > 1:
        raise click.UsageError("Give one of --paths, --path and --holds.")
    with opened() as memory:
        with progress("Comparing with the code"):
            memory.drift.refresh()
        is_all = not identifiers and query is None
        if not (paths or new or holds):
            ids = () if is_all else chosen_ids(memory, identifiers, query)
            _print(_listed(memory, ids), _obstacle(memory), as_json=options.as_json)
            return
        if paths and is_all:
            moved = memory.drift.verdicts().ids(Verdict.MOVED)
            carry_out(memory, memory.drift.plan_paths(moved), options)
        else:
            ids = chosen_ids(memory, identifiers, query)
            if holds:
                plan, already = memory.drift.plan_holds(ids), "confirmed already"
            else:
                plan = memory.drift.plan_paths(ids, _renamed(new) if new else None)
                already = "without such a path"
            carry_out_on(memory, ids, plan, already, options)
        memory.drift.refresh()  # a search is by what was worked out last


def _renamed(pairs: Sequence[str]) -> Mapping[str, str]:
    renamed: dict[str, str] = {}
    for pair in pairs:
        before, _, after = pair.partition("=")
        if not (before and after):
            raise InvalidObservation(f"{pair!r} is no pair of paths.", "Give --path OLD=NEW.")
        renamed[before] = after
    return renamed


def _listed(memory: Memory, identifiers: Sequence[str]) -> list[tuple[Observation, Drift]]:
    """Return memories with their verdicts, the worst first: those that are named, else all that
    drifted.
    """
    found = memory.drift.verdicts()
    wanted = identifiers or [identifier for identifier, _ in found.drifted()]
    # The index looks at all files once, not for each: of 3,258 that took 6 s.
    memories = (memory.get_redacted(one, fresh=not at) for at, one in enumerate(wanted))
    order = list(Verdict)
    return sorted(
        ((one, found.of(one)) for one in memories),
        key=lambda pair: (order.index(pair[1].verdict), -pair[0].timestamp.timestamp()),
    )


def _obstacle(memory: Memory) -> str:
    """Return why memories can't be compared with the code here; empty where they can."""
    if which("git") is None:
        return "git is not installed"
    return "" if memory.drift.has_history() else "there is no git history here"


def _print(found: Sequence[tuple[Observation, Drift]], obstacle: str, *, as_json: bool) -> None:
    if as_json:
        print_json([_as_data(memory, drift) for memory, drift in found])
        return
    now = datetime.now(UTC).astimezone()
    cells = [
        (short_id(memory.id), str(drift.verdict), one_line(memory.summary, 60))
        for memory, drift in found
    ]
    for row, (_, drift) in zip(aligned(cells), found, strict=True):
        identifier, verdict, summary = row
        print_line(
            f"{paint(identifier, fg='cyan')}  {paint(verdict, bold=True)}  {summary.rstrip()}"
        )
        print_line(paint(f"  {drift_words(drift, now)}", dim=True))
    if obstacle:
        note(f"It is not known whether code changed: {obstacle}.")
    elif not found:
        note("No memory names code that changed, moved or is gone since it was made.")
    elif any(drift.verdict is Verdict.MOVED for _, drift in found):
        print_line()
        print_line("Run `memtui drift --paths` to write the new paths into memories.")


def _as_data(memory: Observation, drift: Drift) -> dict[str, object]:
    since = format_time(datetime.fromtimestamp(drift.time, UTC)) if drift.commit else ""
    return {
        "id": memory.id,
        "verdict": str(drift.verdict),
        "gone": list(drift.gone),
        "moved": [{"from": before, "to": after} for before, after in drift.moved],
        "changed": list(drift.changed),
        "commit": drift.commit,
        "since": since,
        "summary": memory.summary,
    }
