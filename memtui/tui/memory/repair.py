"""Repairing a memory whose code changed: its new path, a note that it holds, or the archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.formatting import memories
from memtui.tui.frame import routes
from memtui.tui.frame.route import Open
from memtui.tui.frame.routes import Choice
from memtui.tui.operations import PreviewPlan, Proposal
from store import Memory
from store.drift.verdicts import Drift
from store.model import Observation, Verdict
from store.operations.plan import Plan
from store.text.display import visible_line

NOTHING_TO_REPAIR = "Nothing to repair: what it names is as it was, or can't be compared."
_Post = Callable[[PreviewPlan | Open[str] | Open[Callable[[], None]]], object]


def read_drifted(memory: Memory, identifiers: Sequence[str]) -> list[tuple[Observation, Drift]]:
    """Return those of some memories that no longer fit the code, with their verdicts."""
    verdicts = memory.drift.verdicts()
    found = (memory.get(identifier, fresh=False) for identifier in identifiers)
    judged = ((one, verdicts.drift_of(one)) for one in found)
    return [(one, drift) for one, drift in judged if drift.is_drifted]


def pick_repair(
    drifted: Sequence[tuple[Observation, Drift]], post: _Post
) -> Open[Callable[[], None]]:
    """Ask how to repair memories; each way is shown as a plan before it is carried out."""
    ids = [memory.id for memory, _ in drifted]

    def planned(plan: Callable[[Memory], Plan]) -> Callable[[], None]:
        def preview() -> None:
            post(PreviewPlan(lambda memory: Proposal.of(plan(memory))))

        return preview

    choices: list[Choice[Callable[[], None]]] = []
    moved = [pair for _, drift in drifted for pair in drift.moved]
    if moved:
        fact = visible_line(moved[0][1]) if len(moved) == 1 else f"{len(moved)} files"
        run = planned(lambda memory: memory.drift.plan_paths(ids))
        choices.append(Choice(run, "Write the new path", fact))
    holds = planned(lambda memory: memory.drift.plan_holds(ids))
    choices.append(Choice(holds, "It still holds", "compare with the code of now"))
    if len(drifted) == 1 and (path := _path_of(drifted[0][1])):
        choices.append(Choice(lambda: _ask_path(ids, path, post), "Write another path …"))
    archive = planned(lambda memory: memory.plan.archive(ids))
    choices.append(Choice(archive, "Archive", memories(len(ids)) if len(ids) > 1 else ""))
    is_gone = all(drift.verdict is Verdict.GONE for _, drift in drifted)
    title = "Repair a memory" if len(ids) == 1 else f"Repair {memories(len(ids))}"
    route = routes.Pick(title, choices, previews=True, at=len(choices) - 1 if is_gone else 0)
    return Open(route, lambda picked: picked() if picked is not None else None)


def _path_of(drift: Drift) -> str:
    """Return the path in a memory that another may be written for."""
    gone = (name for name in drift.gone if ("." in name or "/" in name) and " " not in name)
    paths = (*gone, *drift.changed)
    return next(iter(paths), "") or next((before for before, _ in drift.moved), "")


def _ask_path(ids: Sequence[str], path: str, post: _Post) -> None:
    def typed(new: str | None) -> None:
        if new and new != path:
            post(
                PreviewPlan(
                    lambda memory: Proposal.of(memory.drift.plan_paths(ids, {path: new.strip()}))
                )
            )

    shown = visible_line(path)
    post(Open(routes.Prompt("New path", f"Path to write for {shown}", shown), typed))
