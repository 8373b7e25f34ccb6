"""The issue a session belongs to, given or read from its branch; the agent that it is named for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from store.redaction.labels import agent_name

AGENT_VARIABLE = "MEMTUI_AGENT"
"""Environment variable that names the agent of a session or command."""
ISSUE_VARIABLES = ("MEMTUI_ISSUE", "AGENTX_ISSUE", "ISSUE_NUMBER")
"""Environment variables that name the issue, the first one first."""

_BRANCH_ISSUE = (
    re.compile(r"(?:^|[/_-])(?:issue|issues|gh|ticket|bug)[-_/#]?(\d{1,7})(?:$|[-_/])", re.I),
    re.compile(
        r"^(?:[\w.-]+/)*(?:feature|feat|fix|bugfix|hotfix|chore|task|docs|refactor|story)"
        r"/#?(\d{1,7})(?:$|[-_/])",
        re.I,
    ),
    re.compile(r"^#?(\d{1,7})(?:$|[-_/](?=[A-Za-z]))"),
    re.compile(r"(?:^|/)[A-Z][A-Z0-9]{1,9}-(\d{1,7})(?:$|[-_/])"),
)


def issue_from_branch(branch: str) -> int:
    """Return the issue a branch's name speaks of (`feature/29-x`, `issue-29`, `ENT-98`), else 0."""
    for pattern in _BRANCH_ISSUE:
        match = pattern.search(branch)
        if match:
            return int(match.group(1))
    return 0


def issue_for(
    *,
    option: int | None = None,
    environ: Mapping[str, str] | None = None,
    hook: Mapping[str, object] | None = None,
    branch: str = "",
) -> int:
    """Return the issue of a session: by option, environment, hook input, branch name, else 0."""
    if option is not None:
        return option
    for name in ISSUE_VARIABLES:
        value = (environ or {}).get(name, "").strip().lstrip("#")
        if value.isdecimal():
            return int(value)
    for key in ("issue", "issue_number", "issueNumber"):
        value = str((hook or {}).get(key, "")).lstrip("#")
        if value.isdecimal():
            return int(value)
    return issue_from_branch(branch)


def agent_from(environ: Mapping[str, str]) -> str:
    """Return the agent that the environment names for what starts there; empty where it names
    none.
    """
    return agent_name(environ.get(AGENT_VARIABLE, "").strip())
