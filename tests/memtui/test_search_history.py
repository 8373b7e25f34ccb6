"""The searches before: bounded, private, walked back and forth."""

from __future__ import annotations

from pathlib import Path

from memtui.tui.browse.search_history import (
    MOST,
    SearchHistory,
    history_file,
    read_searches,
    write_searches,
)


def test_each_search_is_kept_once_and_only_the_last_hundred() -> None:
    history = SearchHistory()
    for number in range(MOST + 20):
        assert history.add(f"lock {number}")
    assert not history.add(f"lock {MOST + 19}")
    assert not history.add("   ")
    history.add("lock 50")
    assert len(history.searches) == MOST
    assert history.searches[-1] == "lock 50"
    assert history.searches.count("lock 50") == 1


def test_walking_back_and_forth_ends_at_what_was_typed() -> None:
    history = SearchHistory()
    history.learn(["one", "two"])
    history.add("three")
    assert history.back("dra") == "three"
    assert history.back("three") == "two"
    assert history.back("two") == "one"
    assert history.back("one") is None
    assert history.forth("one") == "two"
    assert history.forth("two") == "three"
    assert history.forth("three") == "dra"
    assert history.forth("dra") is None


def test_where_there_is_no_other_search_one_may_ask_again() -> None:
    history = SearchHistory()
    for shown in ("", "dra", "dra"):
        assert history.back(shown) is None
        assert history.forth(shown) is None
    history.add("one")
    assert history.back("one") is None
    assert history.back("one") is None
    assert history.back("dra") == "one"
    assert history.forth("one") == "dra"


def test_they_are_for_their_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "state" / "searches" / "a.json"
    write_searches(file, ["lock", "agent:engineer"])
    assert read_searches(file) == ["lock", "agent:engineer"]
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    file.write_text('{"no": "list"}')
    assert read_searches(file) == []
    assert read_searches(tmp_path / "none.json") == []


def test_each_project_has_its_own(tmp_path: Path) -> None:
    assert history_file(tmp_path / "a") != history_file(tmp_path / "b")


def test_a_file_that_nests_too_deep_holds_none(tmp_path: Path) -> None:
    file = tmp_path / "searches.json"
    file.write_text("[" * 100_000)
    assert read_searches(file) == []
