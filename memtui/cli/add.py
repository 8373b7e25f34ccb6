"""`memtui add`: store an observation, or a batch of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import click

from memtui.cli.completed_values import complete_agent, complete_category
from memtui.cli.memory import levels_here, memory_or_new, opened_at
from memtui.cli.options import dir_option, json_option, level_option, never_asks_option
from memtui.cli.output import note, note_all, print_json, print_line, source_of_command
from memtui.formatting import plural, shown_path
from memtui.streams import lines_of, read_standard_input
from memtui.words.notices import sentence
from store.backends.location import own_place
from store.backends.user_data import is_ignored, is_in_user_data
from store.drift.anchors import anchored
from store.errors import InvalidObservation
from store.exchange.long_text import split_observation
from store.memory import Memory
from store.model import MAX_CONTENT, Category, Level, Observation
from store.notice import notice
from store.platform.bounds import load_json
from store.platform.project import project_of
from store.records import FIELD_OF, first_line, parse_time
from store.text.closest_match import nearest

_EPILOG = """\b
Examples:
  memtui add "Retries need the same key" --category lesson --issue 29
  git log -1 --format=%B | memtui add - --category code-change --agent engineer
  memtui add --batch - < memories.jsonl

\b
A batch is JSON lines with the keys of the record on disk:
  {"agent": "engineer", "issueNumber": 29, "category": "decision", "content": "…"}
"""


@click.command(epilog=_EPILOG)
@click.argument("text", required=False)
@click.option(
    "--agent",
    envvar="MEMTUI_AGENT",
    default="user",
    show_default=True,
    shell_complete=complete_agent,
    help="The agent that learned it (or set MEMTUI_AGENT).",
)
@click.option(
    "--issue", type=int, default=0, show_default=True, help="Issue number; 0 for the whole project."
)
@click.option("--category", default="key-fact", show_default=True, shell_complete=complete_category)
@click.option("--tag", "tags", multiple=True, help="A tag; repeat for several.")
@click.option("--pinned", is_flag=True, help="Always inject it.")
@level_option("Level to add to; it begins where there is none yet.")
@click.option(
    "--batch",
    type=click.File(encoding="utf-8", errors="replace"),
    help="Add a batch from a JSON Lines file; - for standard input.",
)
@never_asks_option
@json_option
@dir_option
def add_command(
    text: str | None,
    agent: str,
    issue: int,
    category: str,
    tags: tuple[str, ...],
    pinned: bool,
    level: str | None,
    batch: IO[str] | None,
    as_json: bool,
) -> None:
    """Add TEXT as a memory and print its id; - reads standard input.

    Creates .agentx/memory in the current directory if there is none yet.
    """
    if (text is None) == (batch is None):
        raise click.UsageError("Give one of TEXT (- for standard input) and --batch FILE.")
    if batch is not None:
        name = getattr(batch, "name", "-")
        observations = read_batch(
            lines_of(batch), "standard input" if name in {"-", "<stdin>"} else name
        )
    else:
        content = read_standard_input() if text == "-" else text or ""
        given = {"agent": agent, "issueNumber": issue, "category": category, "content": content}
        project = project_of(Path.cwd())
        given |= {"tags": list(tags), "pinned": pinned}
        observation = observation_of(given, "It")
        if project is not None:
            observation = anchored(observation, project.root, project.origin)
        observations = [observation]
    wanted = [one._replace(level=level or "") for one in _split(observations)]
    with opened_at(levels_here() if level else memory_or_new()) as memory:
        if batch is None:
            _check_category(category, memory)
        report = memory.add(wanted, source=source_of_command())
        held = [memory.get(twin) for twin in report.twins]
        shared = [one for one in held if one.level == Level.TEAM != memory.backend.levels.default]
        levels = sorted({one.level for one in held if one not in shared} - {""})
    if as_json:
        print_json(list(report.ids))
    else:
        for identifier in report.ids:
            print_line(identifier)
    if not observations:
        note("Nothing to add.")
    if level == Level.PROJECT:
        _note_if_shared()
    note_all(report.notices)
    if report.operation_id and not as_json:
        note(f"Undo with `memtui undo {report.operation_id[-4:]}`.")
    if counted := len(held) - len(shared):
        already = f"{plural(counted, 'memory', 'memories')} already stored"
        where = f" ({', '.join(levels)})" if levels else ""
        note(f"{already}{where}, counted {'there ' if where else ''}as seen again.")
    if shared:
        note(f"{plural(len(shared), 'memory', 'memories')} already the team's; nothing was added.")


def _note_if_shared() -> None:
    """Note it where the project's own memory is in files that git would track."""
    place = own_place(levels_here(), Level.PROJECT)
    if isinstance(place, Path) and not is_in_user_data(place) and not is_ignored(place):
        note(f"git does not ignore {shown_path(place)}: `git add` makes it the team's.")
        note("Keep it yours with `memtui move user` or `memtui move untracked`.")


