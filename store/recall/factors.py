"""The factors of memtui's own profile, each from 0 to 1, and their weights.

The weights were set by hand on two benches (`tests.bench.recall`, `tests.bench.usefulness`) and
lie on a plateau: halving or doubling one moves the figures by three points at most, `path` and
`relevance` taken away by more (`docs/recall-weights.md`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import exp
from types import MappingProxyType

from store.model import LAYER_OF, Category, Layer, Observation
from store.recall.files import (
    FileMap,
    map_files,
    mention_of_file,
    mention_of_names,
    names_in,
    subjects_of,
)
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Kind, weighted
from store.search.relevance import stems_of

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        # What the task asks for: its words in the memory (BM25), a file or an identifier that it
        # names, its words in the path of the memory's file.
        "relevance": 0.65,
        "mention": 0.6,
        "path": 0.8,
        # What the files tell: one that changes with those found, one that many memories are about.
        "co_change": 0.15,
        "file_frequency": 0.35,
        # Whose it is: the issue's, the agent's, the last session's.
        "issue": 0.35,
        "agent": 0.1,
        "session": 0.35,
        # When it was: over months, and over days.
        "recency": 0.3,
        "very_recent": 0.35,
        # What it changes: it stands where that stood.
        "amends": 1.0,
        # What waits to be gone on with: tasks, and the latest handoff.
        "open_task": 0.4,
        "handoff": 0.4,
        # What was of use before counts a little: it would come first for ever.
        "recalled": 0.03,
        # What counts against: its file is told of already, a later statement changes it, or its
        # branch is not merged here.
        "repeats": -0.8,
        "amended": -0.4,
        "unmerged": -0.6,
    }
)
"""What each factor counts for; `settings.recall_weights` may change any of them.

What each is worth at nothing, half and twice stands in `docs/recall-weights.md`.
"""

_SEEDS = 4
"""Files that lead, from which `co_change` is seen."""
_RECENT_DAYS = 30.0
"""Days after which `recency` is a half (as in SPEC-29)."""
_FRESH_DAYS = 4.0
"""Days in which `very_recent` falls to 1/e: a working week."""
_RECALL_DAYS = 30.0
"""Days in which `recalled` falls to 1/e."""
_REPEAT = 0.8
"""What is left of a further memory of the same file, for each that leads it."""
_DAY = timedelta(days=1)
_HOLDS = 0.1
_AGING = {
    str(category): _HOLDS
    for category, layer in LAYER_OF.items()
    if layer in (Layer.SEMANTIC, Layer.PROCEDURAL)
}
"""What happened fades; what is known holds until something newer contradicts it: its age moves it
little from the middle. So does that of what was said: decisions stand in conversations."""
_MIDDLE = 0.5


def memtui(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float],
) -> list[dict[str, float]]:
    """The weighted factors of each candidate, rankers' signals included.

    `mention`: the task names its file or an identifier in it. `path`: words of its file's path
    stand in the task. `file_frequency`: much of memory is about that file. `co_change`: the file
    tends to change with the files of the candidates that lead without it. `repeats`: those that
    lead tell of the file already. `session`: it is from the last session of the issue.
    `very_recent` and `recency`: days and months. `recalled`: told before, decaying. `unmerged`:
    learned on a branch whose work is not in this one. `amends`, `amended`: it changes another
    candidate, or is changed by one.
    """
    weights = dict(weights)  # asked a thousand times: a proxy takes twice as long
    observations = [candidate.observation for candidate in candidates]
    subjects = [subjects_of(observation) for observation in observations]
    files = map_files(observations, subjects)
    names = names_in(request.text)
    by_file = _of_files(files, request)
    last = _last_session(observations, request)
    handoff = _latest_handoff(observations, request)
    found = []
    for candidate, about in zip(candidates, subjects, strict=True):
        observation = candidate.observation
        factors = dict(candidate.signals)
        if about:
            factors.update(_best_of([by_file[file] for file in about]))
        if names:
            named = mention_of_names(observation.content, names)
            factors["mention"] = max(named, factors.get("mention", 0.0))
        _add_request(factors, observation, request)
        if last and observation.session_id == last:
            factors["session"] = 1.0
        if observation.id == handoff:
            factors["handoff"] = 1.0
        _add_ages(factors, candidate, now)
        found.append(weighted(factors, weights))
    _add_co_change(found, subjects, files, weights.get("co_change", 0.0))
    _add_repeats(found, subjects, weights.get("repeats", 0.0))
    _add_amendments(found, candidates, weights)
    return found


def _add_request(
    factors: dict[str, float], observation: Observation, request: RecallRequest
) -> None:
    """Add the factors that say how near a memory is to who asks, and where."""
    factors["issue"] = _issue_closeness(observation, request)
    if observation.agent == request.agent:
        factors["agent"] = 1.0
    if request.unmerged_branch(observation):
        factors["unmerged"] = 1.0
    if observation.is_open_task:
        factors["open_task"] = 1.0


def _of_files(files: FileMap, request: RecallRequest) -> dict[str, dict[str, float]]:
    """The factors that all memories of one file share."""
    task = request.text
    asked = stems_of(task)
    return {
        file: {
            "path": files.words_shared(file, asked),
            "file_frequency": files.familiarity(file),
            "mention": mention_of_file(file, task),
        }
        for file in files.sessions
    }


def _add_amendments(
    found: Sequence[dict[str, float]],
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
) -> None:
    """Let what amends another stand in its place: `amends` is what it lacked of that one's score,
    and `amended` counts against that one.
    """
    places = {it.observation.id: at for at, it in enumerate(candidates)}
    amended = [at for at, it in enumerate(candidates) if it.amended_by in places]
    for at in sorted(amended, key=lambda at: candidates[at].observation.timestamp):
        newer = found[places[candidates[at].amended_by]]
        lacking = sum(found[at].values()) - sum(newer.values())
        if lacking > 0:
            newer["amends"] = newer.get("amends", 0.0) + lacking * weights.get("amends", 0.0)
    for at in amended:
        found[at]["amended"] = weights.get("amended", 0.0)


def _best_of(factors: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The greatest value of each factor: the files of an observation count by the best of them."""
    if len(factors) < 2:
        return factors[0]
    return {name: max(each[name] for each in factors) for name in factors[0]}


