"""What is imported is cleaned whole: text, tags, sources, and the id too."""

from __future__ import annotations

import json
from pathlib import Path

from tests.store.factories import make_memory

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_no_field_of_what_is_imported_keeps_a_secret(tmp_path: Path) -> None:
    line = {
        "id": f"obs-a-1-1-{TOKEN}",
        "agent": "a",
        "issueNumber": 1,
        "category": "error",
        "content": f"Deploy with {TOKEN}.",
        "summary": f"Token {TOKEN}",
        "tags": [TOKEN],
        "sources": [f"session:{TOKEN}"],
        "sessionId": TOKEN,
        "extra": {"more": TOKEN},
    }
    (tmp_path / "in.jsonl").write_text(json.dumps(line))
    with make_memory(tmp_path) as memory:
        memory.apply(memory.exchange.plan_import(tmp_path / "in.jsonl"))
        memory.index.settle()
        [held] = memory.by_issue(1)
        assert held.id
        files = [path for path in memory.path.rglob("*") if path.is_file()]
        assert [path.name for path in files if TOKEN.encode() in path.read_bytes()] == []