def _split(observations: Sequence[Observation]) -> list[Observation]:
    """Split those that are too long for one memory, with a note. Raises `InvalidObservation`."""
    if not any(_is_long(observation.content, MAX_CONTENT) for observation in observations):
        return list(observations)
    wanted: list[Observation] = []
    for whole in observations:
        parts = [whole]
        if _is_long(whole.content, MAX_CONTENT):
            parts = split_observation(whole, whole.summary or first_line(whole.content))
        wanted += parts
        if len(parts) > 1 and whole.id:
            raise InvalidObservation(
                f"{whole.id} has {len(whole.content):,} characters; a memory holds "
                f"{MAX_CONTENT:,}.",
                "Shorten it, or leave its id out to have it split.",
            )
        if len(parts) > 1:
            note(sentence(notice("split", characters=len(whole.content), memories=len(parts))))
    return wanted


def _is_long(content: object, most: int) -> bool:
    """Return whether a content is too long; what is no text is refused later, by its name."""
    return isinstance(content, str) and len(content) > most


def _check_category(category: str, memory: Memory) -> None:
    """Ask what was meant by a category that nothing has yet and that is spelt much like another.

    Raises `InvalidObservation`.
    """
    if category in list(Category):
        return
    held = memory.stats().by_category
    meant = nearest(category, (*Category, *held))
    if meant and meant != category and not held.get(category):
        raise InvalidObservation(
            f"Unknown category {category!r}.",
            f"Did you mean {meant}? With --batch, any category is accepted.",
        )


def read_batch(lines: Iterable[str], name: str) -> list[Observation]:
    """Return the observations of JSON lines. Raises `InvalidObservation` naming the line."""
    observations = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = load_json(line)
        except ValueError as error:
            raise InvalidObservation(
                f"Line {number} of {name} is not valid JSON: {error}.",
                "Put one JSON object on each line.",
            ) from error
        if not isinstance(record, dict):
            raise InvalidObservation(
                f"Line {number} of {name} is not a JSON object.",
                "Put one JSON object on each line.",
            )
        observations.append(observation_of(record, f"Line {number} of {name}"))
    return observations


def observation_of(record: Mapping[str, Any], where: str) -> Observation:
    """Return the observation of a record; only four keys are required. Raises as `read_batch`."""
    missing = [key for key in ("agent", "issueNumber", "category", "content") if key not in record]
    if missing:
        raise InvalidObservation(
            f"{where} has no {' and no '.join(f'`{key}`' for key in missing)}.",
            "agent, issueNumber, category and content are required.",
        )
    fields = {FIELD_OF[key]: value for key, value in record.items() if key in FIELD_OF}
    extra = {key: value for key, value in record.items() if key not in FIELD_OF}
    for field in ("timestamp", "last_recalled"):
        if field in fields:
            try:
                fields[field] = parse_time(fields[field])
            except (TypeError, ValueError) as error:
                raise InvalidObservation(
                    f"{where}: {fields[field]!r} is not a date and time.",
                    "Write it as 2026-02-27T10:00:00Z.",
                ) from error
    for field in ("tags", "sources"):
        if field in fields:
            fields[field] = _texts(fields[field], f"{where}: {field}")
    return Observation(**fields, extra=extra)


def _texts(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise InvalidObservation(f"{where} must be a list of strings.", 'For example: ["auth", "api"].')
