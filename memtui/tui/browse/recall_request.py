"""The recall that a query asks for: that of the one agent or issue which is chosen in it."""

from __future__ import annotations

from memtui.tui.browse import query_text
from store.model import issue_named
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest


def request_at(query: str, budget: int) -> RecallRequest:
    """The recall for the one agent and the one issue that a query asks for."""
    agents = query_text.chosen(query, "agent")
    issues = [
        issue for issue in map(issue_named, query_text.chosen(query, "issue")) if issue is not None
    ]
    agent = agents[0] if len(agents) == 1 else None
    issue = issues[0] if len(issues) == 1 else None
    return RecallRequest(agent, issue, budget=budget, profile=next(iter(PROFILES)))


def asks_for_others(query: str) -> bool:
    """True if a query chooses an agent or an issue: then not the next session is asked for."""
    return any(query_text.chosen(query, field) for field in ("agent", "issue"))
