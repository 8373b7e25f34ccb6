"""How a change is told: its files, what was done, what was asked for, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import basename, dirname
from typing import NamedTuple

from store.agents.session import Session, Step
from store.agents.transcript import Message
from store.capture.candidate import Candidate, listed, passage_of, shorten
from store.capture.changes.asked import asked_for, is_request, why_asked
from store.capture.changes.before import Before, cause_of
from store.capture.changes.change import Change
from store.capture.changes.change_layout import done_of, laid_out, lead_of, named
from store.capture.decisions.pasted_plans import fault_in, says_what_is_done, why_of
from store.capture.requests.request import Request, is_brief
from store.capture.steps.edited_files import EditedFile
from store.capture.steps.paths import is_test
from store.capture.steps.shell import commit_message
from store.capture.steps.tools import command_of
from store.capture.text.accounts import aims_of, tells_reason, tells_why, told_work
from store.capture.text.causes import names_cause
from store.capture.text.grounds import Grounds, grounds_of
from store.capture.text.prose import CODE_NAME, sentences, stopped
from store.capture.text.trouble import says_trouble
from store.capture.text.worth import worth_of
from store.model import Category
from store.text.phrases import Phrases
from store.text.regex import regex

_TIDIES = Phrases(
    patterns={
        "lint|format|compile": (
            r"^(?:(?:can|could) you |please |now )*(?:fix|resolve|address)\b.{0,20}"
            r"\b(?:lint\w*|format\w*|compiler?) (?:errors?|issues?|warnings?)\W*$"
        ),
        "lint": r"^(?:(?:mise|make|npm|yarn|pnpm|just)\b.{0,20})?\blint\w*\b.{0,30}\berrors?\b",
        "comment|typo|docstring": (
            r"^(?:fix(?:ed)?|correct(?:ed)?) (?:the |a |an )?(?:\w+ )?(?:comment|typo|docstring)s?"
            r"\b"
        ),
        ":": (
            r"^\S+\.\w+:\d+:\d+: |^(?:fix|style|chore)(?:\([\w-]+\))?: .{0,40}\b(?:gofmt|fmt"
            r"|\w*lint\w*|format\w*|typos?|whitespace)\b"
        ),
    }
)
"""What a linter asked for is told by the linter."""
_RESOLVES = regex(
    r"\b(?:merge )?conflicts? (?:in|between|during|\d)\b|\bmerge conflicts?\b"
    r"|\bthere (?:was|were|are) (?:a )?conflicts?\b"
    r"|\bconflict (?:files?|markers?|resolution)\b|\b(?:we|do) have conflicts with\b|\b(?:keep"
    r"|kept|take|use) HEAD\b"
)
_TEXTS = (".md", ".mdx", ".rst", ".mmd")
_TRIFLE = 300
"""The weight below which what is told of a file that any project has is no memory."""
_RELEASED = frozenset(
    "changelog.md package.json package-lock.json version pyproject.toml cargo.toml"
    " cargo.lock".split()
)
_OF_ANY_PROJECT = frozenset("license notice codeowners .gitignore .editorconfig".split())
_DESIGNS = regex(r"(?:^|/)(?:adrs?|rfcs?|specs?|designs?|plans?|decisions?)(?:/|[-_.])", re.I)
_SHORTEST_NEWS = 24
"""Characters of what is left of an account without what is known."""
_SMALL, _REASON_COUNTS = 150, 150
"""Characters told that are enough for a memory of its own, and those that a reason counts for."""
_LONGEST_ACCOUNT, _LONGEST_TROUBLE, _LONGEST_SMALL = 900, 280, 160
"""Characters: of an account, of what was wrong, and of a small change."""
_MOST_FILES, _MOST_BESIDE = 1_000, 300
"""Characters of the list of files, and of those that were changed beside."""


class Telling(NamedTuple):
    """A change and what is told of it. `small` are others, told with it in a line each."""

    change: Change
    account: str
    asked: str
    why: str
    where: Message | None
    from_commit: bool = False
    is_planned: bool = False
    small: tuple[Telling, ...] = ()

    @property
    def is_small(self) -> bool:
        """Whether what is told is too little for a memory of its own."""
        if self.is_of_tests or self.weight < _SMALL or not self.tells_trouble:
            return True
        return self.worth < 1

    @property
    def worth(self) -> int:
        """The points by which it is a memory of its own."""
        return worth_of(
            self.lead,
            done_of(self.account),
            [file.path for file in self.change.files],
            is_planned=self.is_planned,
            are_several=" Then: " in self.asked,
        )

    @property
    def lead(self) -> str:
        """What says why it was made."""
        return lead_of(self.account, self.why, is_planned=self.is_planned)

    @property
    def tells_trouble(self) -> bool:
        """Whether what is told says what was wrong, or wanted: the rest is in git."""
        return self.is_planned or says_trouble(self.lead)

    @property
    def gives_reason(self) -> bool:
        """Whether what is told says why, or how it is now and was not: the rest is in git."""
        told = sentences(f"{self.account}\n{self.asked}")
        return any(tells_why(each) for each in told if not each.endswith("?"))

    @property
    def is_committed(self) -> bool:
        """Whether the session committed it: git has it, with what was said of it there."""
        return any(map(_has_git, self.change.requests))

    @property
    def resolves(self) -> bool:
        """Whether it is what a merge or a rebase needed, which git has."""
        return bool(_RESOLVES.search(f"{self.asked}\n{self.account}"))

    @property
    def is_of_tests(self) -> bool:
        """Whether only tests were changed, for no reason told: they are part of another change."""
        if self.why or not all(is_test(file.path) for file in self.change.files):
            return False
        return not any(map(tells_reason, sentences(self.account)))

    @property
    def is_trifle(self) -> bool:
        """Whether it is what a release counts up, or a file that any project has, for no reason."""
        names = {basename(file.path).lower() for file in self.change.files}
        if self.why or any(map(names_cause, sentences(self.account))):
            return False
        return names <= _RELEASED or (names <= _OF_ANY_PROJECT and self.weight < _TRIFLE)

    @property
    def tells_itself(self) -> bool:
        """Whether only texts were changed, for no reason: they say themselves what they say.

        A new one that nobody told of is named, so that it is found; so is one that designs.
        """
        if self.why or any(map(names_cause, sentences(self.account))):
            return False
        if self.from_commit and not self.asked:
            return True
        texts = {dirname(f.path) for f in self.change.files if f.path.lower().endswith(_TEXTS)}
        beside = (it for it in self.change.files if not it.path.lower().endswith(_TEXTS))
        if not texts or any(it.weight[0] or dirname(it.path) not in texts for it in beside):
            return False
        is_new = any(file.how == "created" for file in self.change.files)
        designs = any(_DESIGNS.search(file.path) for file in self.change.files)
        return self.from_commit or not (is_new and (designs or not self.account))

    @property
    def is_beside(self) -> bool:
        """Whether it makes no memory of its own, however much is told of it."""
        return self.tells_itself or self.resolves or self.is_trifle

    @property
    def is_bookkeeping(self) -> bool:
        """Whether only texts that a program keeps of its own work were changed, for no reason."""
        return self.tells_itself and all(it.path[0] in "._" for it in self.change.files)

    @property
    def weight(self) -> int:
        """How much is told that the code does not say: a reason for it counts as much as words."""
        reasons = bool(self.why) + sum(map(tells_reason, sentences(self.account)))
        return len(self.account) + _REASON_COUNTS * reasons

    def with_small(self, others: Sequence[Telling]) -> Telling:
        """The telling with others told beside it."""
        return self._replace(small=(*self.small, *others))

    def candidate(self, session: Session, earlier: Sequence[str]) -> Candidate:
        """What is remembered of it. `earlier` are files that only the program's snapshots show."""
        change = self.change
        parts = laid_out(
            _ranked(change), self.account, self.asked, self.why, is_planned=self.is_planned
        )
        head = parts[0]
        parts += self._others(" ".join(parts))
        if earlier:
            parts.append(
                f"Changed earlier in this session: {shorten(', '.join(earlier), _MOST_FILES)}"
            )
        steps = (*change.steps, *(step for each in self.small for step in each.change.steps))
        return Candidate(
            category=Category.CODE_CHANGE,
            content="\n".join(parts),
            summary=head.removesuffix("."),
            line=change.steps[-1].call.line,
            at=change.steps[-1].call.at,
            passage=passage_of(self.where.text if self.where else self.asked or head),
            marks=session.marks(steps),
        )

    def _others(self, told: str) -> list[str]:
        """The small ones: those with a reason in a line each, of the rest their files that are
        not `told` of.
        """
        shown = [each for each in self.small if each.tells_trouble and each.worth > 0]
        rest = [it for each in self.small if each not in shown for it in _ranked(each.change)]
        lines = [f"Also {each.in_short()}" for each in shown]
        named_before = f"{told} {' '.join(lines)}"
        names = dict.fromkeys(named(it) for it in rest if it.path not in named_before)
        return [*lines, f"Also changed: {listed(list(names), _MOST_BESIDE)}."] if names else lines

    @property
    def what(self) -> str:
        """What was asked for, else done, in a line."""
        return shorten(self.asked or self.account, _LONGEST_SMALL)

    @property
    def all_files(self) -> tuple[str, ...]:
        """The files of all of it, and what became of each."""
        every = (it for each in (self, *self.small) for it in _ranked(each.change))
        return tuple(dict.fromkeys(map(named, every)))

    def in_short(self) -> str:
        """Its files, and in a line what is told of it, or was asked for."""
        files = _ranked(self.change)
        names = shorten(", ".join(map(named, files)), _MOST_FILES)
        if self.lead and self.tells_trouble:
            return f"{names}: {stopped(shorten(self.lead, _LONGEST_TROUBLE))}"
        return f"{names}: {stopped(shorten(self.account or self.asked, _LONGEST_SMALL))}"


