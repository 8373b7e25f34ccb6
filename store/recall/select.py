"""Selection of what is injected into a session: little, and only what likely matters. Pure.

At a session's start: what a person ruled, where the last session on this branch stopped, what is
known of what the branch changes, what is open. For a prompt: what answers it, at most three notes.
Before an edit what is known of the file, after a failure its fix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import ceil
from typing import NamedTuple

from store.model import FINDER, Category, Layer, Observation, layer_of
from store.recall.amendments import is_statement
from store.recall.files import mention_of_file, subjects_of
from store.recall.overlaps import giving_way, is_in_sentences
from store.recall.pack import Chosen
from store.recall.query_terms import is_continuation
from store.recall.ranking import ANSWER, LEAST_ANSWER
from store.recall.reasons import CONTRADICTIONS, Reason, Verdict
from store.recall.request import Moment, RecallRequest
from store.recall.session_notes import ending_of, last_session_note, same_request_note
from store.recall.values import Candidate, Kind
from store.search.relevance import stems_of
from store.text.code import code_spans
from store.text.content_words import content_words, covered
from store.text.markdown import passages

MAIN_BRANCHES = frozenset({"main", "master", "trunk", "develop"})
"""Branches whose name says nothing of what is being done."""

_MOST_COMPARED = 100
"""How many of the best a seed's profile compares for contradictions: those that may come in."""
_MOST_NOTES = 3
"""The most notes that a prompt is told."""
_NEAR_BEST = 0.6
"""The share of how well the best memory answers below which another is left out."""
_BESIDE_MEMORY = 0.28
"""How well (0 to 1) a session must answer in which the same was asked, where a memory does, too."""
_IN_MEMORY = 0.5
"""The share of a session's note from which a memory of the session says it better."""
_IN_PROMPT = 0.85
"""The share of a memory's words from which the prompt says it itself."""
_MOST_RULES, _MOST_TOUCHED, _MOST_OPEN = 8, 3, 4
_MOST_ON_BRANCH = 6
"""Sessions from which a branch is a trunk, where all happens, if most sessions ran there: its name
is no subject."""
_LONGEST_RULE = 400
"""Characters: what is longer is no rule, though it says `never`."""
_RULING_WORDS = frozenset({"always", "never"})
_RULES_FINDER, _MODEL_FINDER = "rules", "model"
"""The finders of capture that find what a person ruled; a model writes that as lessons."""
_COMMANDS = "commands"
"""The finder that lists the commands by which a project is worked on."""
_RULE_TAGS = frozenset({"rule", "preference"})
_MOST_OF_FILE, _MOST_FIXES = 3, 2
_FIXES = frozenset({"error", "lesson", "procedure", "decision", "key-fact", "code-change"})
"""Categories in which a fix may stand."""
_LASTING = frozenset({"decision", "lesson", "key-fact"})
"""Categories of what is told of files wherever it was learned."""
_ERROR_WORDS = 2
"""Words of an error line that a memory of the same command has at least; without the command one
more, and half of the line's."""
_COMMAND_SHARE = 0.75
"""The share of a command's words that a memory of it has."""


class Selection(NamedTuple):
    """The memories to inject, the first to be packed first, and why others are not; those in
    neither have nothing to do with the request.
    """

    chosen: Sequence[Chosen]
    out: Mapping[str, Reason]


def select(
    ranked: Sequence[Candidate], request: RecallRequest, handle: Callable[[Observation], str]
) -> Selection:
    """Choose from ranked memories, best first, those to inject at a request's moment."""
    return _Selector(ranked, request, handle).select()


def refused(observation: Observation, request: RecallRequest) -> Reason | None:
    """Reason why a request rules a memory out: muted, injected already, or from its own session."""
    if request.is_muted(observation):
        return Reason(Verdict.MUTED)
    if observation.id in request.given:
        return Reason(Verdict.INJECTED)
    if request.session_id and observation.session_id == request.session_id:
        return Reason(Verdict.OWN)
    return None


def overruled(
    ranked: Iterable[Candidate], request: RecallRequest, handle: Callable[[Observation], str]
) -> dict[str, Reason]:
    """Those that give way to a later one, by their ids, and why. What is pinned never does."""
    observations = [candidate.observation for candidate in ranked]
    pinned = {observation.id for observation in observations if request.is_pinned(observation)}
    return {
        identifier: Reason(why, handle(newer))
        for identifier, (why, newer) in giving_way(observations).items()
        if identifier not in pinned
    }


