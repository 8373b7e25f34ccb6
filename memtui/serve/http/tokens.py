"""Access tokens: which agent each is for."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from hmac import compare_digest
from pathlib import Path

from store.errors import InvalidSetting, Unreadable
from store.platform.bounds import read_regular

SHORTEST = 20
"""Characters of a token at least: shorter ones can be guessed."""
_LINE = re.compile(rf"(\*|[A-Za-z0-9._-]{{1,64}})[ \t]+([!-~]{{{SHORTEST},500}})")


def read_tokens(path: Path) -> Mapping[str, str]:
    """Return the agent of each token: a file with a line `AGENT TOKEN` each, `*` for any agent.

    Raises `Unreadable` for a file that others can read, is a link, or holds anything else.
    """
    try:
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            raise Unreadable(f"{path} is not a regular file.", "Give the file itself, not a link.")
        if mode & 0o077:
            raise Unreadable(f"{path} can be read by others.", f"Run `chmod 600 {path}`.")
        text = read_regular(path).decode()
    except OSError as error:
        raise Unreadable(f"{path} can't be read: {error.strerror}.", "Check the path.") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is not UTF-8 text.", "Save it as UTF-8.") from error
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise Unreadable(
                f"Line {number} of {path} is not `AGENT TOKEN`.",
                f"Write an agent, a space and a token of at least {SHORTEST} characters.",
            )
        found[match.group(2)] = match.group(1)
    if not found:
        raise Unreadable(f"{path} has no token.", "Write a line `AGENT TOKEN` for each agent.")
    return found


def agent_of(header: str, tokens: Mapping[str, str]) -> str:
    """Return the agent whose token an `Authorization` header has; empty for none.

    Every token is compared, each in constant time.
    """
    scheme, _, given = header.partition(" ")
    candidate = given.strip().encode("utf-8", "replace")
    found = ""
    for token, agent in tokens.items():
        if compare_digest(token.encode(), candidate):
            found = agent
    return found if scheme.lower() == "bearer" else ""


def tokens_of(path: Path | None) -> Mapping[str, str]:
    """Return the tokens of a file. Raises `InvalidSetting` where none is named."""
    if path is None:
        raise InvalidSetting(
            "HTTP needs tokens.", "Give --tokens FILE, with one line `AGENT TOKEN` for each agent."
        )
    return read_tokens(path)
