"""`memtui clarify`: clarifications between agents, asked, answered and settled."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from memtui.cli.memory import find_memory, memory_or_new, opened_at
from memtui.cli.options import dir_option, json_option, never_asks_option
from memtui.cli.output import note, one_line, paint, print_json, print_line, source_of_command
from memtui.cli.plans import report
from memtui.streams import read_standard_input
from memtui.words.clarifications import due_in_words, heading, rounds, state_in_words, thread_lines
from memtui.words.plans import plan_text
from store.clarifications.model import Clarification, Ledgers
from store.clarifications.records import clarification_record
from store.clarifications.rules import Question
from store.errors import StoreError
from store.memory import Memory
from store.text.display import visible

Saying = Callable[[Memory, str, str, str], Clarification]

F = TypeVar("F", bound=Callable[..., Any])

_EPILOG = """\b
Examples:
  memtui clarify --issue 29
  memtui clarify ask --issue 29 --from engineer --to architect --topic "API contract" \\
      --blocking "Which status for a missing record?"
  memtui clarify answer CLR-29-001 --from architect "404, with the problem document."
  memtui clarify resolve CLR-29-001 --from engineer
  memtui clarify decision CLR-29-001     add the outcome as a memory

\b
Workflows (.agentx/workflows/*.toml) set whom an agent may ask: can_clarify, clarify_max_rounds,
clarify_sla_minutes, clarify_blocking_allowed. A clarification goes to a person
after 5 rounds if it blocks, 6 otherwise, after two missed time limits, or when answers repeat.
"""


@click.group(invoke_without_command=True, epilog=_EPILOG)
@click.option("--issue", type=int, help="Only this issue.")
@json_option
@dir_option
@click.pass_context
def clarify_command(context: click.Context, issue: int | None, as_json: bool) -> None:
    """Show clarifications between agents, unanswered first.

    First asks overdue ones again or escalates them, and resolves deadlocks.
    """
    if context.invoked_subcommand is not None:
        return
    with opened_at(memory_or_new(adding=False)) as memory:
        _watch(memory)
        found = memory.clarifications.read(issue)
    if not found.open_first:
        find_memory()  # ledgers need no memory; without either, this raises
    for problem in found.problems:
        note(one_line(f"{problem.path}: {problem.message}"))
    if as_json:
        print_json([clarification_record(item) for item in found.open_first])
        return
    _print(found, datetime.now(UTC).astimezone())


def _speaker(command: F) -> F:
    return click.option(
        "--from",
        "by",
        required=True,
        envvar="MEMTUI_AGENT",
        help="Agent that asks or answers (or set MEMTUI_AGENT).",
    )(command)


@clarify_command.command()
@click.option("--issue", type=int, required=True, help="Issue number.")
@_speaker
@click.option("--to", required=True, help="Agent to ask.")
@click.option("--topic", required=True, help="Topic; each topic has its own thread.")
@click.option("--blocking", is_flag=True, help="The asking agent can't continue without an answer.")
@click.argument("question")
@never_asks_option
@json_option
@dir_option
def ask(
    issue: int, by: str, to: str, topic: str, blocking: bool, question: str, as_json: bool
) -> None:
    """Ask an agent QUESTION (- reads standard input) and print its id.

    If the two agents have an open thread on this topic, this is its next round.
    """
    asked = Question(by, to, topic, _body(question), blocking)
    _carry_out(lambda memory: memory.clarifications.ask(issue, asked), as_json=as_json)


def _on_thread(*, needs_text: bool = False) -> Callable[[Saying], click.Command]:
    """Make a command that adds an entry to a thread: its ID, the TEXT, and who speaks."""

    def command_of(say_it: Saying) -> click.Command:
        @clarify_command.command(say_it.__name__, help=say_it.__doc__)
        @click.argument("identifier", metavar="ID")
        @click.argument("text", required=needs_text)
        @_speaker
        @never_asks_option
        @json_option
        @dir_option
        def command(identifier: str, text: str | None, by: str, as_json: bool) -> None:
            body = _body(text or "")
            _carry_out(lambda item: say_it(item, identifier, by, body), as_json=as_json)

        return command

    return command_of


@_on_thread(needs_text=True)
def answer(memory: Memory, identifier: str, by: str, body: str) -> Clarification:
    """Answer a question with TEXT (- reads standard input)."""
    return memory.clarifications.answer(identifier, by, body)


@_on_thread()
def resolve(memory: Memory, identifier: str, by: str, body: str) -> Clarification:
    """Resolve an answered clarification; TEXT says how."""
    return memory.clarifications.resolve(identifier, by, body)


@_on_thread()
def escalate(memory: Memory, identifier: str, by: str, body: str) -> Clarification:
    """Escalate a clarification to a person; TEXT says why. Anyone can then answer."""
    return memory.clarifications.escalate(identifier, by, body)


@_on_thread()
def abandon(memory: Memory, identifier: str, by: str, body: str) -> Clarification:
    """Abandon a clarification that is no longer needed."""
    return memory.clarifications.abandon(identifier, by, body)


@clarify_command.command()
@click.argument("identifier", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Preview the memory; change nothing.")
@never_asks_option
@dir_option
def decision(identifier: str, dry_run: bool) -> None:
    """Add the outcome of a resolved clarification as a decision."""
    with opened_at(memory_or_new()) as memory:
        plan = memory.clarifications.plan_decision(identifier)
        if dry_run:
            print_line(visible(plan_text(plan)).rstrip())
            return
        applied = memory.apply(plan, source=source_of_command())
    for added in applied.added:
        print_line(added)
    report(applied, as_json=False)


def _body(text: str) -> str:
    return read_standard_input() if text == "-" else text


def _carry_out(change: Callable[[Memory], Clarification], *, as_json: bool) -> None:
    """Do what is due, then a change; print its result and how to undo clarification."""
    with opened_at(memory_or_new()) as memory:
        _watch(memory)
        clarification = change(memory)
    if as_json:
        print_json(clarification_record(clarification))
        return
    print_line(one_line(clarification.id))
    note(f"{heading(clarification)}: {state_in_words(clarification, datetime.now(UTC))}.")
    note(f"Undo with `memtui undo {clarification.operation[-4:]}`.")


def _watch(memory: Memory) -> None:
    """Do what is due, with a note on each; a memory that can't be written is shown all the same."""
    if not memory.has_clarifications:
        return
    try:
        for found in memory.clarifications.watch():
            note(due_in_words(found))
    except StoreError as error:
        note(one_line(f"Overdue clarifications were not asked again: {error.message}"))


def _print(found: Ledgers, now: datetime) -> None:
    for number, clarification in enumerate(found.open_first):
        if number:
            print_line("")
        print_line(f"{paint(heading(clarification), bold=True)}")
        print_line(
            paint(f"{state_in_words(clarification, now)} · {rounds(clarification)}", dim=True)
        )
        for line in thread_lines(clarification, now):
            print_line(line)
    if not found.clarifications:
        note("No clarifications.")
