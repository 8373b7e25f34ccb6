"""The commands of a project in one place: a later procedure takes over what earlier ones say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.text.regex import regex

_OPENING = "Commands that worked here: "
_BETWEEN = "; "
_COMMAND = regex(r"(?P<kind>[a-z][a-z ]{0,40}): `(?P<command>[^`]+)`(?P<place>(?: in `[^`]+`)?)")
_VALUE = regex(r"(?<=\w)=(?=\w)")
_ANY = regex(r"<(?:path|name|file)>|\d+\w?$")
"""What differs from one occasion to the next: a path, the name of a test, how often, how long."""
_MOST_COMMANDS = 12
"""More than so many are no longer one thing to read; what holds them stays as it is."""


def together(fresh: Sequence[str], held: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The text of a procedure of the `fresh` commands, and the ids of the `held` it replaces.

    `held` are texts by id, older first. Each command of theirs stands on, unless a later one
    differs from it in its options alone. What was edited by hand is left as it is.
    """
    commands = {_subject(each): each for each in fresh}
    replaced: list[str] = []
    for id_, text in reversed(list(held.items())):
        told = _commands_of(text)
        wider = {_subject(each): each for each in told} | commands
        if told and len(wider) <= _MOST_COMMANDS:
            commands = wider
            replaced.append(id_)
    return _OPENING + _BETWEEN.join(commands.values()), tuple(replaced)


def adds_commands(text: str, held: str) -> bool:
    """Whether a procedure tells a command that a held one does not, alike as both are."""
    return any(command not in held for command in _commands_of(text))


def _commands_of(text: str) -> tuple[str, ...]:
    """The commands of a procedure; none where it says anything else."""
    told = tuple(match.group() for match in _COMMAND.finditer(text.removeprefix(_OPENING)))
    return told if text == _OPENING + _BETWEEN.join(told) else ()


def _subject(command: str) -> tuple[str, frozenset[str], str]:
    """What a command is for: its kind, its words in any order, without options, and its place."""
    match = _COMMAND.fullmatch(command)
    if match is None:
        return command, frozenset(), ""
    words = _VALUE.sub(" ", match["command"]).split()
    told = frozenset(word for word in words if not word.startswith("-") and not _ANY.match(word))
    return match["kind"], told, match["place"]
