"""What was asked, and which files changed for it: one memory for a coherent piece of work.

Its words are those of the session: the person's request, then how the agent's closing message
begins. Requests that follow each other are one piece of work where they changed mostly the same
files, or where the later one changed only tests and documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from store.agents.session import Step
from store.agents.transcript import Message
from store.capture.candidate import CAPTURED, UNTOLD, Candidate, Skipped, passage_of
from store.capture.edited_files import EditedFile, changed_files
from store.capture.evidence.plans import why_of
from store.capture.work import Reading, Work
from store.model import Category
from store.text.content_words import content_words
from store.text.markdown import cut, listed, opening

_SAME_FILES = 0.5
"""The share of the smaller of two sets of files that makes their requests one piece of work."""
_LATER = 2
"""Requests that are named after the first: the last ones."""
_FEW_WORDS = 10
"""Words with a meaning of a request that rests on what was talked of before it."""
_REQUEST, _LATER_REQUEST = 320, 160
"""Characters of the first request and of a later one."""
_ENOUGH, _CLOSING, _LATER_CLOSING = 100, 480, 260
"""Characters that a closing message needs to say something, and those that are kept."""
_SAYS_SOMETHING = 160
"""Characters of a closing message: "No response requested." and "PR created." are none."""
_FILES = 420
"""Characters of the list of files."""
_FILLER = re.compile(
    r"\A(?:(?:(?:all )?(?:done|set|good|complete[d]?|fixed|finished|great|perfect|excellent|pronto"
    r"|listo|hecho|feito|fertig|terminé|完成)|(?:all|both) (?:\w+ ){0,3}pass(?:ed|es|ing)?"
    r"(?: (?:and|with)|,)?[^.!:\n]{0,40}|(?:\w+ ){0,2}(?:is|are) (?:all |now )?clean(?: now)?"
    r"|here(?:['’]s| is| are) (?:a |the )?[^.:\n]{0,60}:)[.!:,。\s—–-]+)+",
    re.I,
)
"""How agents begin a closing message without saying anything."""


@dataclass(slots=True)
class _Piece:
    """Works that changed mostly the same files, each with its edits, and the `talk` before them."""

    talk: list[Work]
    works: list[tuple[Work, list[Step]]] = field(default_factory=list)
    files: dict[str, EditedFile] = field(default_factory=dict)


def find(reading: Reading) -> Iterator[Candidate | Skipped]:
    """Yield a memory for each piece of work that changed files of the project."""
    session = reading.session
    changed = changed_files(session, reading.roots)
    pieces: list[_Piece] = []
    talk: list[Work] = []
    for work in reading.works:
        files, steps = _changed_by(work, changed)
        fresh = [step for step in steps if not reading.known.issuperset(session.marks([step]))]
        if not fresh:
            if files:
                yield Skipped(work.title or listed(list(files), _FILES), CAPTURED)
            talk = [] if files else [*talk, work]
            continue
        if not pieces or not _is_part_of(pieces[-1].files, files):
            pieces.append(_Piece(talk=talk))
        talk = []
        pieces[-1].works.append((work, fresh))
        pieces[-1].files |= files
    earlier = _changed_earlier(reading, changed)
    for piece in pieces:
        told = _candidate(reading, piece, earlier)
        if told is None:
            yield Skipped(listed(list(piece.files), _FILES), UNTOLD)
        else:
            earlier = []
            yield told


def _changed_by(
    work: Work, changed: dict[str, EditedFile]
) -> tuple[dict[str, EditedFile], list[Step]]:
    """The files that a work changed, and the steps that did it, in order."""
    own = set(map(id, work.steps))
    files = {
        path: file
        for path, file in changed.items()
        if any(id(step) in own for step, _ in file.done)
    }
    changing = {id(step) for file in files.values() for step, _ in file.done}
    return files, [step for step in work.steps if id(step) in changing]


def _is_part_of(piece: dict[str, EditedFile], files: dict[str, EditedFile]) -> bool:
    """Whether a change goes on with a piece of work: by its files, or as its tests and texts."""
    if not any(file.is_source for file in files.values()):
        return True
    shared = len(piece.keys() & files.keys())
    return shared > 0 and shared >= _SAME_FILES * min(len(piece), len(files))


def _changed_earlier(reading: Reading, changed: dict[str, EditedFile]) -> list[str]:
    """The files of the project of which the client keeps copies, as the session changed them before
    the transcript begins."""
    kept = (path for snapshot in reading.session.snapshots for path in snapshot.paths)
    paths = dict.fromkeys(map(reading.own_path, kept))
    return [path for path in paths if path and path not in changed]


def _candidate(reading: Reading, piece: _Piece, earlier: Sequence[str]) -> Candidate | None:
    """The memory of a piece of work; None where neither a request nor a message says anything."""
    first, *later = piece.works
    asked = _request(first[0], piece.talk)
    closing = _closing(*first)
    done = _opening(closing, _CLOSING)
    last = piece.works[-1][1][-1]
    if not asked and (closing is None or closing.line < last.call.line):
        return None
    parts = [asked] if asked else []
    parts += [f"Done: {done}"] if done else []
    for work, steps in later[-_LATER:]:
        request = cut(work.title, _LATER_REQUEST)
        closing = _closing(work, steps) or closing
        told = [request, _opening(_closing(work, steps), _LATER_CLOSING)]
        parts.append("Then: " + " – ".join(part for part in told if part))
    files = sorted(piece.files.values(), key=lambda file: (not file.is_source, -file.lines))
    parts.append(f"Files: {listed([_file(file) for file in files], _FILES)}.")
    parts += [f"Changed earlier: {listed(earlier, _FILES)}."] if earlier else []
    steps = [step for _, own in piece.works for step in own]
    return Candidate(
        category=Category.CODE_CHANGE,
        content="\n".join(parts),
        summary=" – ".join(part for part in (cut(asked, 110), done) if part),
        line=max(last.call.line, closing.line if closing else 0),
        at=last.call.at,
        passage=passage_of(closing.text if closing else asked),
        marks=reading.session.marks(steps),
    )


def _request(work: Work, talk: Sequence[Work]) -> str:
    """The request as it was made; a plan by its title, and why it was made. One of a few words with
    the request that began the talk before it.
    """
    if work.asked is None:
        return ""
    if why := why_of(work.asked.text):
        return cut(f"{work.title.rstrip('.')}. {why}", _REQUEST)
    begun = next((earlier.title for earlier in talk if earlier.title), "")
    if begun and len(content_words(work.asked.text)) <= _FEW_WORDS:
        return f"{cut(begun, _REQUEST - _LATER_REQUEST)} … {cut(work.title, _LATER_REQUEST)}"
    return cut(work.title, _REQUEST)


def _closing(work: Work, steps: Sequence[Step]) -> Message | None:
    """The longest message that closed a turn after the last change, else of all since then; where
    nothing was said since then, the last before it."""
    last = steps[-1].call.line
    after = [
        said for said in work.closings if said.line > last and len(said.text) >= _SAYS_SOMETHING
    ]
    after = after or [said for said in work.said if said.line > last]
    if after:
        return max(after, key=lambda said: len(said.text))
    return work.said[-1] if work.said else None


def _opening(said: Message | None, limit: int) -> str:
    return opening(_FILLER.sub("", said.text.lstrip(), count=1), _ENOUGH, limit) if said else ""


def _file(file: EditedFile) -> str:
    became = {"created": " (new)", "deleted": " (removed)"}.get(file.how, "")
    return f"{file.path}{became}"
