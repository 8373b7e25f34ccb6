"""Selection of what is told: little, and only what is likely to matter. Pure.

At a session's start: what a person ruled, where the last session on this branch stopped, what is
known of what the branch changes, what is open. For a prompt: what answers its words, at most four
notes, of these two messages. Before an edit what is known of the file, after a failure its fix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, sqrt
from types import MappingProxyType
from typing import NamedTuple

from store.model import FINDER, Category, Layer, Observation, layer_of
from store.recall.files import code_spans, mention_of_file, subjects_of
from store.recall.messages import (
    carrying_sentences,
    is_by_person,
    is_part,
    statement_of,
)
from store.recall.overlaps import giving_way
from store.recall.pack import Chosen
from store.recall.reasons import Reason, Verdict
from store.recall.request import Moment, RecallRequest
from store.recall.values import Kind, Ranked
from store.recall.words import Asked, goes_on, subject_of, telling
from store.search.relevance import stems_of
from store.text.content_words import content_words, covered

MAIN_BRANCHES = frozenset({"main", "master", "trunk", "develop"})
"""Branches whose name says nothing of what is being done."""

_MOST_NOTES, _MOST_MESSAGES = 3, 2
"""The most notes that a prompt is told, and the most messages among them."""
_ABOUT, _SAID = 0.45, 0.9
"""How well (0 to 2) a memory must answer, and a message where no memory does."""
_BY_CHANCE, _SAME_SUBJECT = 6.2, 18.0
"""What words weigh that one of 500 texts has by chance: what shares no more is about something
else; and what those weigh that a session has in which the same was asked."""
_SAME, _STANDS_OUT = 0.7, 0.6
"""How well a session must answer in which the same was asked, and the share of that which the
second best may reach."""
_NEAR_BEST = 0.6
"""The share of how well the best one answers below which a memory is left out."""
_BY_WORDS = 2
"""The place of messages that only have the words asked for: behind amendments and rulings."""
_TOLD_BY = 0.6
"""The share of a message's words from which a memory that is told says it, too."""
_SAYS_NO_MORE = 0.5
"""The share of a message's telling words from which the prompt says it already."""
_IN_PROMPT = 0.85
"""The share of a note's words from which the prompt says it itself."""
_MOST_RULES, _MOST_TOUCHED, _MOST_OPEN = 8, 3, 4
_LONGEST_RULE = 400
"""Characters: what is longer is no rule, though it says `never`."""
_RULING_WORDS = frozenset({"always", "never"})
_RULES_FINDER = "rules"
"""The finder of capture that finds what a person ruled."""
_RULE_TAGS = frozenset({"rule", "preference"})
_STALE = 0.5
"""The share of its names from which a memory whose names are gone is not told at a start."""
_MOST_OF_FILE, _MOST_FIXES = 3, 2
_FIXES = frozenset({"error", "lesson", "procedure", "decision", "key-fact", "code-change"})
"""Categories in which a fix may stand."""
_LASTING = frozenset({"decision", "lesson", "key-fact"})
"""Categories of what is told of files wherever it was learned."""
_ERROR_WORDS = 2
"""Words of an error line that a memory of the same command has at least; without the command one
more, and half of the line's."""
_HANDOFF: str = Category.HANDOFF
_STATING = (Layer.SEMANTIC, Layer.PROCEDURAL)


class Selection(NamedTuple):
    """What is told, in the order in which it comes in where room is short, and why others are
    not; who is in neither is not about what was asked.
    """

    chosen: Sequence[Chosen]
    out: Mapping[str, Reason]
    session: str = ""
    """The one in which the same was asked, where one stands out."""
    fits: Mapping[str, float] = MappingProxyType({})
    """How well each memory answers a prompt, by its id."""


def select(
    ranked: Sequence[Ranked],
    request: RecallRequest,
    asked: Asked,
    handle: Callable[[Observation], str],
) -> Selection:
    """Choose of the ranked, the best first, what a request's moment is told."""
    return _Selector(ranked, request, asked, handle).select()


