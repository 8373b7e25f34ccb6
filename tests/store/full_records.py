"""Records with everything that one of their kind may hold."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]

RECORD: Record = {
    "id": "obs-dev-7-1772359200000-abcdef", "agent": "dev", "issueNumber": 7, "category": "lesson",
    "content": "A lease ends.\nAfter five seconds.", "summary": "A lease ends.", "tokens": 9,
    "timestamp": "2026-03-01T10:00:00.000Z", "sessionId": "s-1", "recallCount": 3,
    "relevanceScore": 0.5, "archived": True, "tags": ["queue", "lease"], "pinned": True,
    "muted": True, "lastRecalled": "2026-03-02T10:00:00.000Z", "sources": ["s-1"], "seenCount": 2,
    "branch": "leases",
}  # fmt: skip
OPERATION: Record = {
    "id": "20260301T100000000-a1b2", "kind": "import", "figures": {"memories": 2},
    "of": "undo", "title": "A sentence",
    "notes": [{"kind": "migrated", "values": {"memories": 2}, "place": "a.md"}, "an old one"],
    "timestamp": "2026-03-01T10:00:00.000Z", "undoneBy": "x", "undoes": "y",
    "moves": [["a.md", "a.md.bak"]], "movesLast": True,
    "changes": [
        {"location": "issue", "issue": 7, "id": "obs-1", "before": {"a": 1}, "after": {"a": 2},
         "place": 3, "forget": True},
    ],
    "texts": [{"kind": "sessions", "name": "s-1", "before": {"a": 1}, "after": {"a": 2}}],
    "clarifications": [{"issue": 7, "id": "c-1", "before": {"a": 1}, "after": {"a": 2}}],
    "layout": ["issue", "each"],
}  # fmt: skip
CLARIFICATION: Record = {
    "id": "c-1", "from": "engineer", "to": "architect", "topic": "leases", "blocking": True,
    "status": "pending", "round": 2, "maxRounds": 4, "created": "2026-03-01T10:00:00.000Z",
    "staleAfter": "2026-03-02T10:00:00.000Z", "resolvedAt": "2026-03-03T10:00:00.000Z",
    "gaveWayTo": "c-2", "kept": 1,
    "thread": [
        {"round": 1, "from": "engineer", "type": "question", "body": "How long?",
         "timestamp": "2026-03-01T11:00:00.000Z"},
    ],
}  # fmt: skip
DIGEST: Record = {
    "version": 1, "id": "s-1", "agent": "codex", "model": "m", "branch": "leases", "last": "Done.",
    "path": "/a/s.jsonl", "asked": ["Why?"], "created": ["a.py"], "removed": ["c.py"],
    "failed": ["KeyError"],
    "decided": ["So."], "commits": ["a1"], "memories": ["obs-1"], "recalls": ["r"],
    "changed": {"a.py": 2}, "read": {"b.py": 1}, "issue": 7, "messages": 9, "size": 99,
    "started": "2026-03-01T10:00:00.000Z", "ended": "2026-03-01T11:00:00.000Z", "endedWell": False,
    "kept": 1,
}  # fmt: skip
CHECKPOINT: Record = {
    "agentId": "dev", "savedAt": 1772359200000, "messages": [{"role": "user", "text": "Go on"}],
    "chatId": "c", "modelId": "m", "branch": "leases", "open": ["Measure it"], "ended": True,
    "owner": 77, "kept": 1,
}  # fmt: skip
ENTRY: Record = {
    "type": "observation.recalled", "timestamp": "2026-03-01T10:00:00.000Z", "agent": "dev",
    "issueNumber": 7, "sessionId": "s-1", "count": 5, "messages": 1, "sessions": 1,
    "totalTokens": 90, "observationIds": ["obs-1", "obs-2"], "kept": 1,
    "action": {"kind": "prune", "figures": {"memories": 2}}, "title": "", "operation": "o",
    "text": "r", "kind": "k", "message": "m", "tookMs": 7.5,
    "about": ["a.py"], "afresh": True,
}  # fmt: skip
COUNTED: Record = {
    "type": "observation.counted", "counted": {"obs-1": "2026-03-01T10:00:00.000Z"},
}  # fmt: skip
ISSUES: list[Record] = [
    {"id": "bd-1", "title": "Leases", "status": "closed", "issue_type": "bug", "labels": ["q"],
     "priority": 2, "dependencies": [{"type": "blocks", "depends_on_id": "bd-2"}],
     "description": "A lease hangs.", "design": "Short.", "acceptance_criteria": "Five seconds.",
     "notes": "None.", "close_reason": "Done.", "assignee": "dev",
     "created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-02T10:00:00Z"},
    {"id": "bd-2", "title": "Tills", "status": "open", "issue_type": "task"},
]  # fmt: skip
GRAPH: list[Record] = [
    {"type": "entity", "name": "Lease", "entityType": "idea", "observations": ["Ends", "Is short"]},
    {"type": "relation", "from": "Lease", "to": "Queue", "relationType": "belongs to"},
    {"type": "entity", "name": "Queue", "entityType": "idea", "observations": []},
]
OLD_ACTION: Record = {"title": "Pruned two", "kind": "prune"}