def _add_co_change(
    found: Sequence[dict[str, float]],
    subjects: Sequence[tuple[str, ...]],
    files: FileMap,
    weight: float,
) -> None:
    """Add `co_change`, seen from the files that lead by all other factors."""
    best: dict[str, float] = {}
    for factors, about in zip(found, subjects, strict=True):
        if about:
            best[about[0]] = max(best.get(about[0], 0.0), sum(factors.values()))
    seeds = sorted(best, key=lambda file: (-best[file], file))[:_SEEDS]
    pull = files.together(seeds)
    for factors, about in zip(found, subjects, strict=True):
        strongest = max([pull.get(file, 0.0) for file in about]) if about else 0.0
        if pulled := weight * strongest:
            factors["co_change"] = pulled


def _add_repeats(
    found: Sequence[dict[str, float]], subjects: Sequence[tuple[str, ...]], weight: float
) -> None:
    """Add `repeats`: how much those that lead say of the same main file (0, .2, .36 ...)."""
    about = [at for at, files in enumerate(subjects) if files and weight]
    scores = {at: sum(found[at].values()) for at in about}
    told: Counter[str] = Counter()
    for at in sorted(about, key=scores.__getitem__, reverse=True):
        file = subjects[at][0]
        if told[file]:
            found[at]["repeats"] = weight * (1 - _REPEAT ** told[file])
        told[file] += 1


def _issue_closeness(observation: Observation, request: RecallRequest) -> float:
    """1 for the issue asked for, a quarter for what concerns the whole project."""
    if request.issue is None:
        return 0.0
    if observation.issue_number == request.issue:
        return 1.0 if request.issue else 0.25
    return 0.25 if observation.issue_number == 0 else 0.0


def _add_ages(factors: dict[str, float], candidate: Candidate, now: datetime) -> None:
    """Add the factors that say how long ago a memory was learned, and told."""
    observation = candidate.observation
    days = max(0.0, (now - observation.timestamp) / _DAY)
    said = candidate.kind is not Kind.MEMORY
    aging = _HOLDS if said else _AGING.get(observation.category, 1.0)
    factors["recency"] = _MIDDLE + aging * (1 / (1 + days / _RECENT_DAYS) - _MIDDLE)
    factors["very_recent"] = _MIDDLE + aging * (exp(-days / _FRESH_DAYS) - _MIDDLE)
    if observation.recall_count:
        last = observation.last_recalled or observation.timestamp
        since = max(0.0, (now - last) / _DAY)
        factors["recalled"] = min(observation.recall_count / 10, 1.0) * exp(-since / _RECALL_DAYS)


def _last_session(observations: Sequence[Observation], request: RecallRequest) -> str:
    """The session that worked on the issue last; none where no issue is asked for."""
    if not request.issue:
        return ""
    of_issue = [it for it in observations if it.issue_number == request.issue and it.session_id]
    newest = max(of_issue, key=lambda it: it.timestamp, default=None)
    return newest.session_id if newest is not None else ""


def _latest_handoff(observations: Sequence[Observation], request: RecallRequest) -> str:
    """The id of the newest handoff of the issue and agent asked for; of any where none is."""
    handoffs = [
        it for it in observations
        if it.category == Category.HANDOFF
        and request.issue in (None, it.issue_number)
        and request.agent in (None, it.agent)
    ]  # fmt: skip
    newest = max(handoffs, key=lambda it: it.timestamp, default=None)
    return newest.id if newest is not None else ""