def telling_of(change: Change, before: Before) -> Telling | None:
    """What is told of a change; None where nobody said more than that something be done."""
    files = _ranked(change)
    grounds = grounds_of(change.steps, [file.path for file in files])
    last = change.requests[-1]
    said = [each for request in change.requests for each in request.said]
    account, where = _work(change, grounds)
    account = account or _account(files, before.accounts)
    commit = "" if account else _commit(last.steps)
    account = account or commit or _aims(change)
    news = before.news(account)
    if news != account and len(news) < _SHORTEST_NEWS:
        return None
    plans = [it for r in change.requests if r.asked and (it := why_of(r.asked.text))]
    planned = next((it for it in plans if not says_what_is_done(it)), "")
    why = planned or cause_of(change, said, grounds.hold)
    if not planned and (found := before.cause(change, grounds, account)):
        why = planned = found
    if not why and (problem := _problem(said, change, grounds)):
        why = planned = problem
    if not why and plans and not any(map(tells_reason, sentences(news))):
        why = planned = plans[0]
    asked = asked_for(change.requests, grounds)
    if not planned and not says_trouble(lead_of(news, why, is_planned=False)):
        planned = why_asked(change.requests, grounds)
        why = planned or why
    if not news and not why and not asked:
        asked = next((r.title for r in change.requests if is_request(r.title)), "")
        if not asked and _spoke(change):
            return None
    if _TIDIES.stand_in(asked) or _TIDIES.stand_in(news):
        return None
    return Telling(
        change,
        news,
        asked,
        why,
        where,
        from_commit=bool(commit) and _has_git(last),
        is_planned=bool(planned),
    )