def refused(observation: Observation, request: RecallRequest) -> Reason | None:
    """Reason why a request rules a memory out: muted, injected already, or from its own session."""
    if request.is_muted(observation):
        return Reason(Verdict.MUTED)
    if observation.id in request.given:
        return Reason(Verdict.INJECTED)
    if request.session_id and observation.session_id == request.session_id:
        return Reason(Verdict.OWN)
    return None


def contradicted(
    ranked: Iterable[Ranked], request: RecallRequest, handle: Callable[[Observation], str]
) -> dict[str, Reason]:
    """Of two that contradict each other the later is told; why the earlier is not. Pins stand."""
    observations = [candidate.observation for candidate in ranked]
    pinned = {observation.id for observation in observations if request.is_pinned(observation)}
    return {
        identifier: Reason(why, handle(newer))
        for identifier, (why, newer) in giving_way(observations).items()
        if identifier not in pinned
    }


class _Selector:
    """The state of one selection: what is told so far, and why others are not."""

    def __init__(
        self,
        ranked: Sequence[Ranked],
        request: RecallRequest,
        asked: Asked,
        handle: Callable[[Observation], str],
    ) -> None:
        self._request, self._asked, self._handle = request, asked, handle
        self._chosen: dict[str, Chosen] = {}
        self._out: dict[str, Reason] = {}
        self._everything = ranked
        self._kept_as = {
            candidate.observation.id: candidate.kept_as for candidate in ranked if candidate.kept_as
        }
        self._same = ""
        self._fit: Mapping[str, float] = {}
        self._ranked = [candidate for candidate in ranked if not self._refuses(candidate)]

    def select(self) -> Selection:
        match self._request.moment:
            case Moment.START:
                self._select_pins()
                self._start()
            case Moment.PROMPT:
                self._select_pins()
                self._prompt()
            case Moment.EDIT:
                name = self._request.file.rpartition("/")[2]
                self._select_best(lambda it: self._is_about_file(it, name), _MOST_OF_FILE)
            case Moment.FAILURE:
                self._select_best(self._is_fix, _MOST_FIXES)
        for identifier in self._request.given & self._chosen.keys():
            del self._chosen[identifier]
            self._out[identifier] = Reason(Verdict.INJECTED)
        return Selection([*self._chosen.values()], self._out, self._same, self._fit)

    def _select_pins(self) -> None:
        for memory in self._memories():
            if self._request.is_pinned(memory.observation):
                self._select(memory, Verdict.PINNED, whole=True)

    def _refuses(self, each: Ranked) -> bool:
        """Whether the request does not want it; what the session was told already takes its place
        among the best, so that the next best do not come up one prompt after the other.
        """
        reason = refused(each.observation, self._request)
        if reason is None and each.kept_as:
            reason = Reason(Verdict.KEPT_AS, each.kept_as[-6:])
        if reason is None or reason.verdict is Verdict.INJECTED:
            return False
        self._out[each.observation.id] = reason
        return True

    def _memories(self) -> list[Ranked]:
        return [candidate for candidate in self._ranked if candidate.kind is Kind.MEMORY]

    def _select(
        self,
        each: Ranked,
        verdict: Verdict,
        heading: str = "",
        *,
        words: str = "",
        whole: bool = False,
    ) -> None:
        identifier = each.observation.id
        self._chosen.setdefault(
            identifier, Chosen(each.observation, Reason(verdict), heading, words, whole)
        )
        self._out.pop(identifier, None)

    def _without_superseded(self, candidates: Sequence[Ranked]) -> list[Ranked]:
        """The candidates without those that give way to another one of them, or to what is told."""
        told = [memory for memory in self._memories() if memory.observation.id in self._chosen]
        out = contradicted([*told, *candidates], self._request, self._handle)
        self._out |= {key: reason for key, reason in out.items() if key not in self._chosen}
        return [candidate for candidate in candidates if candidate.observation.id not in self._out]

    def _select_best(self, is_about: Callable[[Observation], bool], most: int) -> None:
        about = self._without_superseded(
            [memory for memory in self._memories() if is_about(memory.observation)]
        )
        for candidate in about[:most]:
            self._select(candidate, Verdict.RELEVANT)
        self._leave_out(about[most:])

    def _leave_out(self, others: Iterable[Ranked]) -> None:
        for other in others:
            self._out.setdefault(other.observation.id, Reason(Verdict.NOT_AMONG_BEST))

    # At a session's start.

    def _start(self) -> None:
        fresh = [memory for memory in self._memories() if not self._is_stale(memory)]
        rules = self._without_superseded(
            _newest(candidate for candidate in fresh if is_rule(candidate.observation))
        )
        for rule in rules[:_MOST_RULES]:
            self._select(rule, Verdict.RULE, "Rules:")
        self._leave_out(rules[_MOST_RULES:])
        self._select_last_session()
        if self._has_subject:
            touched = self._without_superseded(
                [candidate for candidate in fresh if self._touches(candidate.observation)]
            )
            touched.sort(key=lambda each: each.observation.category not in _LASTING)
            for candidate in touched[:_MOST_TOUCHED]:
                self._select(candidate, Verdict.TOUCHES, "About this work:")
            self._leave_out(touched[_MOST_TOUCHED:])
            if touched:
                self._select_workflow(fresh)
        opened = _newest(memory for memory in self._memories() if self._is_open(memory.observation))
        for candidate in opened[:_MOST_OPEN]:
            self._select(candidate, Verdict.OPEN, "Open:")
        self._leave_out(opened[_MOST_OPEN:])

    def _is_stale(self, each: Ranked) -> bool:
        """Most names of code in it are gone."""
        if each.stale > _STALE:
            self._out[each.observation.id] = Reason(Verdict.GONE, each.gone[0])
            return True
        return False

    @property
    def _has_subject(self) -> bool:
        """Whether something says what the session is about; a program that asks without a word
        wants what is best.
        """
        request = self._request
        is_branch = bool(request.branch) and request.branch not in MAIN_BRANCHES
        has_work = bool(request.changed_files or request.commits or request.branch_words)
        return is_branch or has_work or bool(request.issue) or not request.at_start

    def _touches(self, observation: Observation) -> bool:
        """The memory is about what the branch changes, was learned there, or is of the issue."""
        if observation.category in (Category.TASK, Category.PROCEDURE, Category.ERROR):
            return False
        request = self._request
        branch = observation.extra.get("branch")
        if request.issue and observation.issue_number == request.issue:
            return True
        if branch and branch == request.branch and branch not in MAIN_BRANCHES:
            return True
        if not (request.branch or request.changed_files or request.issue):
            return not request.at_start and observation.category != Category.HANDOFF
        if observation.category not in _LASTING or request.unmerged_branch(observation):
            return False
        content = observation.content
        return any(mention_of_file(path, content) for path in request.changed_files) or (
            not set(request.changed_files).isdisjoint(subjects_of(observation))
        )

    def _select_workflow(self, fresh: Sequence[Ranked]) -> None:
        """Tell how the project is worked on, where its instruction files don't."""
        procedures = _newest(
            candidate for candidate in fresh if candidate.observation.category == Category.PROCEDURE
        )
        for candidate in self._without_superseded(procedures)[:1]:
            spans = code_spans(candidate.observation.content)
            if any(span in self._request.instructions for span in spans):
                self._out.setdefault(candidate.observation.id, Reason(Verdict.IN_INSTRUCTIONS))
            else:
                self._select(candidate, Verdict.WORKFLOW, "How this project is worked on:")

    def _is_open(self, observation: Observation) -> bool:
        """The memory is an open task of this issue, branch or agent, or of the whole project."""
        if not observation.is_open_task:
            return False
        request = self._request
        branch = observation.extra.get("branch")
        if request.issue and observation.issue_number:
            return observation.issue_number == request.issue
        return (
            not observation.issue_number
            or observation.agent == request.agent
            or (bool(branch) and branch == request.branch)
            or (request.agent is None and not request.at_start)
        )

    def _select_last_session(self) -> None:
        """Tell where the last session stopped: a handoff of this branch, or the last session of
        all where its branch is not merged; without one, the branch's last session itself.
        """
        request = self._request
        handoffs = [
            memory for memory in self._memories()
            if memory.observation.category == _HANDOFF
            and request.issue in (None, 0, memory.observation.issue_number)
            and (request.at_start or request.agent in (None, memory.observation.agent))
        ]  # fmt: skip
        handed = {handoff.observation.session_id for handoff in handoffs} - {""}
        sessions = [
            candidate for candidate in self._ranked
            if candidate.kind is Kind.SESSION and candidate.observation.session_id not in handed
        ]  # fmt: skip
        for at, each in enumerate(_newest([*handoffs, *sessions])):
            branch = _branch_of(each)
            is_here = not request.branch or branch == request.branch
            is_waiting = each.kind is Kind.MEMORY and branch in request.unmerged
            if is_here or (at == 0 and (is_waiting or not branch)):
                self._select(each, Verdict.LAST_SESSION, "Where the last session stopped:")
                break
        for handoff in handoffs:
            if handoff.observation.id not in self._chosen:
                self._out.setdefault(handoff.observation.id, Reason(Verdict.OTHER_BRANCH))

    # For a prompt.

    def _prompt(self) -> None:
        if goes_on(self._request.task):
            self._select_last_session()
            return
        self._same = self._same_session()
        fits = self._fit = self._fits(Kind.MEMORY)
        near = max(_ABOUT, _NEAR_BEST * max(fits.values(), default=0.0))
        about = [
            memory for memory in self._memories()
            if fits.get(memory.observation.id, 0.0) >= near and not self._says_prompt(memory)
        ]  # fmt: skip
        about.sort(key=lambda each: (_is_doubtful(each), -fits[each.observation.id]))
        about = self._without_superseded(about)
        messages = self._messages(about[:_MOST_NOTES])
        best = messages[:_MOST_MESSAGES]
        for candidate in about[: _MOST_NOTES - len(best)]:
            is_same = bool(self._same) and candidate.observation.session_id == self._same
            self._select(candidate, Verdict.RELEVANT, whole=is_same)
        for each, words in best:
            self._select(each, Verdict.RELEVANT, words=words)
        self._leave_out([*about, *(each for each, _ in messages)])

    def _fits(self, kind: Kind) -> dict[str, float]:
        """How well (0 to 2) each of a kind answers what is asked: by what would be told of it, by
        what it is about, and by how relevant its own words are beside those of the best.
        """
        of_kind = [
            each for each in self._everything
            if each.kind is kind and each.observation.category != _HANDOFF
        ]  # fmt: skip
        own = max((candidate.own for candidate in of_kind), default=0.0) or 1.0
        fits = {
            candidate.observation.id: self._answers(candidate) * sqrt(candidate.own / own)
            for candidate in of_kind
        }
        for candidate in of_kind:  # what amends one answers as well as that does
            newer = self._kept_as.get(candidate.amended_by, candidate.amended_by)
            if newer in fits:
                fits[newer] = max(fits[newer], fits[candidate.observation.id])
        return fits

    def _answers(self, each: Ranked) -> float:
        """How much (0 to 2) of what is asked is told of it, and is what it is about; 0 for words
        that it may share by chance.
        """
        content = each.observation.content
        shared = self._asked.shared(telling(content, self._asked))
        subject = self._asked.shared(subject_of(content))
        weight = self._asked.weight
        least = _SAME_SUBJECT if each.kind is Kind.SESSION else _BY_CHANCE
        if weight(shared | subject) < min(least, weight(self._asked.weights)):
            return 0.0
        return self._asked.share(shared) + self._asked.share(subject)

    def _same_session(self) -> str:
        """The session in which the same was asked, where one stands out; empty where none does."""
        fits = self._fits(Kind.SESSION)
        first, second = sorted([*fits.values(), 0.0, 0.0], reverse=True)[:2]
        if first < _SAME or second > _STANDS_OUT * first:
            return ""
        return max(fits, key=fits.__getitem__)

    def _says_prompt(self, each: Ranked) -> bool:
        """The prompt says all that a note does."""
        words = content_words(each.observation.content)
        if covered(words, content_words(self._request.task)) < _IN_PROMPT:
            return False
        self._out[each.observation.id] = Reason(Verdict.IN_PROMPT)
        return True

    def _messages(self, told: Sequence[Ranked]) -> list[tuple[Ranked, str]]:
        """The messages that say what no memory that is told does, each with its telling words:
        first what amends a memory that is told, then what a person ruled in a session about the
        same subject; where no memory is told what answers the words asked itself.
        """
        amending = {each.amended_by for each in told}
        fits = self._fits(Kind.MESSAGE)
        found: list[tuple[int, Ranked, str]] = []
        for candidate in self._ranked:
            observation = candidate.observation
            if candidate.kind is not Kind.MESSAGE or is_part(observation):
                continue
            is_ruling = observation.session_id == self._same and is_by_person(observation)
            if observation.id in amending or is_ruling:
                words = statement_of(observation)
                order = 0 if observation.id in amending else 1
            elif fits.get(observation.id, 0.0) >= _SAID:
                words, order = carrying_sentences(observation, self._asked), _BY_WORDS
            else:
                continue
            if not words:
                self._out[observation.id] = Reason(Verdict.STATUS)
            elif self._is_new(observation, words, told):
                if told and order == _BY_WORDS:
                    self._out[observation.id] = Reason(Verdict.NOT_AMONG_BEST)
                else:
                    found.append((order, candidate, words))
        found.sort(key=lambda one: one[0])
        return [(each, words) for _, each, words in found]

    def _is_new(self, message: Observation, words: str, told: Sequence[Ranked]) -> bool:
        """Neither the prompt nor a memory that is told says what a message does."""
        says = content_words(words)
        if covered(says, content_words(self._request.task)) >= _SAYS_NO_MORE:
            self._out[message.id] = Reason(Verdict.IN_PROMPT)
            return False
        for memory in told:
            if memory.amended_by == message.id:
                continue
            if covered(says, content_words(memory.observation.content)) >= _TOLD_BY:
                by = self._handle(memory.observation)
                self._out[message.id] = Reason(Verdict.KEPT_AS, by)
                return False
        return True

    # At a moment of acting.

    def _is_about_file(self, observation: Observation, name: str) -> bool:
        return (
            layer_of(observation.category) is not Layer.WORKING
            and name in observation.content
            and bool(mention_of_file(self._request.file, observation.content))
        )

    def _is_fix(self, observation: Observation) -> bool:
        """The memory has half of a line of the error, or the command and a little of a line."""
        if observation.category not in _FIXES:
            return False
        content = stems_of(observation.content)
        lines = [stems_of(line) for line in self._request.task.splitlines()]
        if any(len(line & content) >= max(_ERROR_WORDS + 1, ceil(len(line) / 2)) for line in lines):
            return True
        command = stems_of(self._request.command)
        has_command = bool(command) and len(command & content) >= ceil(len(command) * 0.75)
        error = frozenset().union(*lines) - command
        return has_command and len(error & content) >= _ERROR_WORDS


def is_rule(observation: Observation) -> bool:
    """A person ruled it: marked so, or said plainly and shortly."""
    if not _RULE_TAGS.isdisjoint(observation.tags):
        return True
    finder = observation.extra.get(FINDER)
    if finder:
        return bool(finder == _RULES_FINDER)
    content = observation.content
    if layer_of(observation.category) not in _STATING or len(content) > _LONGEST_RULE:
        return False
    return not _RULING_WORDS.isdisjoint(content.lower().split())


def _is_doubtful(each: Ranked) -> bool:
    """Whether a later statement changes it, or most of the code that it names is gone."""
    return bool(each.amended_by) or each.stale > _STALE


def _branch_of(each: Ranked) -> str:
    """The branch of a memory or session; empty where it is not known."""
    if each.kind is Kind.SESSION:
        return next(iter(each.observation.tags), "")
    return str(each.observation.extra.get("branch") or "")


def _newest(candidates: Iterable[Ranked]) -> list[Ranked]:
    return sorted(
        candidates,
        key=lambda each: (each.observation.timestamp, each.observation.id),
        reverse=True,
    )
