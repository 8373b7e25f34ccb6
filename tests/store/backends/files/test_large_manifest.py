"""A large manifest, exchanged in part, is what it would be if it were read as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backends.files import large_manifest, manifest
from store.backends.files.layout import MANIFEST
from store.backends.files.manifest import settle_manifest
from tests.store.factories import record, write_issue

UPDATED = "2026-03-01T12:00:00.000Z"
NAMES = st.lists(st.sampled_from([*"abcdefgh", ',"issueNumber":7,', "\n},\n"]), max_size=3)
STATE = st.dictionaries(st.sampled_from([1, 2, 11, 12]), NAMES, max_size=4)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (large_manifest, manifest):
        monkeypatch.setattr(module, "LARGE", 1)


def write(folder: Path, state: dict[int, list[str]], said: str = "") -> None:
    for path in folder.glob("issue-*.json"):
        if int(path.stem[6:]) not in state:
            path.unlink()
    for issue, names in state.items():
        records = [record(f"{issue}{it}", issueNumber=issue, summary=f"{it}{said}") for it in names]
        before = folder / f"issue-{issue}.json"
        held = json.loads(before.read_text())["observations"] if before.exists() else None
        if held != records:
            write_issue(folder, issue, *records)


def listed(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / MANIFEST).read_bytes())
    assert isinstance(found, dict)
    return found


def whole_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    reads = [0]
    read = manifest._read

    def counted(path: Path, folder: Path) -> Any:  # noqa: ANN401 - as it returns
        reads[0] += 1
        return read(path, folder)

    monkeypatch.setattr(manifest, "_read", counted)
    return reads


@given(st.lists(STATE, min_size=2, max_size=5))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_it_lists_what_stands(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[int, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    for number, state in enumerate(states):
        write(folder, state, "!" * number)
        settle_manifest(folder, list(state), UPDATED)
        entries = [(it["issueNumber"], it["id"], it["summary"]) for it in listed(folder)["entries"]]
        stands = {
            (issue, f"{issue}{it}", f"{it}{'!' * number}".split("\n")[0])
            for issue, names in state.items()
            for it in names
        }
        assert {(issue, name) for issue, name, _ in entries} == {it[:2] for it in stands}
        assert len(entries) == len({it[:2] for it in stands})
        assert not manifest.manifest_is_altered(folder)


def test_only_the_lines_of_what_was_written_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {1: ["a", "b"], 2: ["c"], 11: ["d"]})
    settle_manifest(tmp_path, [], UPDATED)
    assert listed(tmp_path)["issueCount"] == 3
    reads = whole_reads(monkeypatch)
    for names in (["a", "b", "x"], ["b", "x"], ["x"], ["x", "y"]):
        write_issue(tmp_path, 1, *(record(f"1{it}", issueNumber=1) for it in names))
        assert not settle_manifest(tmp_path, [1], UPDATED), "it was said to be damaged"
        found = [it["id"] for it in listed(tmp_path)["entries"]]
        assert sorted(found) == sorted([*(f"1{it}" for it in names), "2c", "11d"])
    write_issue(tmp_path, 5, record("5n", issueNumber=5))
    settle_manifest(tmp_path, [5], UPDATED)
    assert listed(tmp_path)["issueCount"] == 4
    assert reads == [0]


def test_several_issues_are_exchanged_wherever_their_lines_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for issue in (11, 2, 1):
        write_issue(tmp_path, issue, *(record(f"{issue}{it}", issueNumber=issue) for it in "ab"))
        settle_manifest(tmp_path, [issue], UPDATED)
    reads = whole_reads(monkeypatch)
    write(tmp_path, {11: ["b"], 2: ["a", "c"], 1: ["a", "b"]}, "!")
    settle_manifest(tmp_path, [1, 2, 11], UPDATED)
    told = [(it["id"], it["summary"]) for it in listed(tmp_path)["entries"]]
    assert told == [("11b", "b!"), ("2a", "a!"), ("1a", "a!"), ("1b", "b!"), ("2c", "c!")]
    assert reads == [0]


def test_an_issue_that_another_took_away_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {1: ["a"], 2: ["c"]})
    settle_manifest(tmp_path, [], UPDATED)
    reads = whole_reads(monkeypatch)
    (tmp_path / "issue-2.json").unlink()
    write_issue(tmp_path, 3, record("3n", issueNumber=3))
    settle_manifest(tmp_path, [3], UPDATED)
    assert [it["id"] for it in listed(tmp_path)["entries"]] == ["1a", "3n"]
    assert reads == [1]


@pytest.mark.parametrize("damage", [b"\0", b"[", b""])
def test_what_is_laid_out_otherwise_is_read_as_a_whole(
    tmp_path: Path, damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {1: ["a"], 2: ["c"]})
    settle_manifest(tmp_path, [], UPDATED)
    path = tmp_path / MANIFEST
    path.write_bytes(path.read_bytes()[:-2] + damage if damage else b"")
    reads = whole_reads(monkeypatch)
    assert settle_manifest(tmp_path, [1], UPDATED)
    assert reads == [1]
    assert sorted(it["id"] for it in listed(tmp_path)["entries"]) == ["1a", "2c"]


def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    write(tmp_path, {1: ["a"], 2: ["c"]})
    settle_manifest(tmp_path, [], UPDATED)
    before = (tmp_path / MANIFEST).stat().st_ino
    settle_manifest(tmp_path, [1], "2027-01-01T00:00:00.000Z")
    assert (tmp_path / MANIFEST).stat().st_ino == before


def test_an_issue_that_can_not_be_read_takes_nothing_out_of_it(tmp_path: Path) -> None:
    write(tmp_path, {1: ["a"], 2: ["b"]})
    settle_manifest(tmp_path, [1, 2], UPDATED)
    before = listed(tmp_path)["entries"]
    (tmp_path / "issue-2.json").write_text("{")
    settle_manifest(tmp_path, [2], UPDATED)
    assert listed(tmp_path)["entries"] == before
