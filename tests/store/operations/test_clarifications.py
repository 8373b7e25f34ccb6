"""Changing clarifications: each ledger by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.clarifications.ledger import ClarificationLedgers


@pytest.mark.parametrize("at", [0, 1])
def test_of_two_with_one_id_the_first_is_changed_and_the_other_stays(
    tmp_path: Path, at: int
) -> None:
    ledgers = ClarificationLedgers(tmp_path / ".agentx" / "memory")
    ledgers.folder.mkdir(parents=True)
    before: list[dict[str, Any]] = [{"id": it, "topic": f"{number}"} for number, it in
                                    enumerate(("a", "b", "a", "b", "c"))]  # fmt: skip
    file = ledgers.folder / "issue-29.json"
    file.write_text(json.dumps({"clarifications": before, "version": 7}))
    name = "ab"[at]
    with ledgers.changing(29) as records:
        assert records[name] == before[at]
        records[name] = {"id": name, "topic": "new"}
    after = json.loads(file.read_bytes())
    assert after["clarifications"] == [
        {"id": name, "topic": "new"} if number == at else it for number, it in enumerate(before)
    ]
    assert after["version"] == 7
    with ledgers.changing(29) as records:
        del records[name]
        records["z"] = {"id": "z"}
    left = [it["topic"] for it in json.loads(file.read_bytes())["clarifications"][:-1]]
    assert left == [f"{number}" for number in range(5) if number != at]
    assert json.loads(file.read_bytes())["clarifications"][-1] == {"id": "z"}
