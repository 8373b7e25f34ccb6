"""What is stored a second time is counted, wherever the first one stands and however it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.errors import InvalidObservation
from store.model import Layout
from tests.store.factories import Store, make_store, observation, record, write_issue


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def _alone(store: Store, value: dict[str, Any]) -> None:
    (store.folder / "issue-29").mkdir(parents=True)
    (store.folder / "issue-29" / "a.json").write_text(json.dumps(value, indent=2))


def _laid(store: Store, how: str) -> None:
    """A memory with the id `a`, that says "Same"."""
    value = record("a", content="Same")
    if how == "a file":
        write_issue(store.folder, 29, record("b"), value)
    elif how == "laid out otherwise":
        path = write_issue(store.folder, 29, record("b"), value)
        path.write_text(json.dumps(json.loads(path.read_text())))
    elif how == "recovered":
        write_issue(store.folder, 29, value).rename(store.folder / "issue-29.recovered.json")
        write_issue(store.folder, 29, record("b"))
    elif how == "a file each":
        store.set_layout(Layout.EACH)
        _alone(store, value)
    elif how == "in the other layout":
        _alone(store, value)
    elif how == "one file, of the other layout":
        store.set_layout(Layout.EACH)
        write_issue(store.folder, 29, record("b"), value)
    elif how == "in conflict":
        text = write_issue(store.folder, 29, value).read_text()
        other = text.replace('"a"', '"c"').replace("Same", "Other")
        store.folder.joinpath("issue-29.json").write_text(
            f"<<<<<<< ours\n{text}=======\n{other}>>>>>>> theirs\n"
        )
    elif how == "its own file in conflict":
        store.set_layout(Layout.EACH)
        _alone(store, value)
        path = store.folder / "issue-29" / "a.json"
        lines = path.read_text().splitlines(keepends=True)
        at = next(at for at, line in enumerate(lines) if '"tokens"' in line)
        lines[at] = f"<<<<<<< ours\n{lines[at]}=======\n{lines[at]}>>>>>>> theirs\n"
        path.write_text("".join(lines))


@pytest.mark.parametrize(
    "how",
    [
        "a file",
        "laid out otherwise",
        "recovered",
        "a file each",
        "in the other layout",
        "one file, of the other layout",
        "in conflict",
        "its own file in conflict",
    ],
)
def test_what_stands_is_counted_and_its_id_is_taken(store: Store, how: str) -> None:
    _laid(store, how)
    assert [it.content for it in store.by_issue(29) if it.id == "a"] == ["Same"]
    before = len(store.by_issue(29))
    report = store.store([observation("Same"), observation("New")])
    assert (report.ids, report.twins) == (("a", "obs-2"), ("a",))
    assert [it.seen_count for it in store.by_issue(29) if it.id == "a"] == [2]
    with pytest.raises(InvalidObservation, match="a already exists in issue 29"):
        store.store([observation("Another text", id="a")])
    assert len(store.by_issue(29)) == before + 1
