"""The peers do what they are measured for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.model import Observation
from tests.bench.generate import observations
from tests.bench.peers import Bm25s, CachedManifestStore, Fts5, KeywordOverlap, ManifestStore

COUNT = 600


@pytest.fixture(scope="module")
def made() -> list[Observation]:
    return list(observations(COUNT))


@pytest.fixture
def fts(tmp_path: Path, made: list[Observation]) -> Iterator[Fts5]:
    peer = Fts5(tmp_path / "peer.sqlite", made)
    yield peer
    peer.close()


def test_fts5_finds_all_words_with_the_last_as_a_prefix(fts: Fts5, made: list[Observation]) -> None:
    answer = fts.search("migration timeou")
    wanted = {
        each.id
        for each in made
        if "migration" in (text := each.content.lower()) and "timeout" in text
    }
    assert wanted <= set(answer.ids)
    assert answer.total == sum(answer.agents.values()) == sum(answer.categories.values())
    assert len(fts.search("the").ids) == 50
    assert fts.search('") OR (').total == 0 or fts.search('") OR (').ids
    assert fts.search("").total == 0
    assert fts.get(made[7].id) == made[7].content


def test_keyword_overlap_ranks_by_shared_words(made: list[Observation]) -> None:
    answer = KeywordOverlap(made).search("the migration timeout")
    by_id = {each.id: set(each.summary.lower().split()) for each in made}
    shared = [len({"migration", "timeout"} & by_id[each]) for each in answer.ids]
    assert shared == sorted(shared, reverse=True)
    assert shared[0] > 0
    assert len(answer.ids) <= 20


@pytest.mark.parametrize("kind", [ManifestStore, CachedManifestStore])
def test_the_manifest_stores_keep_both_files_in_step(
    tmp_path: Path, made: list[Observation], kind: type[ManifestStore]
) -> None:
    peer = kind(tmp_path, made[:20])
    batch = [each for each in made[20:] if each.issue_number == 0][:10]
    peer.store(batch)
    peer.store(batch)
    issue = (tmp_path / "issue-0.json").read_text()
    manifest = json.loads((tmp_path / "manifest.json").read_bytes())
    assert issue.startswith('{\n  "version": 1')
    assert len(json.loads(issue)["observations"]) == 20
    assert [entry["id"] for entry in manifest["entries"][:20]] == [each.id for each in made[:20]]
    assert len(manifest["entries"]) == 40
    assert not list(tmp_path.glob("*.lock"))


def test_only_what_is_read_again_keeps_what_another_program_stored(
    tmp_path: Path, made: list[Observation]
) -> None:
    kinds = {}
    for kind in (ManifestStore, CachedManifestStore):
        folder = tmp_path / kind.__name__
        one, other = kind(folder, made[:20]), kind(folder, made[:20])
        one.store(made[20:30])
        other.store(made[30:40])
        kinds[kind] = len(json.loads((folder / "manifest.json").read_bytes())["entries"])
    assert kinds == {ManifestStore: 40, CachedManifestStore: 30}


def test_bm25s_counts_what_it_finds(made: list[Observation]) -> None:
    pytest.importorskip("bm25s", reason="bm25s is not installed (the bench extra)")
    answer = Bm25s(made).search("migration timeout")
    assert 0 < len(answer.ids) <= 50
    assert answer.total == sum(answer.agents.values())
