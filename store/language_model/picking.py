"""Plans of sessions with what a language model picks from them, in place of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from store.capture.candidate import Picked
from store.capture.plan import CapturePlan, SeveralSessions, without_rules
from store.capture.planner import Planner
from store.errors import ProgramFailed
from store.language_model.reading import answers, pick
from store.model import Observation

_MOST_FAILED = 3
"""Sessions in a row about which a program fails before no other is asked about."""


def plan_picked(
    planner: Planner, plan: CapturePlan, program: str, goes_on: Callable[[], bool]
) -> CapturePlan:
    """Ask a program about the session of a plan; return the plan of what it picked.

    Raises `ProgramFailed`, and `InvalidSetting` for what is no command.
    """
    held = planner.held(plan.issue)
    picked = _pick(plan, held, program, goes_on)
    return _with_picked(planner, plan, picked, held, program)


def plan_picked_of_several(
    planner: Planner,
    plans: Iterable[CapturePlan],
    several: SeveralSessions,
    program: str,
    goes_on: Callable[[int], bool],
) -> None:
    """Ask a program about the session of each plan, and add the plans of what it picked to
    `several`; a session about which it fails is named there.

    After three failures in a row no other session is asked about. `goes_on` hears how many are
    done, and ends it by False.
    """

    def ask(plan: CapturePlan, goes_on: Callable[[], bool]) -> Picked:
        return _pick(plan, several.held(plan.issue), program, goes_on)

    failed = 0
    for plan, picked in answers(plans, ask, goes_on):
        if not isinstance(picked, ProgramFailed):
            failed = 0
            held = several.held(plan.issue)
            several.add(_with_picked(planner, plan, picked, held, program))
            continue
        failed += 1
        several.leave(f"{plan.path}: {picked.message}")
        if failed == _MOST_FAILED:
            several.leave(f"No other session was asked about: {failed} failed in a row.")
            break


def _pick(
    plan: CapturePlan, held: Sequence[Observation], program: str, goes_on: Callable[[], bool]
) -> Picked:
    if plan.session is None or not plan.session.messages:
        return Picked()
    others, _ = without_rules(held, plan.session_id)
    return pick(plan.session, others, program, goes_on)


def _with_picked(
    planner: Planner, plan: CapturePlan, picked: Picked, held: Sequence[Observation], program: str
) -> CapturePlan:
    if plan.session is None or not plan.session.messages:
        return replace(plan, picked_by=program)
    others, replaced = without_rules(held, plan.session_id)
    return replace(
        planner.plan_found(plan, picked.found, others),
        evidence=plan.evidence,
        picked_by=program,
        left_out=picked.left_out,
        replaced=replaced,
    )