def _problem(said: Sequence[Message], change: Change, grounds: Grounds) -> str:
    """What a message before the change tells below a heading such as "Problem"."""
    before = (it for it in reversed(said) if it.line < change.steps[0].call.line)
    told = (fault_in(each.text) for each in before)
    return next((it for it in told if CODE_NAME.search(it) and grounds.hold(it)), "")


def _spoke(change: Change) -> bool:
    """Whether a person spoke, not only a program that gave the agent its part."""
    every = (each.asked for request in change.requests for each in request.exchanges)
    return any(asked and not is_brief(asked.text) for asked in every)


def _ranked(change: Change) -> list[EditedFile]:
    return sorted(change.files, key=lambda file: file.weight, reverse=True)


def _work(change: Change, grounds: Grounds) -> tuple[str, Message | None]:
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
        account, where = told_work(request.said, steps, closing, grounds.hold)
        if account:
            told[account] = where
    return shorten(" ".join(stopped(each) for each in told), _LONGEST_ACCOUNT), next(
        iter(told.values()), None
    )


def _aims(change: Change) -> str:
    """What the agent announced to do, where it never said what it did."""
    return shorten("; ".join(aims_of(change.steps)), _LONGEST_ACCOUNT)


def _account(files: Sequence[EditedFile], accounts: Mapping[str, str]) -> str:
    """What the agent's own summary says of the files, where it speaks of the first of them."""
    told: dict[str, str] = {}
    for file in files:
        for path, text in accounts.items():
            if f"/{path}".endswith(f"/{file.path}") or f"/{file.path}".endswith(f"/{path}"):
                told.setdefault(file.path, text)
    if not files or files[0].path not in told:
        return ""
    if len(told) == 1:
        return told[files[0].path]
    return shorten("; ".join(f"{basename(path)}: {text}" for path, text in told.items()), 900)


def _commit(steps: Sequence[Step]) -> str:
    told = (commit_message(command_of(step.call)) for step in reversed(steps))
    return next(filter(None, told), "")


def _has_git(request: Request) -> bool:
    """Whether git has what a request committed: not where all of its commits failed."""
    commits = [step for step in request.steps if commit_message(command_of(step.call))]
    return any(not step.failed for step in commits)
