"""What no session may be told stands nowhere in a recall: no note, no index, no caveat, no plan."""

from __future__ import annotations

import pytest

from store.model import Observation
from store.recall.plan import NOTHING_TOUCHED, plan
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.terms import Terms
from store.recall.values import Candidate, Limits, Recall
from store.text.tokens import estimate
from tests.store.recall.makers import NOW, observation

SECRET, STANDS = "hunter2", "[removed]"
_CATEGORIES = ("decision", "error", "task", "handoff", "lesson", "project")


def _clean(it: Observation) -> Observation:
    return it._replace(
        content=it.content.replace(SECRET, STANDS), summary=it.summary.replace(SECRET, STANDS)
    )


def _held() -> list[Candidate]:
    """Notes short and long, all of which begin and end with what is to be taken out."""
    found = []
    for n in range(90):
        about = f"src/{SECRET}/part{n}.py: " if n % 5 == 1 else f"{SECRET} {n}: "
        words = f"{about}the word of gate {n} is {SECRET}. {'It opens late. ' * (n % 9)}{SECRET}"
        category = "code-change" if n % 5 == 1 else _CATEGORIES[n % 6]
        amended = f"obs-engineer-29-1709035200000-a{n - 1:05d}" if n % 7 == 3 else ""
        made = observation(words, n, days=n, category=category, extra={"branch": "fix"})
        found.append(Candidate(made, {"relevance": 1 / (n + 1)}, amended_by=amended))
    return found


def _planned(profile: str, tokens: int) -> Recall:
    terms = Terms(PROFILES[profile], Limits(tokens), estimate(), lambda it: it.id[-4:], _clean)
    asked = RecallRequest(task="gates that open late", budget=tokens, unmerged=("fix",))
    if profile == "vault":
        from store.recall.block import plan_block

        return plan_block(_held(), asked, terms, NOW)
    touched = NOTHING_TOUCHED if PROFILES[profile].fills else None
    return plan(_held(), asked, terms, NOW, touched)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("tokens", [60, 150, 400, 1_600, 3_000])
def test_what_is_taken_out_is_told_nowhere(profile: str, tokens: int) -> None:
    found = _planned(profile, tokens)
    assert SECRET not in found.text
    assert tokens < 150 or STANDS in found.text
    for it in found.candidates:
        assert SECRET not in it.observation.content + it.observation.summary + it.text
    for hint in found.files:
        assert SECRET not in f"{hint.path} {' '.join(hint.why)}"


@pytest.mark.parametrize("name", ["src/hunter2/gate.py", "src/hunter2.py"])
@pytest.mark.parametrize("told_only", [False, True])
def test_a_file_whose_name_is_taken_out_is_told_neither_alone_nor_beside_another(
    name: str, told_only: bool
) -> None:
    def change(number: int, paths: str) -> Candidate:
        made = observation(f"{paths}: opens late", number, category="code-change", session_id="s")
        return Candidate(made, {"relevance": 1.0})

    held = [change(1, "src/lock.py"), change(2, "src/lock.py"), change(3, name), change(4, name)]
    terms = Terms(PROFILES["memtui"], Limits(2_000), estimate(), lambda it: it.id[-4:], _clean)
    asked = RecallRequest(task="the lock opens late", told_only=told_only)
    found = plan(held, asked, terms, NOW)
    assert [it.path for it in found.files][:1] == ["src/lock.py"]
    assert SECRET not in found.text
    plain = plan(held, asked, terms._replace(clean=lambda it: it), NOW)
    assert SECRET in plain.text


def test_the_list_of_what_is_left_out_is_cleaned_too() -> None:
    listed = _planned("memtui", 1_600).text.partition("more, not shown:")[2]
    assert listed.count("\n") > 3
    assert STANDS in listed
