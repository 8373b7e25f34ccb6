"""A server that is killed while it stores: what it acknowledged is there."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

from store import open_memory
from tests.memtui.serve.conftest import served

TOKEN = "killed-" * 4
_CALLERS = 4


def store_until_killed(url: str, caller: int, enough: Event, wanted: int) -> list[str]:
    """Store one interaction after the other; the ids that were acknowledged."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=30)
    acknowledged: list[str] = []
    number = 0
    try:
        while True:
            query = f"Why is step {number} of caller {caller} red?"
            happened = {"id": f"{caller}-{number}", "query": query}
            message = {
                "jsonrpc": "2.0",
                "id": number,
                "method": "memory.store",
                "params": {"interaction": {**happened, "timestamp": "2026-03-01T11:30:00Z"}},
                "a2a_context": {"source_agent": "a1"},
            }
            headers = {"Authorization": f"Bearer {TOKEN}"}
            connection.request("POST", parts.path, json.dumps(message), headers)
            told = json.loads(connection.getresponse().read())
            acknowledged.append(told["result"]["memory_id"])
            number += 1
            if number == wanted:
                enough.set()
    except (OSError, HTTPException):
        return acknowledged
    finally:
        enough.set()
        connection.close()


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.long)])
def test_what_was_acknowledged_outlives_a_kill_under_load(tmp_path: Path, kills: int) -> None:
    folder = tmp_path / ".agentx" / "memory"
    acknowledged: set[str] = set()
    for kill in range(kills):
        enough = Event()
        with served(folder, TOKEN) as (process, url), ThreadPoolExecutor(_CALLERS) as callers:
            done = [
                callers.submit(store_until_killed, url, 10 * kill + each, enough, 3 + kill)
                for each in range(_CALLERS)
            ]
            enough.wait(60)
            process.kill()
            for each in done:
                acknowledged.update(each.result())
    with open_memory(folder, cache=tmp_path / "cache") as memory:
        kept = {it.id for it in memory.by_issue(0)}
    assert len(acknowledged) >= 3 * kills
    assert acknowledged <= kept
