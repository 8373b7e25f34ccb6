"""Recipes: what an answer says to run, in a block of code, with the words that lead to it."""

from __future__ import annotations

import re

from store.capture.candidate import shorten
from store.capture.text.prose import plain, sentences
from store.text.regex import regex

_BLOCK = regex(
    r"^(?P<lead>[^\n`]{1,40}[^\n]{0,260}:)[ \t]*\n{1,3}[ \t]*```"
    r"(?:bash|sh|shell|console|zsh)?[ \t]*\n"
    r"(?P<lines>(?:(?![ \t]*```)[^\n]*\n){1,6})[ \t]*```",
    re.M,
)
_LEADS = regex(
    r"\b(?:to|fix(?:es)?|recover\w*|repair\w*|publish\w*|deploy\w*|one-?off|manual(?:ly)?|unblocks?"
    r"|work ?around|instead)\b",
    re.I,
)
_COMMAND = regex(r"(?:\$ )?(?:sudo )?(?:[A-Z_]+=\S+ )*[a-z./~][\w./~-]*(?: \S|$)")
_OF_GIT = regex(r"git (?:add|commit|push origin|show|status|diff|log)\b")
_OF_ANY, _LONGEST = 3, 300
"""Lines of a recipe, and its characters."""


def recipe_in(text: str) -> str:
    """The first commands that a message says to run for something, with what they are for."""
    for block in _BLOCK.finditer(text):
        lead = [*sentences(block["lead"].rstrip(":") + ".")][-1:]
        lines = [line for line in map(str.strip, block["lines"].split("\n")) if line]
        lines = [line.removeprefix("$ ") for line in lines if not line.startswith("#")]
        if not lead or not _LEADS.search(lead[0]) or not _are_commands(lines):
            continue
        commands = " && ".join(_joined(lines))
        return f"{plain(lead[0]).rstrip('.')}: `{commands}`" if len(commands) <= _LONGEST else ""
    return ""


def _joined(lines: list[str]) -> list[str]:
    """The commands of lines that a backslash may go on from."""
    return [shorten(each, _LONGEST) for each in "\n".join(lines).replace("\\\n", "").split("\n")]


def _are_commands(lines: list[str]) -> bool:
    whole = _joined(lines)
    if not 0 < len(whole) <= _OF_ANY or any("`" in each for each in whole):
        return False
    return all(_COMMAND.match(line) for line in whole) and not any(map(_OF_GIT.match, whole))
