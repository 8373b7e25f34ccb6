"""Code changes: one memory for what a request changed, with its files, what was done and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from store.agents.session import Session, Step
from store.capture.candidate import CAPTURED, UNTOLD, Beside, Candidate, Known, Passed
from store.capture.changes.before import Before
from store.capture.changes.change import Change
from store.capture.changes.change_text import Telling, telling_of
from store.capture.findings.reviews import is_review
from store.capture.requests.request import Request, is_brief
from store.capture.steps.edited_files import EditedFile, changes_among, is_known, touched_files
from store.capture.steps.paths import is_elsewhere, is_test, project_path
from store.capture.text.accounts import closing_account
from store.capture.text.grounds import OF_ANY_WORK, Grounds, says_what
from store.capture.text.prose import CODE_NAME
from store.capture.text.worth import tells_looks
from store.text.content_words import code_words, content_words, covered

_LONG_REQUEST, _A_SENTENCE, _SAYS_ENOUGH, _SAYS_THE_SAME = 400, 150, 6, 0.5
"""Characters of a long request and of a sentence; words of code that say what a request is about;
the share of a lead's words that another has where both say the same.
"""


def code_changes(
    session: Session,
    requests: Sequence[Request],
    accounts: Mapping[str, str],
    known: Known,
    roots: tuple[str, ...] = (),
    explained: Sequence[tuple[int, str]] = (),
) -> Iterator[Candidate | Passed | Beside]:
    """One candidate for each coherent change, without the steps that memory knows already.

    A change of which nobody said what was wrong, or wanted, stands with the one before it, else
    with the next, else beside what else the session teaches. `accounts` are what the agent's own
    summary says of files, by path; `explained` what it found out before it changed any, by line.
    """
    touched = touched_files(session, roots)
    files = changes_among(touched, session)
    earlier = _earlier(session, known, set(touched), roots)
    before = Before(accounts, [], explained)
    tellings: list[Telling] = []
    for change in _changes(requests, files, session.folder):
        fresh = tuple(step for step in change.steps if not is_known(step, session, known))
        if not fresh:
            yield Passed(", ".join(file.path for file in change.files), CAPTURED)
            continue
        telling = telling_of(_only(change, fresh), before)
        if telling is None:
            yield Passed(", ".join(file.path for file in change.files), UNTOLD)
        else:
            tellings.append(telling)
    gathered = [it for it in _gathered(tellings) if not _is_told_of(it, known)]
    told = {id(each.change) for it in gathered for each in (it, *it.small)}
    for telling in tellings:
        if id(telling.change) not in told:
            yield Passed(telling.in_short(), UNTOLD)
    for telling in gathered:
        candidate = telling.candidate(session, earlier)
        is_part = _is_part_of_a_brief(telling)
        if telling.is_small or is_part:
            names = (*telling.all_files, *earlier)
            # A first memory of a project that only names files is better than none.
            is_first = not known.marks and (telling.tells_trouble or not telling.is_committed)
            is_first = is_first and not (is_part or tells_looks(candidate.content))
            yield Beside(candidate, telling.what, names, is_first)
        else:
            yield candidate
        earlier = []
    if earlier:
        yield Passed(", ".join(earlier), UNTOLD)


def _gathered(tellings: Sequence[Telling]) -> list[Telling]:
    """The tellings that stand by themselves, each with the small ones after it.

    Where all are small, the one that says most takes the others. What makes no memory of its own
    stands only beside one that does.
    """
    own = [each for each in tellings if not _is_beside(each)]
    most = max(own, key=lambda each: (not each.is_small, each.weight), default=None)
    found: list[Telling] = []
    waiting: list[Telling] = []
    for telling in tellings:
        if telling.is_bookkeeping or _is_undone(telling.change):
            continue
        before = _of_the_same(found, telling)
        if before is not None:
            found[before] = found[before].with_small([telling])
        elif telling is most or not (telling.is_small or _is_beside(telling)):
            found.append(telling.with_small(waiting))
            waiting = []
        elif found:
            found[-1] = found[-1].with_small([telling])
        else:
            waiting.append(telling)
    return found


def _of_the_same(found: Sequence[Telling], telling: Telling) -> int | None:
    """Which earlier one changed the sources of this one, too, and says half of what it does."""
    sources = {it.path for it in telling.change.files if it.weight[0]}
    if telling.is_planned or not sources or not found:
        return None
    words = content_words(telling.lead)
    same = (
        at
        for at, each in enumerate(found)
        if sources <= {it.path for it in each.change.files}
        and covered(words, content_words(each.lead)) >= _SAYS_THE_SAME
    )
    return next(same, None)


def _is_told_of(telling: Telling, known: Known) -> bool:
    """Whether other sessions' changes name most files of one that gives no reason and makes none
    but tests: what was done to them this time is in git, and in the session.
    """
    if not known.files:
        return False
    every = (telling, *telling.small)
    if any(each.why or each.gives_reason for each in every):
        return False
    files = [file for each in every for file in each.change.files]
    if any(file.how == "created" and not is_test(file.path) for file in files):
        return False
    return 3 * sum(file.path in known.files for file in files) >= 2 * len(files)


def _is_beside(telling: Telling) -> bool:
    """Whether a change makes no memory of its own: it was undone, is a note that was tried out, or
    only its file is told.
    """
    files = telling.change.files
    if telling.is_beside or _is_undone(telling.change):
        return True
    if all(file.how == "created" and file.path.endswith(".txt") for file in files):
        return not telling.gives_reason
    lists = len(telling.account) > _A_SENTENCE or not telling.account
    if lists and telling.is_committed and not telling.why and not telling.gives_reason:
        return True  # git has what was done, one by one
    if len(files) > 1 or files[0].path.endswith(".md"):
        return False
    if not telling.asked:
        return False  # nobody spoke: the file is all that is known
    return not (CODE_NAME.search(telling.asked) or says_what(telling.asked, Grounds()))


def _is_part_of_a_brief(telling: Telling) -> bool:
    """Whether an agent did the part that it was given, and gave no reason: who gave it has why,
    and git what was done.
    """
    if telling.why or telling.gives_reason:
        return False
    asked = [request.asked.text for request in telling.change.requests if request.asked]
    return bool(asked) and all(map(is_brief, asked))


def _is_undone(change: Change) -> bool:
    """Whether what was changed was deleted later: what deleted it is the change."""
    own = set(map(id, change.steps))
    return all(it.how == "deleted" and id(it.done[-1][0]) not in own for it in change.files)


def _changes(
    requests: Sequence[Request], files: Mapping[str, EditedFile], folder: str
) -> list[Change]:
    """The changes of each request; one that goes on in files of the change before joins it."""
    found: list[Change] = []
    for request in requests:
        if is_review(request, folder):
            continue
        mine = {id(step) for step in request.steps}
        touched = [f for f in files.values() if any(id(step) in mine for step, _ in f.done)]
        if not touched:
            continue
        steps = tuple(step for step in request.steps if any(
            step is done for file in touched for done, _ in file.done
        ))  # fmt: skip
        change = Change((request,), tuple(touched), steps)
        if found and _goes_on(found[-1], change):
            found[-1] = _joined(found[-1], change)
        else:
            found.append(change)
    return found


def _goes_on(before: Change, after: Change) -> bool:
    asked = after.requests[0].asked
    if asked is not None and len(asked.text) > _LONG_REQUEST:
        return False
    held = {file.path for file in before.files}
    if not all(file.path in held for file in after.files):
        return False
    return not _is_another_matter(after.requests[0])


def _is_another_matter(request: Request) -> bool:
    """Whether a request says by itself what it is about, and was answered at length."""
    if not request.said or len(code_words(request.title) - OF_ANY_WORK) < _SAYS_ENOUGH:
        return False
    return len(closing_account(request.said[-1].text)) > _LONG_REQUEST


def _joined(before: Change, after: Change) -> Change:
    return Change((*before.requests, *after.requests), before.files, (*before.steps, *after.steps))


def _only(change: Change, steps: tuple[Step, ...]) -> Change:
    """The part of a change that some of its steps made."""
    mine = {id(step) for step in steps}
    files = tuple(f for f in change.files if any(id(step) in mine for step, _ in f.done))
    requests = tuple(r for r in change.requests if any(id(step) in mine for step in r.steps))
    return Change(requests, files, steps)


def _earlier(session: Session, held: Known, named: set[str], roots: tuple[str, ...]) -> list[str]:
    """The files that only the program's snapshots show: changed before this transcript begins."""
    names = dict.fromkeys(
        project_path(path, session.folder, roots)
        for snapshot in session.snapshots
        for path in snapshot.paths
    )
    return sorted(
        name
        for name in names
        if name
        and not any(name in told for told in held.changes)
        and not is_elsewhere(name)
        and not any(f"/{each}".endswith("/" + name) for each in named)
    )
