"""What is kept beside the record, of every kind: what is forgotten goes from it, secrets too."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.notices import sentence
from store import Memory
from store.backends import open_backend
from store.backends.text_kinds import TextKind, text_path, unpacked
from tests.store.factories import NOW, make_memory, observation
from tests.store.whole.plain import as_text

LONG, LEAST, SHORT = "Falcon closes in May.", "Falcon pays 4.50", "Falcon is off. "
"""Lines of 21, 16 and 15 characters: from 16 one tells enough to be looked for."""
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PARTED = "20260227T0900000001-aaaa"


def _keep(memory: Memory, kind: TextKind, name: str, said: str) -> None:
    """Keep a text of a kind that says something."""
    is_json = kind not in (TextKind.RECALLS, TextKind.MESSAGES)
    text = json.dumps({"said": said}) if is_json else f"Told: {said}\n"
    data = gzip.compress(text.encode()) if kind is TextKind.MESSAGES else text.encode()
    with memory.backend.locked():
        memory.backend.keep(kind, name, data)


def _texts(memory: Memory) -> dict[str, str]:
    """Every text that is kept, by its path; of the journal's, those that were put there."""
    backend = open_backend(str(memory.path), lambda: NOW)
    return {
        text_path(kind, name): unpacked(kind, backend.kept(kind, name)).decode().strip()
        for kind in TextKind
        for name in sorted(backend.names(kind))
        if kind is not TextKind.OPERATIONS or name.endswith("aaaa")
    }


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


def test_what_is_forgotten_goes_from_every_kind(
    memory: Memory, snapshot: SnapshotAssertion
) -> None:
    content = f"{LONG}\n{LEAST}\n{SHORT}"
    [falcon, other] = memory.store(
        [observation(content, summary="Falcon, cut and cut…"), observation("Ask the lock first.")]
    )
    memory.store([observation(f"In short: {LEAST}", category="lesson")])
    for at, said in enumerate((LONG, LEAST, SHORT, "Falcon, cut and cut off", "Nothing of it.")):
        for kind in TextKind:
            name = f"20260227T09000000{at}-aaaa" if kind is TextKind.OPERATIONS else f"it-{at}"
            _keep(memory, kind, name, said)
    plan = memory.plan.forget(falcon)
    traces = memory.plan.find_traces(plan)
    told = {
        "operations": sorted(it for it in traces.operations if "aaaa" in it),
        "texts": traces.texts,
        "also": traces.also,
        "said": traces.passages.all,
    }
    assert as_text(told) == snapshot(name="traces")
    applied = memory.forget(plan)
    assert (applied.final, applied.changed) == (True, 1)
    assert as_text(_texts(memory)) == snapshot(name="left")
    assert [it.id for it in memory.by_issue(29)] == [other, "obs-3"]


def test_secrets_are_taken_out_of_every_kind(memory: Memory, snapshot: SnapshotAssertion) -> None:
    memory.store([observation()])
    memory.index.settle()
    for kind in TextKind:
        name = PARTED.replace("1-", "2-") if kind is TextKind.OPERATIONS else "it"
        _keep(memory, kind, name, f"Deploy with {TOKEN}.")
        name = PARTED if kind is TextKind.OPERATIONS else "private"
        _keep(memory, kind, name, "Deploy <private>by hand</private>.")
    examination = memory.doctor.examine()
    told = [
        [it.kind, it.path, sentence(it.notice), it.repair and sentence(it.repair)]
        for it in examination.findings
    ]
    assert as_text(told) == snapshot(name="findings")
    assert memory.doctor.repair(examination).action.figures["traces"] == len(TextKind)
    assert as_text(_texts(memory)) == snapshot(name="left")
    assert not [it for it in memory.doctor.examine().findings if TOKEN in str(it)]
