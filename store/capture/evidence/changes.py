"""What was asked, and which files changed for it: one memory for a coherent piece of work.

Its words are those of the session: the person's request, what the agent had found before its first
edit, and what it said after the last, by the sentences that name most of what was written or
failed. Requests that follow each other are one piece of work where they changed mostly the same
files, or where the later one changed only tests and documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import basename

from store.agents.changed_files import SUB_AGENTS, EditedFile, changed_files
from store.agents.checks import has_failed
from store.agents.session import Step
from store.agents.tools import tool_name
from store.agents.transcript import Message
from store.capture.candidate import CAPTURED, UNTOLD, Candidate, Skipped, passage_of
from store.capture.evidence.plans import why_of
from store.capture.key_sentences import joined, key_sentences, names_in, sentences_of, words_in
from store.capture.work import Reading, Work
from store.model import Category
from store.text.code import REMOVED
from store.text.content_words import content_words
from store.text.shortening import cut, listed

_SAME_FILES = 0.5
"""The share of the smaller of two sets of files that makes their requests one piece of work."""
_LATER = 2
"""Requests that are named after the first: the last ones."""
_FEW_WORDS = 10
"""Words with a meaning of a request that rests on what was talked of before it."""
_REQUEST, _LATER_REQUEST = 320, 160
"""Characters of the first request and of a later one."""
_FOUND, _DONE, _LATER_DONE = 360, 480, 260
"""Characters of what the agent said before its first edit, after its last, and of a later work."""
_FAILURE = 4_000
"""Characters of what a failed call printed that are looked at."""
_FILES = 420
"""Characters of the list of files."""
_BECAME = {"created": " (new)", "deleted": REMOVED}


@dataclass(slots=True)
class _Piece:
    """Works that changed mostly the same files, each with its edits; `talk` is the work before them
    where that changed nothing.
    """

    talk: Work | None
    works: list[tuple[Work, list[Step]]] = field(default_factory=list)
    files: dict[str, EditedFile] = field(default_factory=dict)


def find(reading: Reading) -> Iterator[Candidate | Skipped]:
    """Yield a memory for each piece of work that changed files of the project."""
    session = reading.session
    changed = changed_files(session, reading.roots)
    changed_by: defaultdict[int, list[EditedFile]] = defaultdict(list)
    for file in changed.values():
        for step, _ in file.done:
            changed_by[id(step)].append(file)
    pieces: list[_Piece] = []
    talk: Work | None = None
    for work in reading.works:
        steps = [step for step in work.steps if id(step) in changed_by]
        files = {file.path: file for step in steps for file in changed_by[id(step)]}
        fresh = [step for step in steps if not reading.known.issuperset(session.marks([step]))]
        if not fresh:
            if files:
                yield Skipped(work.title or listed(list(files), _FILES), CAPTURED)
            talk = None if files else work
            continue
        if not pieces or not _is_part_of(pieces[-1].files, files):
            pieces.append(_Piece(talk=talk))
        talk = None
        pieces[-1].works.append((work, fresh))
        pieces[-1].files |= files
    earlier = _changed_earlier(reading, changed)
    for piece in pieces:
        candidate = _candidate(reading, piece, earlier)
        if candidate is None:
            yield Skipped(listed(list(piece.files), _FILES), UNTOLD)
        else:
            earlier = []
            yield candidate


def _is_part_of(piece: dict[str, EditedFile], files: dict[str, EditedFile]) -> bool:
    """True if a change goes on with a piece of work: by its files, or as its tests and texts."""
    if not any(file.is_source for file in files.values()):
        return True
    shared = len(piece.keys() & files.keys())
    return shared > 0 and shared >= _SAME_FILES * min(len(piece), len(files))


def _changed_earlier(reading: Reading, changed: dict[str, EditedFile]) -> list[str]:
    """Return the files of the project of which the client keeps copies, as the session changed them
    before the transcript begins.
    """
    kept = (path for snapshot in reading.session.snapshots for path in snapshot.paths)
    paths = dict.fromkeys(map(reading.own_path, kept))
    return [path for path in paths if path and path not in changed]


def _candidate(reading: Reading, piece: _Piece, earlier: Sequence[str]) -> Candidate | None:
    """The memory of a piece of work; None where neither a request nor a message says anything."""
    (first, edits), *later = piece.works
    asked, after = _request(first, piece.talk), _messages_after(first, edits)
    if not asked and not after:
        return None
    words = words_in(_evidence(piece))

    def key_part(messages: Iterable[Message], limit: int) -> str:
        return key_sentences(_sentences(reading, messages), words, limit)

    before = [message for message in first.messages if message.line <= edits[0].call.line]
    if piece.talk and _is_short(first):
        before = [*piece.talk.messages[-1:], *before]
    found, done = key_part(before, _FOUND), key_part(after, _DONE)
    if not done and after:
        longest = max(after, key=lambda message: len(message.text))
        done = cut(joined(_sentences(reading, [longest])), _LATER_DONE)
    elif not done and not found and before:
        done = cut(joined(sentences_of(before[-1].text)), _LATER_DONE)
    parts = [asked, f"Found: {found}" if found else "", f"Done: {done}" if done else ""]
    for work, own in later[-_LATER:]:
        result = key_part(_messages_after(work, own), _LATER_DONE)
        if result or not _is_short(work):
            request = cut(work.title, _LATER_REQUEST)
            parts.append("Then: " + " – ".join(filter(None, (request, result))))
    parts += _file_lists(reading, piece, earlier)
    steps = [step for _, own in piece.works for step in own]
    last = [
        message for work, own in piece.works for message in _messages_after(work, own)
    ] or before
    return Candidate(
        category=Category.CODE_CHANGE,
        content="\n".join(filter(None, parts)),
        summary=" – ".join(filter(None, (cut(asked, 110), done or found))),
        line=max([steps[-1].call.line, *(message.line for message in last)]),
        at=steps[-1].call.at,
        passage=passage_of(last[-1].text if last else asked),
        marks=reading.session.marks(steps),
    )


def _request(work: Work, talk: Work | None) -> str:
    """Return the request as it was made; a plan by its title, and why it was made. One of a few
    words with the request that it rests on.
    """
    if work.asked is None:
        return ""
    if why := why_of(work.asked.text):
        return cut(f"{work.title.rstrip('.')}. {why}", _REQUEST)
    if talk and talk.title and _is_short(work):
        return f"{cut(talk.title, _REQUEST - _LATER_REQUEST)} … {cut(work.title, _LATER_REQUEST)}"
    return cut(work.title, _REQUEST)


def _is_short(work: Work) -> bool:
    """Return whether a request has so few words that it rests on what was said before it."""
    return work.asked is None or len(content_words(work.asked.text)) <= _FEW_WORDS


def _messages_after(work: Work, steps: Sequence[Step]) -> list[Message]:
    """Return what the agent said of a work after its last change."""
    return [message for message in work.messages if message.line > steps[-1].call.line]


def _sentences(reading: Reading, messages: Iterable[Message]) -> list[str]:
    """Return the sentences of messages, an empty one after each, but for the last of one that a
    tool call follows: that announces the call.
    """
    announcing = {id(step.before) for step in reading.session.steps}
    found: list[str] = []
    for message in messages:
        parts = list(sentences_of(message.text))
        found += [*(parts[:-1] if id(message) in announcing else parts), ""]
    return found


def _evidence(piece: _Piece) -> Iterator[str]:
    """Yield what was written for a piece of work, and what failed meanwhile."""
    for work, edits in piece.works:
        yield from (str(value) for step in edits for value in step.call.arguments.values())
        failed = (step.result for step in work.steps if has_failed(step))
        yield from (result.text[:_FAILURE] for result in failed if result)


def _file_lists(reading: Reading, piece: _Piece, earlier: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a memory that name files, the most telling first."""
    files = sorted(piece.files.values(), key=lambda file: (not file.is_source, -file.lines))
    names = [file.path + _BECAME.get(file.how, "") for file in files]
    yield f"Files: {listed(names, _FILES)}."
    if not files[0].is_source and (reviewed := _reviewed(reading, piece)):
        yield f"Reviewed: {listed(reviewed, _FILES)}."
    if earlier:
        yield f"Changed earlier: {listed(earlier, _FILES)}."


def _reviewed(reading: Reading, piece: _Piece) -> list[str]:
    """Return the files of the project that the reports of sub-agents name."""
    names = [
        name.partition(":")[0]
        for work, _ in piece.works
        for step in work.steps
        if step.result and tool_name(step.call) in SUB_AGENTS
        for name in names_in(step.result.text)
    ]
    own = (reading.own_path(name) for name in names if "/" in name and "." in basename(name))
    return [path for path in dict.fromkeys(own) if path and path not in piece.files]
