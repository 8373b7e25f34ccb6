"""`memtui show`: one observation in full."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from memtui.cli.completed_values import complete_id
from memtui.cli.memory import opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import note, one_line, paint, print_json, print_line
from memtui.cli.rows import short_id, states
from memtui.formatting import moment, plural
from memtui.words.drift import drift_words
from memtui.words.origins import finder_of, messages_of
from memtui.words.usage import last_use_words, usage_words
from store.backends.user_data import project_root
from store.capture.general import is_for_all_projects
from store.drift.verdicts import Drift
from store.model import SESSION_MARK, Observation
from store.records import to_record
from store.text.display import visible
from store.usage.kept import KeptSessions

_EPILOG = """\b
Examples:
  memtui show a1b2c3
  memtui show obs-engineer-29-1709035200000-a1b2c3 --json
"""


@click.command(epilog=_EPILOG)
@click.argument("identifier", metavar="ID", shell_complete=complete_id)
@json_option
@dir_option
def show_command(identifier: str, as_json: bool) -> None:
    """Show a memory by id, or the unique end of one."""
    with opened() as memory:
        observation = memory.get_redacted(identifier)
        drift = memory.drift.verdicts().drift_of(observation)
        used = _use(memory.known_usage(), observation.id)
        is_general = is_for_all_projects(observation, project_root(memory.path).name)
    if as_json:
        print_json(to_record(observation))
        return
    _print(observation, drift, used)
    if is_general:
        move = f"`memtui move {short_id(observation.id)} --level mine`"
        note(f"This rule names nothing of the project: {move} makes it yours in all.")


def _print(observation: Observation, drift: Drift, used: list[str]) -> None:
    head = (
        paint(one_line(observation.category), bold=True),
        one_line(observation.agent),
        f"#{observation.issue_number}",
        moment(observation.timestamp, datetime.now(UTC).astimezone()),
        plural(len(observation.content), "character"),
    )
    print_line(" · ".join(head))
    print_line()
    print_line(visible(observation.content))
    print_line()
    for line in (*_facts(observation), *_code(drift), *used):
        print_line(paint(line, dim=True))


def _code(drift: Drift) -> list[str]:
    now = datetime.now(UTC).astimezone()
    return [f"code: {drift_words(drift, now)}"] if drift.is_drifted else []


def _use(usage: KeptSessions, identifier: str) -> list[str]:
    used = usage_words(usage.counts.get(identifier))
    last = last_use_words(usage.last_use(identifier))
    return list(filter(None, (used, f"last use: {last}" if last else "")))


def _facts(observation: Observation) -> list[str]:
    facts = states(observation)
    if observation.recall_count:
        facts.append(f"recalled {plural(observation.recall_count, 'time')}")
    if observation.seen_count > 1:
        facts.append(f"seen {plural(observation.seen_count, 'time')}")
    lines = [" · ".join((one_line(observation.id), *facts))]
    for name, values in (
        ("tags", observation.tags),
        ("session", (observation.session_id,) if observation.session_id else ()),
        ("from", list(filter(None, [finder_of(observation.extra)]))),
        ("rests on", messages_of(observation.sources)),
        (
            "sources",
            [source for source in observation.sources if not source.startswith(SESSION_MARK)],
        ),
    ):
        if values:
            lines.append(f"{name}: {', '.join(one_line(value) for value in values)}")
    return lines
