"""What can be picked: an agent, an issue, what to compact, whose model reads a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memtui.formatting import age, count, plural
from memtui.settings.programs import Program, estimate_in_words, terms
from memtui.tui.frame.routes import Choice, Pick, Scope
from memtui.tui.frame.theme import mark_of
from store import Memory
from store.compaction.prune import CAP, Strategy
from store.language_model.estimate import Estimate
from store.model import Category, Facets, issue_named, layer_of
from store.sessions.place import issue_for
from store.text.display import visible_line
from store.validation.rules import AGENT_NAME

ALL_AGENTS = ""
ALL_ISSUES = -1
_LONGEST = 9
"""Digits of an issue's number."""
_BEYOND = "beyond capacities"
_STRATEGIES: Mapping[Strategy, tuple[str, str]] = {
    Strategy.LEAST_RELEVANT: ("Prune the least relevant", _BEYOND),
    Strategy.OLDEST_FIRST: ("Prune the oldest", _BEYOND),
    Strategy.FREQUENCY_BASED: ("Prune the least recalled", _BEYOND),
    Strategy.CAP: ("Fold the oldest of a category", f"more than {CAP}"),
}
"""The name of each strategy, and of which memories it takes."""
_NEWEST = 2_000
"""Memories that the ages of issues are read from: those of an older issue stay unknown."""
_RULES = Program("", "Rules", "")
_SAID = (
    *(Category.KEY_FACT, Category.DECISION, Category.LESSON, Category.PROCEDURE),
    *(Category.ERROR, Category.TASK, Category.HANDOFF, Category.PROJECT),
)
"""Categories of a passage from a session, the likeliest first."""


def pick_agent(counts: Mapping[str, int], chosen: str | None) -> Pick[str]:
    """Gives an agent, or ALL_AGENTS; `counts` are memories by agent, those with most first."""
    agents = [
        Choice(
            agent,
            visible_line(agent),
            count(counts[agent]),
            agent,
            number=counts[agent],
            is_chosen=agent == chosen,
        )
        for agent in sorted(counts, key=lambda name: (-counts[name], name))
    ]
    everyone = Choice(ALL_AGENTS, "all agents", count(sum(counts.values())))
    return Pick("Agents", [everyone, *agents], "type a name", unknown=_unknown_agent)


def _unknown_agent(typed: str) -> Choice[str] | None:
    name = typed.strip()
    return Choice(name, f"{name}  no memories", "0", name) if AGENT_NAME.fullmatch(name) else None


def pick_issue(
    memory: Memory,
    counts: Mapping[int, int],
    chosen: Sequence[str],
    now: datetime,
    *,
    any_issue: bool = False,
) -> Pick[int]:
    """Gives an issue, or ALL_ISSUES; `counts` are memories by issue, the newest number first.

    They are found by number, key, or words of what sessions on them were about. With `any_issue`
    one can be picked that memory holds nothing of.
    """
    issues = [
        Choice(
            number,
            f"#{number}" + ("" if number else "  project"),
            count(counts[number]),
            str(number),
            number=counts[number],
            is_chosen=str(number) in chosen,
        )
        for number in sorted(counts, reverse=True)
    ]
    everything = Choice(ALL_ISSUES, "all issues", count(sum(counts.values())))
    return Pick(
        "Issues",
        [everything, *issues],
        "type a number, a key, or words",
        anywhere=False,
        unknown=_unknown_issue if any_issue else lambda _: None,
        read_words=lambda: issue_titles(memory, now),
    )


def _unknown_issue(typed: str) -> Choice[int] | None:
    found = issue_named(typed) or issue_for(environ={}, branch=typed)
    if not found or len(str(found)) > _LONGEST:
        return None
    return Choice(found, f"#{found}  no memories", "0", str(found))


def issue_titles(memory: Memory, now: datetime) -> dict[int, tuple[str, str]]:
    """Return titles of issues and the ages of their newest memories, as far as both are known.

    A title is the branch and the first request of a session about the issue; without a session,
    the newest memory.
    """
    titles: dict[int, str] = {}
    for digest in memory.sessions.digests():
        about = digest.asked[0] if digest.asked else digest.branch
        if digest.issue and about:
            titles.setdefault(digest.issue, f"{digest.branch}  {about}".strip())
    ages: dict[int, str] = {}
    for hit in memory.search("sort:newest", _NEWEST, facets=(), fresh=False).hits:
        issue = hit.entry.issue_number
        titles.setdefault(issue, hit.entry.summary)
        ages.setdefault(issue, age(hit.entry.timestamp, now))
    return {issue: (title, ages.get(issue, "")) for issue, title in titles.items()}


def pick_category() -> Pick[str]:
    choices = [Choice(str(name), f"{mark_of(name)} {name}", layer_of(name)) for name in _SAID]
    return Pick("Category", choices)


def pick_scope(issues: Sequence[int], facets: Facets, stale_days: int) -> Pick[Scope | Strategy]:
    """Gives what to compact: an issue at hand, the stale issues, or all of them; or by which
    strategy to prune.
    """
    known = facets.issues
    facts = {Scope(issue): count(known[issue]) if issue in known else "" for issue in issues}
    facts[Scope(stale=True)] = f"nothing new in {plural(stale_days, 'day')}"
    facts[Scope()] = count(sum(facets.categories.values()))
    choices: list[Choice[Scope | Strategy]] = [
        Choice(scope, scope.name, fact) for scope, fact in facts.items()
    ]
    choices += [Choice(strategy, *words) for strategy, words in _STRATEGIES.items()]
    return Pick("Compact", choices, previews=True)


def pick_program(programs: Sequence[Program], chosen: str, estimate: Estimate) -> Pick[str]:
    """Gives the command whose language model is to pick memories, "" for rules; below the list is
    what it is sent, how much of that, and at whose cost.
    """
    known = {program.command: program for program in [*programs, _RULES]}

    def about(command: str) -> str:
        if not command:
            return "Picks them on this machine, at once."
        sent, _, *rest = terms(known[command].title)
        return "\n".join([sent, estimate_in_words(estimate), *rest])

    choices = [
        Choice(
            command,
            visible_line(program.name),
            "picked these" if command == chosen else "",
        )
        for command, program in known.items()
    ]
    at = list(known).index(chosen) if chosen in known else 0
    return Pick("Pick with", choices, about=about, at=at)