def uncontradicted(
    ranked: Sequence[Candidate], request: RecallRequest, handle: Callable[[Observation], str]
) -> tuple[list[Candidate], dict[str, Reason]]:
    """Return those of a seed's profile that are neither refused nor contradicted by a later one, in
    their order, and by their ids why the others are left out.
    """
    out = {
        candidate.observation.id: reason
        for candidate in ranked
        if (reason := refused(candidate.observation, request))
    }
    standing = [candidate for candidate in ranked if candidate.observation.id not in out]
    undone = overruled(standing[:_MOST_COMPARED], request, handle)
    out |= {key: reason for key, reason in undone.items() if reason.verdict in CONTRADICTIONS}
    return [candidate for candidate in standing if candidate.observation.id not in out], out


class _Selector:
    """The state of one selection: what is chosen so far, and why others are not.

    What was injected already takes its place among the best, so that the next best do not
    come up one prompt after the other.
    """

    def __init__(
        self,
        ranked: Sequence[Candidate],
        request: RecallRequest,
        handle: Callable[[Observation], str],
    ) -> None:
        self._request, self._handle = request, handle
        self._chosen: dict[str, Chosen] = {}
        self._out: dict[str, Reason] = {}
        for candidate in ranked:
            reason = refused(candidate.observation, request)
            if reason is not None and reason.verdict is not Verdict.INJECTED:
                self._out[candidate.observation.id] = reason
        held = [candidate for candidate in ranked if candidate.observation.id not in self._out]
        self._memories = [candidate for candidate in held if candidate.kind is Kind.MEMORY]
        self._sessions = [candidate for candidate in held if candidate.kind is Kind.SESSION]

    def select(self) -> Selection:
        """Choose for the moment of the request."""
        match self._request.moment:
            case Moment.START:
                self._choose_pins()
                self._choose_for_start()
            case Moment.PROMPT:
                self._choose_pins()
                if is_continuation(self._request.task):
                    self._choose_last_session()
                else:
                    self._choose_answers()
            case Moment.EDIT:
                self._choose_best(self._is_about_file, _MOST_OF_FILE)
            case Moment.FAILURE:
                self._choose_best(self._fixes(), _MOST_FIXES)
        self._leave_out_loaded()
        for identifier in self._request.given & self._chosen.keys():
            del self._chosen[identifier]
            self._out[identifier] = Reason(Verdict.INJECTED)
        return Selection([*self._chosen.values()], self._out)

    def _leave_out_loaded(self) -> None:
        """Leave out the memories that the client has in its context anyway; not those pinned."""
        if not self._request.instructions:
            return
        for identifier, choice in [*self._chosen.items()]:
            is_pinned = choice.reason.verdict is Verdict.PINNED
            if not is_pinned and is_in_sentences(choice.observation.content, self._loaded):
                del self._chosen[identifier]
                self._out[identifier] = Reason(Verdict.IN_INSTRUCTIONS)

    @cached_property
    def _loaded(self) -> list[tuple[str, frozenset[str]]]:
        """The sentences that the client has in its context anyway, alone and with their headings,
        as an import takes them; each with its content words.
        """
        return [
            (text, content_words(text))
            for passage in passages(self._request.instructions)
            for text in (passage.text, f"{passage.heading}: {passage.text}")
        ]

    def _choose(
        self, candidate: Candidate, verdict: Verdict, heading: str = "", *, words: str = ""
    ) -> None:
        observation = candidate.observation
        is_whole = verdict is Verdict.PINNED
        choice = Chosen(observation, Reason(verdict), heading, words, is_whole)
        self._chosen.setdefault(observation.id, choice)
        self._out.pop(observation.id, None)

    def _choose_first(
        self, candidates: Sequence[Candidate], most: int, verdict: Verdict, heading: str = ""
    ) -> None:
        """Choose the first of some; the others are not among the best."""
        for candidate in candidates[:most]:
            self._choose(candidate, verdict, heading)
        for candidate in candidates[most:]:
            self._out.setdefault(candidate.observation.id, Reason(Verdict.NOT_AMONG_BEST))

    def _choose_pins(self) -> None:
        for memory in self._memories:
            if self._request.is_pinned(memory.observation):
                self._choose(memory, Verdict.PINNED)

    def _choose_best(self, is_about: Callable[[Observation], bool], most: int) -> None:
        about = [memory for memory in self._memories if is_about(memory.observation)]
        self._choose_first(self._without_overruled(about), most, Verdict.RELEVANT)

    def _without_overruled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates without those that give way to another one of them, or to a chosen one."""
        chosen = [memory for memory in self._memories if memory.observation.id in self._chosen]
        out = overruled([*chosen, *candidates], self._request, self._handle)
        self._out |= {key: reason for key, reason in out.items() if key not in self._chosen}
        return [candidate for candidate in candidates if candidate.observation.id not in self._out]

    # At a session's start.

    def _choose_for_start(self) -> None:
        current = [memory for memory in self._memories if not self._is_stale(memory)]
        rules = _newest(memory for memory in current if is_rule(memory.observation))
        self._choose_first(self._without_overruled(rules), _MOST_RULES, Verdict.RULE, "Rules:")
        self._choose_last_session()
        if self._has_subject:
            touched = self._without_overruled(
                [memory for memory in current if self._is_about_work(memory.observation)]
            )
            lasting = [one for one in touched if one.observation.category in _LASTING]
            changes = [one for one in touched if one.observation.category not in _LASTING]
            about = [*lasting[:_MOST_TOUCHED], *changes[:1]]
            others = [*lasting[_MOST_TOUCHED:], *changes[1:]]
            self._choose_first([*about, *others], len(about), Verdict.TOUCHES, "About this work:")
            for session in self._sessions:
                if session.observation.id in self._chosen:
                    note = last_session_note(session.observation.content)
                    self._leave_to_memory(session, note, about)
            if touched:
                self._choose_workflow(current)
        tasks = _newest(memory for memory in self._memories if self._is_open(memory.observation))
        self._choose_first(tasks, _MOST_OPEN, Verdict.OPEN, "Open:")

    def _is_stale(self, memory: Candidate) -> bool:
        """Most names of code in it are gone."""
        if memory.drift.is_mostly_gone:
            self._out[memory.observation.id] = Reason(Verdict.GONE, memory.drift.gone[0])
            return True
        return False

    @property
    def _has_subject(self) -> bool:
        """Return whether the request has a subject; a program that asks without a word
        wants what is best.
        """
        request = self._request
        has_work = bool(request.changed_files or request.commits or request.branch_words)
        return self._is_topic_branch or has_work or bool(request.issue) or not request.at_start

    @cached_property
    def _is_topic_branch(self) -> bool:
        branch = self._request.branch
        if not branch or branch in MAIN_BRANCHES:
            return False
        branches = {
            memory.observation.session_id: memory.observation.extra.get("branch")
            for memory in self._memories
        }
        on_branch = [*branches.values()].count(branch)
        return on_branch < _MOST_ON_BRANCH or on_branch <= len(branches) / 2

    def _is_about_work(self, observation: Observation) -> bool:
        """The memory is about what the branch changes, was learned there, or is of the issue."""
        if observation.category in (Category.TASK, Category.PROCEDURE, Category.ERROR):
            return False
        request = self._request
        branch = observation.extra.get("branch")
        if request.issue and observation.issue_number == request.issue:
            return True
        if self._is_topic_branch and branch == request.branch:
            return True
        if not (request.branch or request.changed_files or request.issue):
            return not request.at_start and observation.category != Category.HANDOFF
        if observation.category not in _LASTING or request.unmerged_branch(observation):
            return False
        content = observation.content
        return any(mention_of_file(path, content) for path in request.changed_files) or (
            not set(request.changed_files).isdisjoint(subjects_of(observation))
        )

    def _choose_workflow(self, current: Sequence[Candidate]) -> None:
        """Tell how the project is worked on, where its instruction files don't."""
        procedures = _newest(
            memory for memory in current if memory.observation.category == Category.PROCEDURE
        )
        for memory in self._without_overruled(procedures)[:1]:
            spans = code_spans(memory.observation.content)
            if any(span in self._request.instructions for span in spans):
                self._out.setdefault(memory.observation.id, Reason(Verdict.IN_INSTRUCTIONS))
            else:
                self._choose(memory, Verdict.WORKFLOW, "How this project is worked on:")

    def _is_open(self, observation: Observation) -> bool:
        """The memory is an open task of this issue, branch or agent, or of the whole project."""
        if not observation.is_open_task or self._is_outrun(observation):
            return False
        request = self._request
        branch = observation.extra.get("branch")
        if request.issue and observation.issue_number:
            return observation.issue_number == request.issue
        return (
            not observation.issue_number
            or observation.agent in request.agents
            or (bool(branch) and branch == request.branch)
            or (request.agent is None and not request.at_start)
        )

    def _is_outrun(self, task: Observation) -> bool:
        """Return whether a later session worked on the branch of a captured task, so that nobody
        knows if it did the task.
        """
        if FINDER not in task.extra:
            return False
        branch = task.extra.get("branch")
        observations = [candidate.observation for candidate in self._memories]
        on_branch = [one for one in observations if one.extra.get("branch") == branch]
        newest = max(on_branch, key=lambda one: one.timestamp, default=task)
        return newest.session_id != task.session_id

    def _choose_last_session(self) -> None:
        """Tell where the last session stopped: a handoff of this branch, or the last session of
        all where its branch is not merged; without one, the last session itself, where its branch
        is about one thing or a prompt asks to go on: elsewhere what it did is done.
        """
        request = self._request
        handoffs = [
            memory for memory in self._memories
            if memory.observation.category == Category.HANDOFF
            and request.issue in (None, 0, memory.observation.issue_number)
            and (
                request.at_start
                or request.agent is None
                or memory.observation.agent in request.agents
            )
        ]  # fmt: skip
        handed_over = {handoff.observation.session_id for handoff in handoffs} - {""}
        sessions = [
            session for session in self._sessions
            if session.observation.session_id not in handed_over
            and (self._is_topic_branch or request.moment is Moment.PROMPT)
        ]  # fmt: skip
        for at, candidate in enumerate(_newest([*handoffs, *sessions])):
            branch = _branch_of(candidate)
            is_here = not request.branch or branch == request.branch
            is_waiting = candidate.kind is Kind.MEMORY and branch in request.unmerged
            if is_here or (at == 0 and (is_waiting or not branch)):
                self._choose(candidate, Verdict.LAST_SESSION, "Where the last session stopped:")
                break
        for handoff in handoffs:
            if handoff.observation.id not in self._chosen:
                self._out.setdefault(handoff.observation.id, Reason(Verdict.OTHER_BRANCH))

    # For a prompt.

    def _choose_answers(self) -> None:
        """Choose the memories that answer a prompt, the session in which the same was asked, and
        those that amend the memories.
        """
        answering = [
            memory
            for memory in self._memories
            if _answer(memory) >= LEAST_ANSWER and not self._is_in_prompt(memory.observation)
        ]
        answering.sort(key=lambda memory: (_is_doubtful(memory), -_answer(memory)))
        answering = self._without_overruled(answering)
        answering = self._without_older_lists(answering)
        answering = [memory for memory in answering if not self._is_lesser_change(memory)]
        near_best = _NEAR_BEST * max(map(_answer, answering), default=0.0)
        answering = [memory for memory in answering if _answer(memory) >= near_best]
        amending = {memory.amended_by for memory in answering[:_MOST_NOTES]}
        sessions = {
            session.observation.id: (session, ending_of(session.observation.content))
            for session in self._sessions
            if session.observation.id in amending
        }
        least = _BESIDE_MEMORY if answering else LEAST_ANSWER
        same = max(self._sessions, key=_answer, default=None)
        note = same_request_note(same.observation.content) if same is not None else ""
        if (
            same is not None
            and note
            and _answer(same) >= least
            and not self._leave_to_memory(same, note, answering[:_MOST_NOTES])
        ):
            sessions[same.observation.id] = same, note
        self._choose_first(answering, max(1, _MOST_NOTES - len(sessions)), Verdict.RELEVANT)
        for session, words in sessions.values():
            self._choose(session, Verdict.RELEVANT, words=words)

    def _without_older_lists(self, answering: Sequence[Candidate]) -> list[Candidate]:
        """Leave out all lists of commands but the newest: capture begins another where one is
        full.
        """
        lists = _newest(one for one in answering if one.observation.extra.get(FINDER) == _COMMANDS)
        older = {one.observation.id for one in lists[1:]}
        self._out |= dict.fromkeys(older, Reason(Verdict.NOT_AMONG_BEST))
        return [one for one in answering if one.observation.id not in older]

    def _leave_to_memory(
        self, session: Candidate, note: str, memories: Sequence[Candidate]
    ) -> bool:
        """Leave a session out where one of its memories has the content of its note."""
        for memory in memories:
            says = covered(content_words(note), content_words(memory.observation.content))
            is_of_session = memory.observation.session_id == session.observation.session_id
            if is_of_session and says >= _IN_MEMORY:
                by = self._handle(memory.observation)
                self._chosen.pop(session.observation.id, None)
                self._out[session.observation.id] = Reason(Verdict.SUMMED_UP, by)
                return True
        return False

    def _is_in_prompt(self, observation: Observation) -> bool:
        """Leave out a memory that the prompt repeats, and return whether it does."""
        words = content_words(observation.content)
        if covered(words, content_words(self._request.task)) < _IN_PROMPT:
            return False
        self._out[observation.id] = Reason(Verdict.IN_PROMPT)
        return True

    def _is_lesser_change(self, memory: Candidate) -> bool:
        """Leave out a change where another memory is more relevant, and return whether it is one:
        what happened once teaches little beside what is known (`tests.bench.worth`).
        """
        is_change = memory.observation.category == Category.CODE_CHANGE
        if not is_change or memory.signals.get("bm25", 0.0) >= 1.0:  # as a share of the best's
            return False
        self._out[memory.observation.id] = Reason(Verdict.NOT_AMONG_BEST)
        return True

    # At a moment of acting.

    def _is_about_file(self, observation: Observation) -> bool:
        file = self._request.file
        return (
            layer_of(observation.category) is not Layer.WORKING
            and file.rpartition("/")[2] in observation.content
            and bool(mention_of_file(file, observation.content))
        )

    def _fixes(self) -> Callable[[Observation], bool]:
        """Return the test for memories that have half of a line of the error, or the command and a
        little of a line.
        """
        lines = [stems_of(line) for line in self._request.task.splitlines()]
        command = stems_of(self._request.command)
        error = frozenset().union(*lines) - command

        def is_fix(observation: Observation) -> bool:
            if observation.category not in _FIXES:
                return False
            content = stems_of(observation.content)
            shared = ((len(line & content), ceil(len(line) / 2)) for line in lines)
            if any(number >= max(_ERROR_WORDS + 1, half) for number, half in shared):
                return True
            has_command = bool(command) and covered(command, content) >= _COMMAND_SHARE
            return has_command and len(error & content) >= _ERROR_WORDS

        return is_fix


