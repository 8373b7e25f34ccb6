"""The commands by which a project is checked, as they worked: one memory, kept current.

Test, one test, lint, format, types, build, deploy: of each kind the last command that succeeded,
without what belongs to one occasion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from store.agents.checks import general_form, has_failed, kind_of
from store.agents.session import Step
from store.agents.shell import commands_in
from store.agents.tools import command_of
from store.capture.candidate import Candidate
from store.capture.work import Reading
from store.model import Category
from store.text.shortening import shorten

_OBVIOUS = re.compile(
    r"(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint|format|check)|make|gofmt -l \S+"
    r"|(?:python3? -m )?pytest(?: <path>)?"
    r"|(?:npx )?tsc --noEmit|cargo (?:build|check|test|clippy|fmt)(?: (?:--?\w[\w-]*|<name>))*"
    r"|go (?:build|test|vet)(?: (?:-v|-race|-o|-count=\d+|-run <name>|\./\.\.\.|<path>))*)"
)
"""What anybody tries first: it says nothing of the project."""
_OPENING, _BETWEEN = "Commands that worked here: ", "; "
_COMMAND = re.compile(
    r"(?P<kind>[a-z][a-z ]{0,40}): `(?P<command>[^`]+)`(?P<place>(?: in `[^`]+`)?)"
)
_VALUE = re.compile(r"(?<=\w)=(?=\w)")
_ANY = re.compile(r"<(?:path|name|file)>|\d+\w?$")
"""What differs from one occasion to the next: a path, the name of a test, how often, how long."""
_MOST_COMMANDS = 12
"""More than so many are no longer one thing to read; what holds them stays as it is."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield one procedure of the commands that worked."""
    found: dict[str, tuple[str, Step]] = {}
    for step in reading.session.steps:
        if step.result is None or step.call.aside or has_failed(step):
            continue
        for folder, command in commands_in(command_of(step.call)):
            kind, general = kind_of(command), general_form(command)
            own = reading.own_path(f"{folder}/x")[:-2] if folder else ""
            place = f" in `{own}`" if own else ""
            is_obvious = not place and _OBVIOUS.fullmatch(general)
            if kind and not is_obvious:
                found[kind] = (f"{kind}: `{general}`{place}", step)
    if not found:
        return
    steps = [step for _, step in found.values()]
    last = max(steps, key=lambda step: step.call.line)
    text = _OPENING + _BETWEEN.join(text for text, _ in found.values())
    passage = shorten("\n".join(command_of(step.call) for step in steps), 400)
    made = reading.from_step(last, Category.PROCEDURE, text)
    yield made._replace(passage=passage, marks=reading.session.marks(steps))


def together(fresh: str, held: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return a procedure with the commands of those `held` too, and the ids that it replaces.

    `held` are texts by id, older first. Each command of theirs is kept, unless a later one differs
    from it in its options alone. What was edited by hand is left as it is.
    """
    commands = {_subject(command): command for command in commands_of(fresh)}
    replaced: list[str] = []
    for id_, text in reversed(list(held.items())):
        its_commands = commands_of(text)
        wider = {_subject(command): command for command in its_commands} | commands
        if its_commands and len(wider) <= _MOST_COMMANDS:
            commands = wider
            replaced.append(id_)
    return _OPENING + _BETWEEN.join(commands.values()), tuple(replaced)


def commands_of(text: str) -> tuple[str, ...]:
    """Return the commands of a procedure that this finder made; none of any other text."""
    found = tuple(match.group() for match in _COMMAND.finditer(text.removeprefix(_OPENING)))
    return found if text == _OPENING + _BETWEEN.join(found) else ()


def _subject(command: str) -> tuple[str, frozenset[str], str]:
    """What a command is for: its kind, its words in any order, without options, and its place."""
    match = _COMMAND.fullmatch(command)
    if match is None:
        return command, frozenset(), ""
    words = _VALUE.sub(" ", match["command"]).split()
    kept = frozenset(word for word in words if not word.startswith("-") and not _ANY.match(word))
    return match["kind"], kept, match["place"]
