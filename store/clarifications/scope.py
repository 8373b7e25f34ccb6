"""Whom an agent may ask, and within which limits: what the project's workflows say in TOML.

`can_clarify`, `clarify_max_rounds`, `clarify_sla_minutes` and `clarify_blocking_allowed` of a
workflow's steps (ADR-1). What can't be read of them is named, and may say anything: meanwhile the
strictest reading of it holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from store.errors import StoreError
from store.model import Problem
from store.platform.bounds import load_toml
from store.platform.read import read_bytes

BLOCKING_ROUNDS, OTHER_ROUNDS = 5, 6
"""Rounds of a blocking and of another clarification, before a person is asked (ADR-1)."""
SLA = timedelta(minutes=30)
"""How long an answer may take where no workflow says so."""
_MOST_ROUNDS = 20
_MOST_MINUTES = 60 * 24 * 30
_MOST_FILES = 100
_MOST_BYTES = 1_000_000
"""Bytes of all workflows together."""
_PIPELINE = (
    "product-manager",
    "pm",
    "ux-designer",
    "ux",
    "architect",
    "solution-architect",
    "data-scientist",
    "engineer",
    "reviewer",
    "devops",
    "devops-engineer",
)
"""The agents of AgentX from upstream to downstream, where no workflow names an order."""


class Scope(NamedTuple):
    """The limits of one asker: `can_clarify` lists the agents that it may ask; None is any.

    `max_rounds` is None where the limit of the seed holds. `unread` is the workflow because of
    which the strictest limits hold.
    """

    can_clarify: frozenset[str] | None = None
    max_rounds: int | None = None
    sla: timedelta = SLA
    blocking_allowed: bool = True
    unread: str = ""

    def rounds(self, *, blocking: bool) -> int:
        """Return the rounds after which a person is asked."""
        return self.max_rounds or (BLOCKING_ROUNDS if blocking else OTHER_ROUNDS)


class Workflows(NamedTuple):
    """The scopes by agent, the agents from upstream to downstream, and what could not be read."""

    scopes: Mapping[str, Scope]
    order: tuple[str, ...] = _PIPELINE
    problems: tuple[Problem, ...] = ()
    unread: str = ""
    """The first that could not be read at all: it may name any agent."""

    def scope(self, agent: str) -> Scope:
        """Return the limits of an agent; the defaults where no workflow names it.

        What can't be read may name any agent, without `can_clarify`, and any limit.
        """
        scope = self.scopes.get(agent, Scope())
        return _strictest(scope, self.unread) if self.unread else scope

    def is_upstream(self, agent: str, other: str) -> bool:
        """Compare the order of two agents in the pipeline; one that nothing names comes last."""
        return self._place(agent) < self._place(other)

    def _place(self, agent: str) -> int:
        return self.order.index(agent) if agent in self.order else len(self.order)


def read_workflows(folder: Path, root: Path) -> Workflows:
    """Return what the TOML files of a folder say, taken together: an agent may ask whom any step
    lets it ask, within the tightest limits of all.
    """
    steps: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    problems: list[Problem] = []
    mistaken_agents: dict[str, str] = {}
    room = _MOST_BYTES
    for path in _files(folder, problems):
        try:
            data = read_bytes(path, root, most=room)
            room -= len(data)
            value = load_toml(data.decode("utf-8"))
        except StoreError as error:
            problems.append(Problem(f"workflows/{path.name}", error.message))
        except (OSError, ValueError) as error:
            problems.append(Problem(f"workflows/{path.name}", f"It is not valid TOML: {error}."))
        else:
            name = f"workflows/{path.name}"
            for step in _steps(value):
                agent = _agent(step)
                steps[agent].append(step)
                for key in _mistakes(step) if agent else ():
                    problems.append(Problem(name, f"`{key}` of {agent} can't be understood."))
                    mistaken_agents.setdefault(agent, name)
    steps.pop("", None)
    named = dict.fromkeys(steps)
    scopes = {name: _scope(each) for name, each in steps.items()}
    rest = (agent for agent in _PIPELINE if agent not in named)
    mistaken = set(mistaken_agents.values())
    unread = next((problem.path for problem in problems if problem.path not in mistaken), "")
    scopes |= {name: _strictest(scopes[name], path) for name, path in mistaken_agents.items()}
    return Workflows(scopes, tuple(chain(named, rest)), tuple(problems), unread)


def _strictest(scope: Scope, unread: str) -> Scope:
    """Return the strictest that a scope may be, where what else is said of it can't be read."""
    asked = scope.can_clarify or frozenset()
    return Scope(asked, 1, scope.sla, blocking_allowed=False, unread=unread)


def _files(folder: Path, problems: list[Problem]) -> list[Path]:
    """Return the workflows of a folder; one that can't be listed is named among the problems."""
    try:
        paths = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(Problem("workflows", f"The folder can't be listed: {error.strerror}."))
        return []
    workflows = [path for path in paths if path.suffix == ".toml"]
    if len(workflows) > _MOST_FILES:
        problems.append(Problem("workflows", f"Only the first {_MOST_FILES} files are read."))
    return workflows[:_MOST_FILES]


def _steps(value: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """Return the steps of a workflow, wherever its dialect keeps them."""
    workflow = value.get("workflow")
    for holder in (value, workflow if isinstance(workflow, dict) else {}):
        for key in ("steps", "step"):
            listed = holder.get(key)
            values = list(listed.values()) if isinstance(listed, dict) else listed
            if isinstance(values, list):
                yield from (value for value in values if isinstance(value, dict))


def _agent(step: Mapping[str, Any]) -> str:
    agent = step.get("agent")
    return agent if isinstance(agent, str) else ""


def _scope(steps: Sequence[Mapping[str, Any]]) -> Scope:
    lists = [step["can_clarify"] for step in steps if isinstance(step.get("can_clarify"), list)]
    names = frozenset(name for name in chain(*lists) if isinstance(name, str))
    rounds = _numbers(steps, "clarify_max_rounds", _MOST_ROUNDS)
    minutes = _numbers(steps, "clarify_sla_minutes", _MOST_MINUTES)
    return Scope(
        can_clarify=names,
        max_rounds=min(rounds, default=None),
        sla=timedelta(minutes=min(minutes)) if minutes else SLA,
        blocking_allowed=all(step.get("clarify_blocking_allowed") is not False for step in steps),
    )


def _mistakes(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a step whose values are none that they may have."""
    asked = step.get("can_clarify", [])
    if not isinstance(asked, list) or not all(
        isinstance(clarification, str) for clarification in asked
    ):
        yield "can_clarify"
    for key, most in (("clarify_max_rounds", _MOST_ROUNDS), ("clarify_sla_minutes", _MOST_MINUTES)):
        if key in step and not _numbers([step], key, most):
            yield key
    if not isinstance(step.get("clarify_blocking_allowed", True), bool):
        yield "clarify_blocking_allowed"


def _numbers(steps: Sequence[Mapping[str, Any]], key: str, most: int) -> list[int]:
    values = (step.get(key) for step in steps)
    return [value for value in values if type(value) is int and 1 <= value <= most]