def is_rule(observation: Observation) -> bool:
    """Return whether a person ruled it: marked so, or plain and short."""
    if not _RULE_TAGS.isdisjoint(observation.tags):
        return True
    finder = observation.extra.get(FINDER)
    if finder:
        is_lesson = finder == _MODEL_FINDER and observation.category == Category.LESSON
        return is_lesson or finder == _RULES_FINDER
    content = observation.content
    if not is_statement(observation) or len(content) > _LONGEST_RULE:
        return False
    return not _RULING_WORDS.isdisjoint(content.lower().split())


def _answer(candidate: Candidate) -> float:
    return candidate.signals.get(ANSWER, 0.0)


def _is_doubtful(candidate: Candidate) -> bool:
    """Return whether a later statement changes it, or most of the code that it names is gone."""
    return bool(candidate.amended_by) or candidate.drift.is_mostly_gone


def _branch_of(candidate: Candidate) -> str:
    """Return the branch of a memory or session; empty where it is not known."""
    if candidate.kind is Kind.SESSION:
        return next(iter(candidate.observation.tags), "")
    return str(candidate.observation.extra.get("branch") or "")


def _newest(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(
        candidates,
        key=lambda candidate: (candidate.observation.timestamp, candidate.observation.id),
        reverse=True,
    )
