"""The project's workflows in TOML: whom each agent may ask, and within which limits.

`can_clarify`, `clarify_max_rounds`, `clarify_sla_minutes` and `clarify_blocking_allowed` of a
workflow's steps (ADR-1). What can't be read is named, and could mean anything: until it is fixed,
the strictest limits hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from store.clarifications.scope import PIPELINE, SLA, Scope, Workflows, strictest
from store.errors import StoreError
from store.model import Problem
from store.platform.bounds import load_toml
from store.platform.read import read_bytes

_MOST_FILES = 100
_MOST_BYTES = 1_000_000
"""Bytes of all workflows together."""


class _Step(BaseModel):
    """A step of a workflow, as far as it is about questions."""

    model_config = ConfigDict(strict=True)

    agent: str = ""
    can_clarify: list[str] = []
    clarify_max_rounds: int | None = Field(None, ge=1, le=20)
    clarify_sla_minutes: int | None = Field(None, ge=1, le=60 * 24 * 30)
    clarify_blocking_allowed: bool = True


def read_workflows(folder: Path, root: Path) -> Workflows:
    """Return the TOML files of a folder, taken together: an agent may ask whomever any of its steps
    allows, within the tightest limits of all.
    """
    steps: defaultdict[str, list[_Step]] = defaultdict(list)
    unread: list[Problem] = []
    mistakes: list[Problem] = []
    mistaken_agents: dict[str, str] = {}
    room = _MOST_BYTES
    for path in _files(folder, unread):
        name = f"workflows/{path.name}"
        try:
            data = read_bytes(path, root, most=room)
            room -= len(data)
            value = load_toml(data.decode("utf-8"))
        except StoreError as error:
            unread.append(Problem(name, error.message))
            continue
        except (OSError, ValueError) as error:
            unread.append(Problem(name, f"It is not valid TOML: {error}."))
            continue
        for fields in _steps(value):
            step, wrong_keys = _read_step(fields)
            if step.agent:
                steps[step.agent].append(step)
            for key in wrong_keys if step.agent else ():
                mistakes.append(Problem(name, f"`{key}` of {step.agent} can't be understood."))
                mistaken_agents.setdefault(step.agent, name)
    scopes = {agent: _scope(theirs) for agent, theirs in steps.items()}
    scopes |= {agent: strictest(scopes[agent], name) for agent, name in mistaken_agents.items()}
    return Workflows(
        scopes,
        tuple(dict.fromkeys((*steps, *PIPELINE))),
        (*unread, *mistakes),
        unread[0].path if unread else "",
    )


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


def _read_step(fields: Mapping[str, Any]) -> tuple[_Step, list[str]]:
    """Return a step, and the keys whose values are none that they may have: those are left out."""
    try:
        return _Step.model_validate(fields), []
    except ValidationError as error:
        wrong = sorted({str(mistake["loc"][0]) for mistake in error.errors()})
        rest = {key: value for key, value in fields.items() if key not in wrong}
        return _Step.model_validate(rest), wrong


def _scope(steps: Sequence[_Step]) -> Scope:
    rounds = [step.clarify_max_rounds for step in steps if step.clarify_max_rounds]
    minutes = [step.clarify_sla_minutes for step in steps if step.clarify_sla_minutes]
    return Scope(
        can_clarify=frozenset(chain.from_iterable(step.can_clarify for step in steps)),
        max_rounds=min(rounds, default=None),
        sla=timedelta(minutes=min(minutes)) if minutes else SLA,
        blocking_allowed=all(step.clarify_blocking_allowed for step in steps),
    )
