"""Code changes: one memory for what a request changed, with its files, what was done and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename

from store.agents.session import Session, Step
from store.agents.transcript import Message
from store.capture.accounts import cause_in, told_work
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, shorten
from store.capture.edited_files import EditedFile, changes_among, is_known, touched_files
from store.capture.paths import project_path
from store.capture.request import Request
from store.capture.reviews import is_review
from store.capture.shell import commit_message
from store.capture.tools import command_of
from store.model import Category
from store.notice import notice
from store.text.content_words import content_words, covered

_ELSEWHERE = ("/", "~", "../")
_UNTOLD = notice("untold")
_WISHES = re.compile(r"(?:\w+,? ){0,2}(?:can|could|would|should) (?:you|we)\b", re.I)
_TIDIES = re.compile(
    r"(?:(?:can|could) you |please |now )*(?:fix|resolve|address)\b.{0,20}"
    r"\b(?:lint\w*|format\w*|compiler?) (?:errors?|issues?|warnings?)\W*$"
    r"|(?:fix|style|chore)(?:\([\w-]+\))?: .{0,40}\b(?:gofmt|fmt|\w*lint\w*|format\w*|typos?"
    r"|whitespace)\b",
    re.I,
)
"""What a linter asked for is told by the linter."""
_CLAUSE_END = re.compile(r"(?<=[;.!?])\s+")
_SAID, _SHORTEST_NEWS = 0.75, 24
_FEW_WORDS = 3
_LONG_REQUEST = 400
_LONGEST_ACCOUNT = 1_100
_MOST_FILES = 1_000
"""Characters of the list of files."""


@dataclass(frozen=True, slots=True)
class Change:
    """A coherent change: the requests it answers, the files it changed and the steps that did."""

    requests: tuple[Request, ...]
    files: tuple[EditedFile, ...]
    steps: tuple[Step, ...]


def code_changes(
    session: Session,
    requests: Sequence[Request],
    accounts: Mapping[str, str],
    known: Known,
    roots: tuple[str, ...] = (),
) -> Iterator[Candidate | Passed]:
    """One candidate for each coherent change, without the steps that memory knows already.

    `accounts` are what the agent's own summary says of files, by path.
    """
    touched = touched_files(session, roots)
    files = changes_among(touched, session)
    earlier = _earlier(session, known, set(touched), roots)
    said: list[frozenset[str]] = []
    for change in _changes(requests, files):
        fresh = tuple(step for step in change.steps if not is_known(step, session, known))
        if not fresh:
            yield Passed(", ".join(file.path for file in change.files), CAPTURED)
            continue
        told = _told(session, _only(change, fresh), _Before(accounts, earlier, said))
        yield told or Passed(", ".join(file.path for file in change.files), _UNTOLD)
        earlier = [] if told else earlier
    if earlier:
        yield Passed(", ".join(earlier), _UNTOLD)


def _changes(requests: Sequence[Request], files: Mapping[str, EditedFile]) -> list[Change]:
    """The changes of each request; one that goes on in files of the change before joins it."""
    found: list[Change] = []
    for request in requests:
        if is_review(request):
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
    return all(file.path in held for file in after.files)


def _joined(before: Change, after: Change) -> Change:
    return Change((*before.requests, *after.requests), before.files, (*before.steps, *after.steps))


def _only(change: Change, steps: tuple[Step, ...]) -> Change:
    """The part of a change that some of its steps made."""
    mine = {id(step) for step in steps}
    files = tuple(f for f in change.files if any(id(step) in mine for step, _ in f.done))
    requests = tuple(r for r in change.requests if any(id(step) in mine for step in r.steps))
    return Change(requests, files, steps)


@dataclass(frozen=True, slots=True)
class _Before:
    """What else is known of a change: what the agent's summary says of files, the files that only
    the program's snapshots show, and what the changes before it have told, in words a clause.
    """

    accounts: Mapping[str, str]
    files: Sequence[str]
    said: list[frozenset[str]]

    def news(self, account: str) -> str:
        """An account, without the clauses told before where these are most of it."""
        clauses = [(each, content_words(each)) for each in _CLAUSE_END.split(account) if each]
        new = [
            (clause, words)
            for clause, words in clauses
            if len(words) < _FEW_WORDS or not any(covered(words, it) >= _SAID for it in self.said)
        ]
        self.said.extend(words for _, words in new)
        if 2 * len(new) > len(clauses):
            return account
        return " ".join(clause for clause, _ in new).rstrip("; ")


def _told(session: Session, change: Change, before: _Before) -> Candidate | None:
    """What changed and why; None where nobody said more than that something be done."""
    files = sorted(change.files, key=lambda file: file.weight, reverse=True)
    last = change.requests[-1]
    said = [each for request in change.requests for each in request.said]
    account, where = _work(change)
    account = account or _account(files, before.accounts) or _commit(last.steps)
    news = before.news(account)
    if news != account and len(news) < _SHORTEST_NEWS:
        return None
    account = news
    why, _ = cause_in(said, change.steps[-1].call.line)
    asked = _asked(change.requests)
    spoke = any(each.asked for request in change.requests for each in request.exchanges)
    if not account and not why and spoke and not _says_what(asked):
        return None
    if _TIDIES.match(asked) or _TIDIES.match(account):
        return None
    head = f"{_headline(files)}: {account or asked or _extent(files)}"
    parts = [_stopped(head)]
    if asked and account:
        parts.append(f"Asked: {asked}")
    if why and why not in account:
        parts.append(f"Why: {why}")
    listed = _listed(files)
    if listed:
        parts.append(f"Files: {listed}.")
    if before.files:
        shown = shorten(", ".join(before.files), _MOST_FILES)
        parts.append(f"Changed earlier in this session: {shown}")
    return Candidate(
        category=Category.CODE_CHANGE,
        content="\n".join(parts),
        summary=head,
        line=change.steps[-1].call.line,
        at=change.steps[-1].call.at,
        passage=shorten(where.text if where else asked or head, 600),
        marks=session.marks(change.steps),
    )


def _says_what(asked: str) -> bool:
    """Whether a request says by itself what was changed: neither two words nor a question."""
    if asked.endswith("?") and not _WISHES.match(asked):
        return False
    return len(content_words(asked)) >= _FEW_WORDS


def _work(change: Change) -> tuple[str, Message | None]:
    """What the agent says it did for each request of the change, the last first where both fit."""
    mine = {id(step) for step in change.steps}
    told: dict[str, Message | None] = {}
    for request in change.requests:
        steps = [step for step in request.steps if id(step) in mine]
        closing = [
            each.said[-1]
            for each in request.exchanges
            if each.said and any(id(step) in mine for step in each.steps)
        ]
        account, where = told_work(request.said, steps, closing)
        if account:
            told[account] = where
    return shorten(" ".join(_stopped(each) for each in told), 1_100), next(
        iter(told.values()), None
    )


def _stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _account(files: Sequence[EditedFile], accounts: Mapping[str, str]) -> str:
    """What the agent's own summary says of the files, where it speaks of the first of them."""
    told: dict[str, str] = {}
    for file in files:
        for path, text in accounts.items():
            if (
                path == file.path
                or path.endswith("/" + file.path)
                or file.path.endswith("/" + path)
            ):
                told.setdefault(file.path, text)
    if not files or files[0].path not in told:
        return ""
    if len(told) == 1:
        return told[files[0].path]
    return shorten("; ".join(f"{basename(path)}: {text}" for path, text in told.items()), 900)


