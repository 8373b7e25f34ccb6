"""Phrases are looked for only where a piece of them stands, and found in any case."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from store import capture
from store.text.phrases import Phrases


def _phrases() -> Phrases:
    return Phrases(
        "root cause|at the moment",
        {"pass|green": r"\ball (?:tests )?(?:pass|green)", "?": r"\?$", "": r"^so\b"},
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The ROOT CAUSE is known", 1),
        ("root causes, as at the momentum", 0),
        ("All tests Pass", 1),
        ("all pass, all green", 1),
        ("a pass", 0),
        ("So, at the moment all pass?", 4),
        ("", 0),
    ],
)
def test_each_phrase_is_found_once_in_any_case(text: str, found: int) -> None:
    phrases = _phrases()
    assert phrases.count(text) == found
    assert phrases.stand_in(text) == bool(found)


def test_only_what_a_text_may_hold_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    compiled = re.compile

    def noted(source: str, flags: int = 0) -> re.Pattern[str]:
        made.append(source)
        return compiled(source, flags)

    monkeypatch.setattr(re, "compile", noted)
    phrases = _phrases()
    assert not phrases.stand_in("It is green at last")
    assert made == [r"\ball (?:tests )?(?:pass|green)", r"^so\b"]


def _used() -> list[Phrases]:
    """The phrases that capture looks for."""
    modules = walk_packages(capture.__path__, f"{capture.__name__}.")
    values = (it for each in modules for it in vars(import_module(each.name)).values())
    return list({id(it): it for it in values if isinstance(it, Phrases)}.values())


def test_what_is_looked_for_in_lower_case_is_written_so() -> None:
    sources = {pattern.pattern for it in _used() for pattern in it.patterns()}
    assert r"\bmain checkout\b" in sources
    bare = {re.sub(r"\\.", "", source) for source in sources}
    assert bare == {source.lower() for source in bare}


@pytest.mark.parametrize("at", range(len(_used())))
def test_no_phrase_goes_without_its_pieces(at: int) -> None:
    phrases = _used()[at]
    sources = sorted({pattern.pattern for pattern in phrases.patterns()})

    @settings(
        max_examples=3, database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(st.tuples(*map(st.from_regex, sources)))
    def told(texts: tuple[str, ...]) -> None:
        for text in map(str.lower, texts):
            assert phrases.count(text) == sum(bool(re.search(it, text)) for it in sources), text

    told()
