"""What was asked, and which files changed for it: one memory for a coherent piece of work.

Its words are those of the session: the person's request, then how the agent's closing message
begins. Requests that follow each other are one piece of work where they changed mostly the same
files, or where the later one changed only tests and documents. Scratch scripts, outputs of
commands and what lies outside the project are no changes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import basename, dirname

from store.agents.paths import is_elsewhere, is_test, project_path
from store.agents.session import Session, Step
from store.agents.shell import commit_message
from store.agents.tools import Edit, command_of, edits_of, reads_of, tool_name
from store.agents.transcript import Message
from store.capture.candidate import CAPTURED, UNTOLD, Candidate, Skipped, passage_of
from store.capture.evidence.plans import why_of
from store.capture.work import Reading, Work
from store.model import Category
from store.text.content_words import content_words
from store.text.markdown import cut, listed, opening

_CREATED = ("created successfully", "has been created", "new file created")
"""How the clients' editors answer where a file is new."""
_REPORT = re.compile(r"\b(?:written|saved) (?:to|at) `?([\w./~-]+/[\w.-]+\.\w{1,6})\b")
"""How a sub-agent names the file that it wrote."""
_OUTPUT = re.compile(
    r"\.(?:log|out|txt|jsonl|csv|tsv|png|svg|pdf|html|xml|prof|bak|orig|tmp|diff|patch)$"
)
_DATA = re.compile(
    r"\.(?:md|rst|txt|json|jsonl|ya?ml|toml|lock|ini|cfg|csv|xml|svg|png|html|log)$|(?:^|/)\.env[\w.]*$",
    re.I,
)
_OUTPUT_FOLDER = re.compile(r"(?:^|/)(?:outputs?|results?|logs?|tmp|temp|dist|build|coverage)/")
_RUN = re.compile(
    r"(?:\b(?:python[\d.]*|bash|sh|node|ruby|perl|go run|deno run)|(?<!\S)\./)\s*(\S+)"
)
_COMMITS = re.compile(r"(?:cd \S+ && )?git (?:add|commit|stash|reset|restore --staged)\b")


@dataclass(slots=True)
class EditedFile:
    """What is known of one file: each edit with the step that made it, in order."""

    path: str
    done: list[tuple[Step, Edit]] = field(default_factory=list)

    @property
    def how(self) -> str:
        """`created`, `modified`, `moved` or `deleted` in the end; empty where nothing is left."""
        first, last = self.done[0][1].how, self.done[-1][1].how
        if first == "created":
            return "" if last == "deleted" else "created"
        return last if last in {"deleted", "moved"} else "modified"

    @property
    def is_source(self) -> bool:
        """Whether it is neither a test nor a document or data."""
        return not is_test(self.path) and not _DATA.search(self.path)

    @property
    def lines(self) -> int:
        """Lines that were written and taken out."""
        return sum(edit.added + edit.removed for _, edit in self.done)

    @property
    def is_of_shell(self) -> bool:
        """Whether only commands wrote it, and no editor."""
        return all(command_of(step.call) for step, _ in self.done)


def changed_files(session: Session, roots: tuple[str, ...] = ()) -> dict[str, EditedFile]:
    """Return the files of the project that a session changed, by their path."""
    files = _touched_files(session, roots)
    arrived = {basename(path) for path, file in files.items() if file.how == "moved"}
    found = {
        path: file
        for path, file in files.items()
        if file.how
        and not is_elsewhere(path)
        and not (file.how == "deleted" and basename(path) in arrived)
    }
    scripts = _scripts_run(session.steps)
    places = {
        dirname(path)
        for path, file in found.items()
        if file.how in {"modified", "moved"} and not file.is_of_shell
    }
    kept = {path: it for path, it in found.items() if not _is_scratch(it, scripts, places)}
    # A script that is all a session wrote was not written to be thrown away.
    return kept or {path: it for path, it in found.items() if not _is_scratch(it, (), ())}


def _touched_files(session: Session, roots: tuple[str, ...]) -> dict[str, EditedFile]:
    """Return all files that tool calls wrote, scratch and outputs among them, by their path."""
    files: dict[str, EditedFile] = {}
    seen: dict[str, None] = {}
    for step in session.steps:
        read = (project_path(path, session.folder, roots) for path in reads_of(step.call))
        seen |= dict.fromkeys(read)
        for edit in () if step.failed else _edits(step):
            path = project_path(edit.path, session.folder, roots)
            is_folder = edit.how == "deleted" and "." not in basename(path)
            inside = [name for name in seen if name.startswith(f"{path}/")] if is_folder else [path]
            seen[path] = None
            for name in filter(None, inside):
                files.setdefault(name, EditedFile(name)).done.append((step, edit))
    for file in files.values():
        written = [
            done for done in file.done if not _COMMITS.match(command_of(done[0].call).lstrip())
        ]
        file.done = written or file.done  # what git is told of a file changes it no more
    return files


def _edits(step: Step) -> Iterator[Edit]:
    answer = step.result.text if step.result else ""
    is_new = any(mark in answer[:300] for mark in _CREATED)
    for edit in edits_of(step.call):
        yield edit._replace(how="created", removed=0) if is_new else edit
    if tool_name(step.call) in {"task", "agent"}:
        yield from (Edit(path, "created") for path in _REPORT.findall(answer))


def _scripts_run(steps: Iterable[Step]) -> frozenset[str]:
    """Return the names of the scripts that commands ran by themselves."""
    commands = (command_of(step.call) for step in steps)
    return frozenset(
        basename(match[1].strip("\"'")) for command in commands for match in _RUN.finditer(command)
    )


def _is_scratch(file: EditedFile, scripts: Iterable[str], places: Iterable[str]) -> bool:
    """True if a new file was only run, in a folder where nothing else was changed, or is output."""
    if file.how != "created" and not file.is_of_shell:
        return False
    if any(commit_message(command_of(step.call)) for step, _ in file.done):
        return False
    if basename(file.path) in scripts and dirname(file.path) not in places:
        return True
    if _OUTPUT_FOLDER.search(file.path) and _DATA.search(file.path):
        return True
    return file.is_of_shell and bool(_OUTPUT.search(file.path))


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
    """Return the files that a work changed, and the steps that did it, in order."""
    own = set(map(id, work.steps))
    files = {
        path: file
        for path, file in changed.items()
        if any(id(step) in own for step, _ in file.done)
    }
    changing = {id(step) for file in files.values() for step, _ in file.done}
    return files, [step for step in work.steps if id(step) in changing]


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
    """Return the request as it was made; a plan by its title, and why it was made. One of a few
    words with the request that began the talk before it.
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
    """Return the longest message that closed a turn after the last change, else of all since then;
    where nothing was said since then, the last before it.
    """
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
