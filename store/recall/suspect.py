"""Content that talks to the model instead of telling a fact: marked, never dropped."""

from __future__ import annotations

import re

from store.text.turns import has_turn_mark

_SUSPECT = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}
        \b(?:previous|prior|above|earlier|preceding|all|any|your|the\ system)\b[^.\n]{0,40}
        \b(?:instructions?|prompts?|rules|guidelines|directives|messages?|context)\b
  | \bignore\ (?:everything|all)\ (?:above|before|previous)
  | \byou\ (?:are|act)\ now\b | \bfrom\ now\ on\ you\b | \bpretend\ (?:to\ be|you\ are)\b
  | \b(?:new|updated|real|actual)\ (?:system\ )?instructions?\s{0,9}:
  | \b(?:reveal|print|repeat|show)\b[^.\n]{0,30}\b(?:system\ prompt|hidden\ instructions)
  | \bdo\ not\ (?:tell|inform|mention\ (?:this|it)\ to|alert)\ the\ user
  | \bwithout\ (?:telling|informing|asking)\ the\ user
  | ^[ \t]*(?:system|assistant|human|user)[ \t]{0,9}:\s
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def is_instruction_to_model(text: str) -> bool:
    """Return whether the text reads like an instruction to the model that will be shown it."""
    return has_turn_mark(text) or _SUSPECT.search(text) is not None
