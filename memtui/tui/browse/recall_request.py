"""The recall that a query asks for: of its agent and issue, or of the next session."""

from __future__ import annotations

from memtui.tui.browse import query_text
from memtui.tui.frame.routes import NextOf
from store import Memory
from store.backends.user_data import project_root
from store.model import Facets
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest


def recall_request(
    query: str, known: Facets, memory: Memory, client: str
) -> RecallRequest | NextOf:
    """Return the recall for the agent and issue of a query, else for the client's next session.

    Of several agents or issues none is asked for, nor of one that is not `known`: its name may be
    typed in part.
    """
    agents = [name for name in query_text.chosen(query, "agent") if name in known.agents]
    issues = [number for number in query_text.chosen_issues(query) if number in known.issues]
    if not agents and not issues:
        return NextOf(client, project_root(memory.path))
    return RecallRequest(
        agents[0] if len(agents) == 1 else None,
        issues[0] if len(issues) == 1 else None,
        budget=memory.settings.max_tokens,
        profile=next(iter(PROFILES)),
    )
