"""`memtui doctor`: what is wrong with a memory, and the repair."""

from __future__ import annotations

import click

from memtui.cli.memory import find_memory, opened_at
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, one_line, paint, print_json, print_line, progress
from memtui.cli.plans import carry_out
from memtui.words.notices import sentence
from memtui.words.plans import finding_text, repair_text
from store.doctor.findings import Examination, Finding

_EPILOG = """\b
Examples:
  memtui doctor                   list problems and repairs
  memtui doctor --repair --dry-run preview the repairs
  memtui doctor --repair          repair them; `memtui undo` reverts it
"""


@click.command(epilog=_EPILOG)
@click.option("--repair", is_flag=True, help="Apply the repairs.")
@click.option("--bring-back", is_flag=True, help="Restore what was stored and is in no file.")
@operation_options
def doctor_command(repair: bool, bring_back: bool, options: Options) -> int:
    """Check memory for problems, all levels of it. Exit code 1 if any are found."""
    with opened_at(find_memory()) as memory:
        if bring_back:
            plan = memory.plan.bring_back()
            carry_out(memory, plan, options)
            return 0
        with progress("Examining memory", "issues") as tell:
            examination = memory.doctor.examine(tell)
        if repair and examination.is_repairable:
            repaired = carry_out(
                memory,
                examination.plan,
                options,
                shown=repair_text(examination),
                apply=lambda: memory.doctor.repair(examination),
            )
            if not repaired:
                return 0
            with progress("Examining memory", "issues") as tell:
                examination = memory.doctor.examine(tell)
            if examination.is_healthy or options.as_json:
                return 0 if examination.is_healthy else 1
            note("Still open:")
        elif repair and not options.as_json and not examination.is_healthy:
            note("None of these can be repaired automatically.")
    if options.as_json:
        print_json([_as_data(finding) for finding in examination.findings])
    else:
        _print(examination)
    return 0 if examination.is_healthy else 1


def _as_data(finding: Finding) -> dict[str, object]:
    return {
        "kind": str(finding.kind),
        "path": finding.path,
        **({"level": finding.level} if finding.level else {}),
        "message": sentence(finding.notice),
        "repair": sentence(finding.repair) if finding.repair else "",
    }


def _print(examination: Examination) -> None:
    for finding in examination.findings:
        mark = paint("✗", fg="red") if finding.is_problem else paint("·", dim=True)
        print_line(f"{mark} {one_line(finding_text(finding))}")
        if finding.repair:
            print_line(paint(f"  repair: {one_line(sentence(finding.repair))}", dim=True))
    if examination.is_healthy:
        print_line("No problems found.")
    elif examination.is_repairable:
        print_line()
        print_line("Run `memtui doctor --repair` to apply these repairs.")
