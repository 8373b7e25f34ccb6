"""What the store tells by kind and values has its sentence here, and every sentence its kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from string import Formatter

import pytest

from memtui.words.notices import _TIMED, SENTENCES, error_in_words, problem_in_words, sentence
from store.errors import Conflict, InvalidQuery
from store.notice import notice
from store.settings.files import Mistake, MistakeKind
from tests.sources import sources

SETTINGS = {"setting-misspelt", "variable-value"} | {f"setting-{kind}" for kind in MistakeKind}


def _told() -> Iterator[tuple[str, set[str]]]:
    """The kind and the names of the values of every notice that the store makes."""
    for source in sources("store"):
        if "notice(" not in source.text:
            continue
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "notice":
                kinds = [it.value for it in ast.walk(node.args[0]) if isinstance(it, ast.Constant)]
                for kind in kinds:
                    yield str(kind), {str(it.arg) for it in node.keywords}


def test_every_notice_has_a_sentence_and_every_sentence_a_notice() -> None:
    told = dict(_told())
    assert set(told) == set(SENTENCES) - SETTINGS - {"quoted"} | set(_TIMED)
    for kind, names in told.items():
        fields = {name for _, name, _, _ in Formatter().parse(SENTENCES.get(kind, "")) if name}
        assert fields <= names, kind


def test_an_error_says_why() -> None:
    why = (notice("memory-changed-since", id="b", issue=29),)
    assert error_in_words(Conflict("Nothing changed.", "", why)) == (
        "Nothing changed: b in issue 29 has changed since; left unchanged."
    )
    meant = (notice("field-misspelt", field="catgory", meant="category"),)
    assert error_in_words(InvalidQuery("The query is not clear.", "", meant)) == (
        "The query is not clear: `catgory:` is not a field; did you mean `category:`?"
    )
    assert error_in_words(Conflict("Undone.")) == "Undone."


@pytest.mark.parametrize("kind", MistakeKind)
def test_every_mistake_in_the_settings_has_a_sentence(kind: MistakeKind) -> None:
    said = sentence(Mistake(kind, "settings.toml", "max_token", 3, "max_tokens").notice)
    assert said.startswith("settings.toml, line 3: ") and said[-1] in ".?"


def test_a_problem_is_told_by_its_kind() -> None:
    said = problem_in_words("manifest-rebuilt", "", 1_234.4)
    assert said == "Memory manifest rebuilt from issue files (took 1,234ms)."
    assert problem_in_words("missing", "1").startswith("1 memory that was stored is in no file")
    assert problem_in_words("lock-timeout", "Held.") == "Held. The next write fixes it."
    assert problem_in_words("hook stop", "No {braces} here.") == "No {braces} here."
    assert problem_in_words("capture-failed", "") == "capture-failed"
