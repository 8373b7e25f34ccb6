"""Code in prose: the paths of files that a text names, and what is between backticks."""

from __future__ import annotations

import re

_EXTENSION = (
    "py|pyi|ts|tsx|js|jsx|mjs|cjs|vue|svelte|go|rs|java|kt|kts|scala|rb|php|cs|fs|swift|cc|cpp"
    "|hpp|sql|sh|bash|zsh|ps1|psm1|html|css|scss|tcss|md|mdx|rst|txt|json|jsonl|toml|yaml|yml|ini"
    "|cfg|conf|env|lock|xml|svg|csv|proto|tf|gradle|mod|sum|ipynb|ex|exs|erl|hs|lua|pl|jl|dart"
)
_PATH = re.compile(
    r"(?<![\w/:.@-])(?:\.{0,2}/)?"
    rf"(?:(?:[\w.@+-]+/){{2,}}[\w.@+-]*\w|(?:[\w.@+-]+/)?[\w@+-][\w.@+-]*\.(?:{_EXTENSION})(?![\w/]))"
)
_MOST_PATHS = 8
REMOVED = " (removed)"
"""What stands behind the path of a file that a session removed."""


def paths_in(text: str, most: int = _MOST_PATHS) -> tuple[str, ...]:
    """Return the first paths of files that a text names, each once, in order."""
    if "/" not in text and text.count(".") == text.count(". ") + text.endswith("."):
        return ()  # full stops only
    found: dict[str, None] = {}
    for word in text.split():
        # No path holds white space, and most words need no closer look.
        if "/" in word or ("." in word and "." in word[:-1]):
            match = _PATH.search(word)
            if match:
                found[match.group().removeprefix("./")] = None
                if len(found) == most:
                    break
    return tuple(found)


def code_spans(text: str) -> tuple[str, ...]:
    """Return the code in a text, between backticks: each once, in order."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, text.split("`")[1::2]))))
