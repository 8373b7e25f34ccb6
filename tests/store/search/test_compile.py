"""Queries of the language as queries of the index."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tantivy import Document, Index, Searcher

from store.search.compile import Compiler, Match
from store.search.query import parse_query
from store.search.schema import build_schema, make_ready
from tests.store.factories import NOW

_TEXTS = ("lock manifest json", "lock", "manifold", "locks of doors", "JsonStore", "锁定 file")


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    """An index with one document for each text; `length` tells them apart."""
    index = Index(build_schema())
    make_ready(index)
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for at, text in enumerate(_TEXTS):
        document = Document()
        document.add_text("plain", text)
        document.add_text("stems", text)
        document.add_text("is", "active" if at else "archived")
        document.add_text("agent", f"agent{at}")
        document.add_integer("time", round((NOW - timedelta(days=at)).timestamp() * 1000))
        document.add_unsigned("length", at)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index.searcher()


def _found(searcher: Searcher, text: str, **how: object) -> set[int]:
    """What a query finds: the same, as relevant, whether or not the index is asked for terms."""
    parsed, schema = parse_query(text, NOW), build_schema()
    found = []
    for known in (None, searcher):
        query = Compiler(schema, NOW, searcher=known).compile(parsed, **how)  # type: ignore[arg-type]
        hits = searcher.search(query, 20).hits
        places = searcher.fast_field_values("length", [address for _, address in hits])
        scores = [round(float(score), 4) for score, _ in hits]
        found.append({int(place or 0): at for place, at in zip(places, scores, strict=True)})
    assert found[0] == found[1]
    return set(found[0])


def test_what_is_archived_is_found_only_when_asked_for(searcher: Searcher) -> None:
    assert _found(searcher, "lock ") == {1, 3}
    assert _found(searcher, "lock is:archived") == {0}
    assert _found(searcher, "") == {1, 2, 3, 4, 5}


def test_near_spellings_and_half_of_the_words_match_when_asked_for(searcher: Searcher) -> None:
    assert _found(searcher, "manifald ") == set()
    assert _found(searcher, "manifald ", match=Match.NEAR) == {2}
    assert _found(searcher, "lock manifald ") == set()
    assert _found(searcher, "lock zzzz ", match=Match.SOME) == {1, 3}
    assert _found(searcher, '"lock" lok ', match=Match.NEAR) == set()
    assert _found(searcher, "is:archived lock.manifezt.js", match=Match.NEAR) == {0}
    assert _found(searcher, "is:archived lokc.manif.json", match=Match.NEAR) == set()


def test_one_letter_after_a_word_that_many_have_is_passed_over(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(text: str) -> set[int]:
        query = Compiler(build_schema(), NOW, searcher=searcher).compile(parse_query(text, NOW))
        addresses = [address for _, address in searcher.search(query, 20).hits]
        return {int(it or 0) for it in searcher.fast_field_values("length", addresses)}

    assert found("locks/o") == {3}
    assert found("locks/d") == set()
    monkeypatch.setattr("store.search.compile._MANY", 0)
    assert found("locks/d") == found("locks/o") == {3}
    assert found("locks/of/x") == {3}
    assert found("locks/of/do") == {3}
    assert found("locks/1") == set()
