"""The options that describe a recall, for the commands that show one or what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

import click

from memtui.cli.completion_values import complete_agent
from memtui.cli.number import Number

F = TypeVar("F", bound=Callable[..., Any])


class Asked(TypedDict):
    """What the options say of a recall, each None if it is not given."""

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
    """Give a command the options that `Asked` names."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
