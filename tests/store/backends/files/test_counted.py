"""The recalls that the log tells of are counted into the records that are written anyway."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.backends.activity import RecallLog
from store.backends.files.layout import issue_of
from store.model import Layout, Location
from tests.store.factories import Store, logged, make_store, observation, record

EARLY, LATE = "2026-03-01T13:00:00.000Z", "2026-03-01T14:00:00.000Z"


def counts(store: Store) -> dict[str, int]:
    """The recalls that each record counts, where it counts any."""
    found: dict[str, int] = {}
    for path in sorted(store.folder.rglob("*.json")):
        if issue_of(str(path.relative_to(store.folder))) is None:
            continue
        value = json.loads(path.read_bytes())
        values: list[dict[str, Any]] = value.get("observations", [value])
        found |= {it["id"]: it["recallCount"] for it in values if it.get("recallCount")}
    return found


def told(store: Store) -> list[dict[str, str]]:
    """What the log says that records count, and up to when."""
    return [it["counted"] for it in logged(store.folder) if it["type"] == "counted"]


def change(store: Store, how: str) -> None:
    if how == "add":
        store.store([observation("New")])
    elif how == "edit":
        store.edit("a", {"pinned": True})
    elif how == "drop":
        store.drop("e")
    elif how == "archive":
        with store.changing(29) as records:
            value = records.find(Location.ISSUE, "c")
            assert value is not None
            records.put(Location.ARCHIVE, value)
            records.drop(Location.ISSUE, "c")


@pytest.mark.parametrize(
    ("layout", "how", "ids"),
    [
        (Layout.PER_ISSUE, "nothing", ""),
        (Layout.PER_ISSUE, "add", "abc"),
        (Layout.PER_ISSUE, "edit", "abc"),
        (Layout.PER_ISSUE, "drop", "abc"),
        (Layout.PER_ISSUE, "archive", "abcz"),
        (Layout.EACH, "nothing", ""),
        (Layout.EACH, "add", ""),
        (Layout.EACH, "edit", "a"),
        (Layout.EACH, "drop", ""),
        (Layout.EACH, "archive", "c"),
    ],
)
def test_what_is_written_counts_its_recalls_once(
    tmp_path: Path, layout: Layout, how: str, ids: str
) -> None:
    store = make_store(tmp_path)
    store.set_layout(layout)
    for location, names in ((Location.ISSUE, "abcde"), (Location.ARCHIVE, "z")):
        with store.changing(29) as records:
            for name in names:
                records.put(location, record(name))
    store.store([observation("Of another issue", issue_number=7, id="d7")])
    for time, of in ((LATE, "abcz"), (EARLY, "a")):
        entry = {"type": "recalled", "timestamp": time, "observationIds": [*of, "d7"]}
        store.log.append(entry)
    change(store, how)
    expected = {name: 2 if name == "a" else 1 for name in ids}
    assert counts(store) == expected
    assert told(store) == ([dict.fromkeys(ids, LATE)] if ids else [])
    log = RecallLog(store.log)
    log.read_on()
    left = {name for name in "abcz" if log.uncounted({"id": name}) and name not in ids}
    assert left == set("abcz") - set(ids)
    store.edit("a", {"muted": True})
    store.edit("a", {"muted": False})
    assert counts(store)["a"] == 2, "it was counted again"
