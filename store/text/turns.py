"""Marks that clients and models write around a turn: in a note they open and close nothing.

A note is put between a client's own tags and in front of a model that was trained on others; one
that carries such a mark could end what is shown as data and begin to speak in another's name.
"""

from __future__ import annotations

import re

_NAMES = (
    "system|assistant|human|user|developer|instructions?|memory|memories|tool|function|invoke|"
    "thinking|(?:start|end)_of_turn|bos|eos|s|environment_context|task-notification|"
    r"(?:system|user|command|local-command|tool|function)[-_][a-z_-]{2,40}|antml:[a-z_]{1,40}"
)
_TAG = (
    rf"<(?=\s{{0,9}}/?\s{{0,9}}(?:{_NAMES})(?:\s[^<>]{{0,200}})?/?>?(?![\w.-])"
    r"|[|\uff5c]|<\s?/?\s?SYS>>)"
)
_BRACKET = r"\[(?=/?INST\])"
_ROLE = r"(?<=\n)([ \t]{0,9}(?:\#{1,6}[ \t]{0,9})?(?:system|assistant|human|user|developer)[ \t]?):"
_MARK = re.compile(rf"{_TAG}|{_BRACKET}|{_ROLE}", re.IGNORECASE)


def defused(text: str) -> str:
    """Return the text with each such mark spelled so that it is none; of the same length.

    A tag's `<` and an `[INST]`'s `[` become `‹`; the colon of a line that begins like another's
    turn (`Human:`) becomes `∶`. What is on the first line follows an id of ours.
    """
    return _MARK.sub(lambda found: f"{found[1]}∶" if found[1] else "‹", text)


def has_turn_mark(text: str) -> bool:
    return _MARK.search(text) is not None
