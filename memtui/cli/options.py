"""The options that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar

import click

from memtui.cli.completed_values import complete_agent
from memtui.cli.memory import DIR
from memtui.cli.parameter_types import LocationType, Number
from store.backends import Location
from store.model import Level

F = TypeVar("F", bound=Callable[..., Any])
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the diff; change nothing.")
never_asks_option = click.option(
    "--yes", "-y", is_flag=True, expose_value=False, help="Accepted: nothing is asked."
)
"""For a command that changes something at once, so that a script may give --yes to every change."""
yes_option = click.option(
    "--yes", "-y", is_flag=True, help="Don't ask; required without a terminal."
)
remember_option = click.option(
    "--remember/--no-remember",
    default=None,
    help="Also put down the command /remember, by which the agent stores what its session taught. "
    "Asked for on a terminal.",
)
_OPTIONS = (
    click.option(
        "--agent", shell_complete=complete_agent, help="Agent of the session. Default: any."
    ),
    click.option("--issue", type=Number(min=0), help="Issue of the session. Default: any."),
    click.option("--task", help="What the session is about; finds relevant memories."),
    click.option("--budget", type=Number(min=0), help="Most tokens the text may take."),
    click.option("--profile", help="Ranking: memtui, agentx, evolving or vault."),
    click.option("--channel", help="Client the text goes to, or text."),
)


def keep_dir(ctx: click.Context, _: click.Parameter, value: Location | None) -> None:
    if value is not None:
        ctx.meta[DIR] = value


dir_option = click.option(
    "--dir",
    type=LocationType(),
    expose_value=False,
    callback=keep_dir,
    help="Memory folder, project or database URL.",
)
"""Gives the command no argument: `memtui.cli.memory` finds the folder in click's context."""


def _absolute(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    return path.absolute() if path else None


project_option = click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    callback=_absolute,
    help="Use this project's settings instead of yours.",
)


def level_option(help: str) -> Callable[[F], F]:
    levels = click.Choice([str(level) for level in Level])
    return click.option("--level", type=levels, help=help)


class FileOptions(NamedTuple):
    """The options of a command that changes a client's file: the user's, or a project's."""

    project: Path | None
    dry_run: bool
    yes: bool


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--project`, `--dry-run` and `--yes`, as its argument `options`."""

    @wraps(command)
    def with_options(project: Path | None, dry_run: bool, yes: bool, **others: object) -> object:
        return command(**others, options=FileOptions(project, dry_run, yes))

    return project_option(dry_run_option(yes_option(with_options)))


class Asked(TypedDict):
    """Options that describe a recall, each None if it is not given."""

    agent: str | None
    issue: int | None
    task: str | None
    budget: int | None
    profile: str | None
    channel: str | None


def request_options(command: F) -> F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Options(NamedTuple):
    """The options of every command that changes memory."""

    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def operation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--dry-run`, `--yes`, `--json` and `--dir`, as its argument `options`."""

    @wraps(command)
    def with_options(dry_run: bool, yes: bool, as_json: bool, **others: object) -> object:
        return command(**others, options=Options(dry_run, yes, as_json))

    dry = click.option("--dry-run", is_flag=True, help="Preview the changes; change nothing.")
    return dry(yes_option(json_option(dir_option(with_options))))