def _headline(files: Sequence[EditedFile]) -> str:
    """The files in short: the first two, and how many more."""
    shown = ", ".join(_named(file) for file in files[:2])
    more = len(files) - 2
    return f"{shown} and {more} more" if more > 0 else shown


def _named(file: EditedFile) -> str:
    note = {"created": " (new)", "deleted": " (deleted)", "moved": " (moved)"}.get(file.how, "")
    return file.path + note


def _listed(files: Sequence[EditedFile]) -> str:
    """The files that the headline does not name."""
    rest = [_named(file) for file in files[2:]]
    while rest and len(", ".join(rest)) > _MOST_FILES:
        rest.pop()
    return ", ".join(rest)


def _asked(requests: Sequence[Request]) -> str:
    titles = list(dict.fromkeys(title for request in requests if (title := request.title)))
    first, *later = titles or [""]
    later = [each for each in later if not each.endswith("?") or _WISHES.match(each)]
    return f"{first} Then: {'; '.join(later[:3])}" if later else first


def _commit(steps: Sequence[Step]) -> str:
    messages = [message for step in steps if (message := commit_message(command_of(step.call)))]
    return messages[-1] if messages else ""


def _extent(files: Sequence[EditedFile]) -> str:
    edits = [edit for file in files for _, edit in file.done]
    names = list(dict.fromkeys(name for edit in edits for name in edit.names))
    added, removed = sum(e.added for e in edits), sum(e.removed for e in edits)
    size = f"{files[0].how} (+{added} −{removed} lines)" if added or removed else files[0].how
    return f"{size} at {', '.join(names[:6])}" if names else size


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
        and not name.startswith(_ELSEWHERE)
        and not any(f"/{each}".endswith("/" + name) for each in named)
    )
