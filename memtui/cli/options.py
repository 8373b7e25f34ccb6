"""The options and arguments that several commands take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar

import click

from memtui.cli.memory import DIR, find_memory
from store.backends import Location

if TYPE_CHECKING:  # click's types take no parameter when the program runs
    _NumberType = click.ParamType[int]
    _LocationType = click.ParamType[Location]
else:
    _NumberType = _LocationType = click.ParamType

F = TypeVar("F", bound=Callable[..., Any])


class Number(_NumberType):
    """A whole number of at least `min`."""

    name = "number"

    def __init__(self, min: int) -> None:
        self.min = min

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        try:
            number = int(value)
        except ValueError:
            number = self.min - 1
        if number < self.min:
            self.fail(f"{str(value)!r} is not a whole number of at least {self.min}.", param, ctx)
        return number


class LocationType(_LocationType):
    """A path, or the URL of a memory."""

    name = "location"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Location:
        if isinstance(value, str) and value.lower().startswith("memory://"):
            self.fail(
                "Memory at memory:// is lost when the command ends. Give a folder.", param, ctx
            )
        return value if isinstance(value, str) and "://" in value else Path(value)


_NOT_THIS = re.compile(r"-[^-].+|-[^-]", re.DOTALL)
_HIDDEN = "\0"
"""Before a part of the query that begins with a minus, which would be taken for options."""


class QueryCommand(click.Command):
    """A command whose argument `query` may hold words that begin with one minus.

    Its own short options count only as words of their own: `-o FILE`, not `-oFILE`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart. Raises `click.UsageError` for an option there is not."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        short = {name for option in options for name in option.opts}
        given = {name for item in options if not (item.is_flag or item.count) for name in item.opts}
        hidden = [
            f"{_HIDDEN}{each}"
            if _NOT_THIS.fullmatch(each) and each not in short and before not in given
            else each
            for before, each in zip(["", *args], args, strict=False)
        ]
        left = super().parse_args(ctx, hidden)
        query = ctx.params.get("query") or ()
        ctx.params["query"] = tuple(part.removeprefix(_HIDDEN) for part in query)
        return left


FORMATS = ("json-lines", "markdown", "agentx", "vault")
FOLDERS = ("agentx", "vault")
"""Those that are a folder."""
_ALSO: Mapping[str, str] = MappingProxyType({"jsonl": "json-lines", "md": "markdown"})

NAMED = "json-lines (or jsonl), markdown (or md), agentx, vault"
"""For the help of the option."""


class FormatChoice(click.Choice[str]):
    """One of some formats; the ending of a format's files is taken for its name."""

    def __init__(self, names: Sequence[str] = FORMATS) -> None:
        super().__init__(names)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        return super().convert(_ALSO.get(str(value), value), param, ctx)


def complete_category(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    from store.model import Category

    return [str(category) for category in Category if category.startswith(typed)]


def complete_agent(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """Return the agents of the memory that begin so; none where there is no memory to ask.

    Only names that could be stored: a shell runs what it is offered, and files may name an agent
    `$(anything)`.
    """
    from store import open_memory
    from store.errors import StoreError
    from store.validation.rules import AGENT_NAME

    try:
        with ctx.scope(), open_memory(find_memory()) as memory:
            agents = memory.stats().by_agent
    except StoreError:
        # A shell that completes has no place for an error; the command itself will report it.
        return []
    return sorted(
        agent for agent in agents if agent.startswith(typed) and AGENT_NAME.fullmatch(agent)
    )


def complete_setting(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    from store.settings.schema import known_settings

    return [name for name in known_settings() if name.startswith(typed)]


def complete_setting_value(
    ctx: click.Context, _parameter: click.Parameter, typed: str
) -> list[str]:
    """Return the values that begin so of the setting named before, where it takes a few."""
    from store.settings.schema import known_settings

    info = known_settings().get(ctx.params.get("key", ""))
    return [option for option in info.accepts.options if option.startswith(typed)] if info else []


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
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the diff; change nothing.")
never_asks_option = click.option(
    "--yes", "-y", is_flag=True, expose_value=False, help="Accepted: nothing is asked."
)
"""For a command that changes something at once, so that a script may give --yes to every change."""
yes_option = click.option(
    "--yes", "-y", is_flag=True, help="Don't ask; required without a terminal."
)


def _absolute(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    return path.absolute() if path else None


project_option = click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    callback=_absolute,
    help="Use this project's settings instead of yours.",
)
remember_option = click.option(
    "--remember/--no-remember",
    default=None,
    help="Also put down the command /remember, by which the agent stores what its session taught. "
    "Asked for on a terminal.",
)


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
