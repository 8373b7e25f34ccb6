"""`memtui told`: all that an agent has in its context at a session's start, and from where."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.completed_values import complete_id
from memtui.cli.memory import folder_named, opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import one_line, paint, print_json, print_line
from memtui.cli.plans import carry_out
from memtui.formatting import aligned, plural
from memtui.hooks.agent_context import read_context
from memtui.words.context import (
    HEADINGS,
    place_of,
    remark,
    source_of,
    tokens_in_words,
    verdict_in_words,
)
from store.agent_context.overlaps import Sentence
from store.agent_context.service import AgentContext
from store.agents.client import Home
from store.errors import InvalidObservation
from store.platform.home import expanded

_EPILOG = """\b
Examples:
  memtui told                     all that the client used here is told
  memtui told --client codex      of another client
  memtui told --json              with the texts, for a script
  memtui told --write a1b2c3      write a memory into the client's instruction file
"""
_SHOWN = 80
"""Characters of a sentence that are shown."""


@click.command(epilog=_EPILOG)
@click.option("--client", help="Client of the session. Default: the one used here.")
@click.option(
    "--write",
    "memory_id",
    metavar="ID",
    shell_complete=complete_id,
    help="Write a memory into the client's instruction file of this project, which tells it then.",
)
@click.option("--to", "file", metavar="FILE", help="Instruction file to write it into.")
@operation_options
def told_command(
    client: str | None, memory_id: str | None, file: str | None, options: Options
) -> None:
    """Show all that an agent is told when a session starts here, part by part.

    Instruction files with their imports, the client's own memory, what skills, sub-agents and
    commands are about, hooks of others, and memtui: what each takes in tokens, what the client's
    limits cut off, what is said twice and what contradicts. What the client's own program says, and
    its tools, are not listed. Without --write it changes nothing.
    """
    if file is not None and memory_id is None:
        raise click.UsageError("--to names the file for --write: give that, too.")
    here = expanded(folder_named() or Path.cwd()).absolute()
    with opened(needs_memory=memory_id is not None) as memory:
        context = read_context(memory, client, here, Home.of_user(), os.environ)
        if memory_id is not None:
            found = memory.get_redacted(memory_id)
            plan = memory.context.plan_instruction(context, found, file or "")
            if plan.is_empty:
                raise InvalidObservation(f"{context.client.title} reads no instruction file.")
            line = plan.lines[0]
            carry_out(memory, plan, options, data={"file": line.path, "line": line.text})
            return
    if options.as_json:
        print_json(_as_data(context))
    else:
        _print(context)


def _print(context: AgentContext) -> None:
    print_line(f"{context.client.title} is told {plural(context.tokens, 'token')} at a start here")
    for category, heading in HEADINGS.items():
        rows = [
            (tokens_in_words(part), one_line(source_of(part)), one_line(remark(part), _SHOWN))
            for part in context.parts
            if part.part.category == category
        ]
        if rows:
            print_line()
            print_line(paint(heading, bold=True))
            for cells in aligned(rows, right=(0,)):
                print_line(f"  {'  '.join(cells)}".rstrip())
    for line in _overlaps(context):
        print_line(line)


def _overlaps(context: AgentContext) -> Iterator[str]:
    for is_repeat, heading in ((True, "Said twice"), (False, "Contradicting")):
        found = [overlap for overlap in context.overlaps if overlap.is_repeat == is_repeat]
        if found:
            yield ""
            yield paint(f"{heading}, {plural(len(found), 'time')}", bold=True)
        for overlap in found:
            for mark, sentence in (
                (" ", overlap.earlier),
                ("=" if is_repeat else "≠", overlap.later),
            ):
                where, text = place_of(context, sentence), one_line(sentence.text, _SHOWN)
                yield f"{mark} {one_line(where)}  {text}"


def _as_data(context: AgentContext) -> dict[str, object]:
    return {
        "client": context.client.name,
        "folder": str(context.folder),
        "tokens": context.tokens,
        "parts": [
            {
                "category": part.category,
                "source": part.name,
                "path": "" if part.path is None else str(part.path),
                "line": part.line,
                "tokens": tokens,
                "leftOut": left_out,
                "loading": str(part.loading),
                "condition": part.condition,
                "importedBy": part.importer,
                "problem": part.problem,
                "text": part.text,
                "rest": part.rest,
            }
            for part, tokens, left_out in context.parts
        ],
        "overlaps": [
            {
                "kind": verdict_in_words(overlap),
                "earlier": _sentence_data(context, overlap.earlier),
                "later": _sentence_data(context, overlap.later),
            }
            for overlap in context.overlaps
        ],
    }


def _sentence_data(context: AgentContext, sentence: Sentence) -> dict[str, object]:
    return {
        "source": context.parts[sentence.part].part.name,
        "line": sentence.line,
        "memory": sentence.memory,
        "text": sentence.text,
    }
