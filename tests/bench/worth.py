"""What is told to a session is worth: wanted items told, at how many tokens, and silence.

    python -m tests.bench.worth FOLDER [--part dev] [--project NAME] [--capture model]
        [--keep DIR] [--texts DIR] [--judged FILE]

FOLDER has a folder for each project:

- `sessions.json`: the sessions in order of their end, `[{"name", "session", "ended", "branch",
  "commit"}]`; `commit` is what the branch was at afterwards (empty: unknown).
- `sessions/NAME.jsonl`: their transcripts, as Claude Code wrote them.
- `answers/NAME.json`: for `--capture model`, what a language model answered to the prompt of
  `store.language_model` for that session. Sessions without one are captured by rules.
- `cases.json`: `{"repository": path of a git directory (optional), "memory": how many sessions
  memory is captured from, the first ones, "cases": [...]}`. A case is `{"id", "moment": "start" or
  "prompt", "kind": "first", "later" or "any" prompt, "at": time, "branch", "commit": checked out
  (empty: main as it was), "prompt", "wanted": [...]}`. Nothing is wanted where memory knew nothing
  that matters.
- A wanted item is `{"what": in words, "terms": [[...], ...], "from": [sessions], "most": true for
  the most important one}`. It is told where one note has all terms of a list, upper or lower case.

Items are written by a reader of the sessions who has not seen what is told, and the terms are those
that any wording of the fact needs. Cases are parted in dev and held-out by the hash of their id.

Memory is captured by the hook of a session's end, and asked by those of a start and a prompt, each
case for itself. `--keep` keeps what was captured, for the next run. `--texts` writes every text,
and `notes.tsv`: case, key, verdict, and words of each note; with verdicts filled in (useful, so-so,
chatter, stale), `--judged` reads it, and counts a note that says the same to the same case again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from pydantic import BaseModel, TypeAdapter

from memtui.hooks.call import HookCall, HookInput, parse_input
from memtui.hooks.capture import plan_session
from memtui.hooks.run import run_hook
from store import Memory, open_memory
from store.agents.client import Home
from store.agents.registry import client_named
from store.backends.location import FOLDER
from store.recall.values import Recall

CLIENT = "claude-code"
VERDICTS = ("useful", "so-so", "chatter", "stale")
PARTS = ("dev", "held-out")
HOOKS = {"start": "session-start", "prompt": "user-prompt"}
_PATIENCE = 60.0
"""Seconds for each hook and for git: what a busy machine cuts short says nothing of worth."""
_MOST_SILENT = 1
"""Lines of a text that tells nothing: how to look, if at all."""


class Wanted(BaseModel):
    """Something that should be told, and the terms by which it is recognised."""

    what: str
    terms: list[list[str]]
    most: bool = False

    def is_told_in(self, words: str) -> bool:
        return any(all(term.casefold() in words for term in terms) for terms in self.terms)


class Case(BaseModel):
    """A moment at which memory is asked, and what it should tell then."""

    id: str
    moment: str
    kind: str = "start"
    at: datetime
    branch: str = "main"
    commit: str = ""
    prompt: str = ""
    wanted: list[Wanted]

    @property
    def part(self) -> str:
        """What it may be used for: to tune on (dev), or to check."""
        return PARTS[int(hashlib.sha1(self.id.encode()).hexdigest()[0], 16) // 8]


class Cases(BaseModel):
    """The cases of a project, and what memory is captured from."""

    repository: str = ""
    memory: int
    cases: list[Case]


class Listed(BaseModel):
    name: str
    session: str
    ended: datetime
    branch: str = ""
    commit: str = ""


class Note(NamedTuple):
    """A note as it was told: what it is known by in a list of verdicts, and its words."""

    key: str
    words: str
    is_session: bool


class Told(NamedTuple):
    """What a case was told: the text, its notes, tokens, and the files it lists.

    `held` are the wanted items that some memory says, told or not: no order of memories tells more.
    """

    case: Case
    text: str
    notes: tuple[Note, ...]
    tokens: int
    files: tuple[str, ...]
    held: tuple[Wanted, ...] = ()

    @property
    def is_silent(self) -> bool:
        """Whether nothing was told but, at most, how to look."""
        return len([line for line in self.text.splitlines() if line.strip()]) <= _MOST_SILENT

    def told(self) -> list[Wanted]:
        """The wanted items that one of the notes, or a line beside notes and files, says."""
        passages = [
            flat(words) for words in (*(note.words for note in self.notes), *self._beside())
        ]
        return [item for item in self.case.wanted if any(map(item.is_told_in, passages))]

    def useful(self) -> list[Note]:
        """The notes that say something wanted."""
        return [
            note
            for note in self.notes
            if any(item.is_told_in(flat(note.words)) for item in self.case.wanted)
        ]

    def _beside(self) -> list[str]:
        """The lines that are neither of notes, which have names before them, nor name a file."""
        words = [line.strip() for note in self.notes for line in note.words.splitlines()]
        known = tuple(line for line in words if line)
        return [
            line
            for line in self.text.splitlines()
            if not line.rstrip().endswith(known) and not line.startswith(self.files)
        ]


def flat(text: str) -> str:
    """A text as it is compared: one blank wherever it has white space, in lower case."""
    return " ".join(text.split()).casefold()


@dataclass(slots=True)
class Tally:
    told: list[Told] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """What was counted, in lines."""
        known = [it for it in self.told if it.case.wanted]
        unknown = [it for it in self.told if not it.case.wanted]
        wanted = sum(len(it.case.wanted) for it in known)
        found = sum(len(it.told()) for it in known)
        held = sum(len(it.held) for it in known)
        most = sum(item.most for it in known for item in it.case.wanted)
        hit = sum(item.most for it in known for item in it.told())
        kept = sum(item.most for it in known for item in it.held)
        notes = sum(len(it.notes) for it in self.told)
        sessions = sum(note.is_session for it in self.told for note in it.notes)
        files = sum(len(it.files) for it in self.told)
        useful = sum(len(it.useful()) for it in self.told)
        tokens = sum(it.tokens for it in self.told)
        cases = len(self.told) or 1
        yield f"wanted items told {found} of {wanted} ({held} in memories)"
        yield f"most important ones told {hit} of {most} ({kept} in memories)"
        silent = sum(it.is_silent for it in unknown)
        yield f"silent where nothing was known {silent} of {len(unknown)}"
        yield (
            f"a text: {tokens / cases:,.0f} tokens, {notes / cases:.1f} notes "
            f"({sessions / cases:.1f} sessions), {files / cases:.1f} files"
        )
        yield f"notes with a wanted item {useful} of {notes}: one in {_each(tokens, useful)} tokens"
        if judged := sum(self.verdicts[verdict] for verdict in VERDICTS):
            shares = ", ".join(f"{it} {self.verdicts[it] / judged:.0%}" for it in VERDICTS)
            yield (
                f"judged {judged} of {notes}: {shares}; "
                f"a useful one in {_each(tokens, self.verdicts['useful'])} tokens"
            )


class Project:
    """A project's memory and working tree, in which its cases are asked."""

    def __init__(self, source: Path, root: Path, capture: str, sessions: int = 0) -> None:
        self._source = source
        self._root = root
        self._capture = capture
        self._tree = root / "project"
        self._home = root / "home"
        self._recalls: list[Recall] = []
        self._contents: list[str] = []
        self.cases = Cases.model_validate_json((source / "cases.json").read_bytes())
        listed = TypeAdapter(list[Listed]).validate_json((source / "sessions.json").read_bytes())
        self._sessions = listed[: sessions or self.cases.memory]
        named = self.cases.repository
        self._repository = source / named if named else None

    def prepare(self) -> None:
        """Lay out the working tree and capture memory, unless both were kept."""
        if not (self._root / "captured").exists():
            self._lay_out()
        with open_memory(self._tree / FOLDER) as memory:
            memories = map(json.loads, memory.exchange.export().splitlines())
            self._contents = [flat(memory["content"]) for memory in memories]

    def _lay_out(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)
        self._root.mkdir(parents=True)
        if self._repository is None:
            _git(self._root, "init", "-q", str(self._tree))
        else:
            clone = ("clone", "-q", "--shared", "--no-checkout", str(self._repository))
            _git(self._root, *clone, str(self._tree))
            _git(self._tree, "remote", "remove", "origin")
        (self._tree / ".git/info/exclude").write_text(f"{FOLDER}/\n")
        with open_memory(self._tree / FOLDER) as memory:
            memory.index.settle()
        for session in self._sessions:
            self._captured(session)
        (self._root / "captured").touch()

    def ask(self, case: Case) -> Told:
        self._check_out(case)
        self._recalls.clear()
        given = {"prompt": case.prompt} if case.moment == "prompt" else {"source": "startup"}
        text = self._run(HOOKS[case.moment], f"worth-{case.id}", case.at, **given)
        recalls = self._recalls
        notes = [
            Note(_key(it.text), it.text, not it.is_memory)
            for recall in recalls
            for it in recall.included
        ]
        tokens = sum(recall.tokens for recall in recalls)
        files = tuple(file.path for recall in recalls for file in recall.files)
        held = [item for item in case.wanted if any(map(item.is_told_in, self._contents))]
        return Told(case, text, tuple(notes), tokens, files, tuple(held))

    def _captured(self, session: Listed) -> None:
        """Capture a session, by the hook of its end or with what a model answered."""
        transcript = self._root / "transcripts" / f"{session.session}.jsonl"
        transcript.parent.mkdir(exist_ok=True)
        body = (self._source / "sessions" / f"{session.name}.jsonl").read_bytes()
        transcript.write_bytes(moved(body, self._tree))
        ended = session.ended.timestamp()
        os.utime(transcript, (ended, ended))
        answer = self._source / "answers" / f"{session.name}.json"
        more = {"transcript_path": str(transcript)}
        if self._capture == "rules" or not answer.exists():
            self._run("session-end", session.session, session.ended, **more)
            return
        given = _input(session.session, self._tree, **more)
        call = HookCall("session-end", given, client_named(CLIENT), {}, Home(self._home, {}))
        with self._opened(session.ended, self._tree / FOLDER) as memory:
            program = shlex.join(["cat", str(answer.absolute())])
            memory.capture.apply(memory.capture.ask_model(plan_session(call, memory), program))

    def _check_out(self, case: Case) -> None:
        """Check out a case's commit on its branch, among the branches that there were."""
        if self._repository is None:
            (self._tree / ".git/HEAD").write_text(f"ref: refs/heads/{case.branch}\n")
            return
        before = ("rev-list", "-1", "--first-parent", f"--before={case.at.isoformat()}", "main")
        main = _git(self._repository, *before).strip()
        _git(self._tree, "checkout", "-q", "-f", "--detach", case.commit or main, check=False)
        for name in _git(self._tree, "for-each-ref", "--format=%(refname)", "refs/heads").split():
            _git(self._tree, "update-ref", "-d", name)
        tips = {it.branch: it.commit for it in self._sessions if it.commit and it.ended < case.at}
        for branch, commit in {**tips, "main": main}.items():
            if branch and commit and branch != case.branch:
                _git(self._tree, "update-ref", f"refs/heads/{branch}", commit)
        _git(self._tree, "checkout", "-q", "-B", case.branch)
        _git(self._tree, "clean", "-fdq")
        if missing := _git(
            self._tree, "ls-files", "-d"
        ).splitlines():  # a copy may lack large files
            _git(self._tree, "update-index", "--skip-worktree", "--", *missing)

    def _run(self, hook: str, session_id: str, now: datetime, **more: object) -> str:
        given = _input(session_id, self._tree, **more)
        with ExitStack() as patched:
            for name, value in (
                ("store.open_memory", partial(self._opened, now)),
                ("memtui.hooks.run._seconds", lambda *_: _PATIENCE),
                ("memtui.hooks.run._record", _fail),
                ("memtui.hooks.surroundings._PATIENCE", _PATIENCE),
            ):
                patched.enter_context(patch(name, value))
            return run_hook(hook, given, CLIENT, {}, self._home)

    def _opened(self, now: datetime, path: Path) -> Memory:
        """The memory as it is opened at that time. What is told from it is kept here, and not
        recorded there: no case should depend on those that were asked before.
        """
        memory = open_memory(path, clock=lambda: now)

        def kept(recall: Recall, *_: Any, **__: Any) -> str:  # noqa: ANN401 - as it is
            self._recalls.append(recall)
            return recall.text

        vars(memory.recall)["inject"] = kept
        return memory


def _fail(_: object, hook: str, message: str, session_id: str) -> None:
    """A hook that fails tells nothing, and says so in the log alone: here it ends the bench."""
    raise RuntimeError(f"hook {hook} failed in {session_id}: {message}")


def _input(session_id: str, folder: Path, **more: object) -> HookInput:
    given = parse_input(json.dumps({"session_id": session_id, "cwd": str(folder), **more}))
    assert given is not None
    return given


def _git(folder: Path, *arguments: str, check: bool = True) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout


def moved(body: bytes, tree: Path) -> bytes:
    """A transcript as if its session had run in the working tree that is asked about."""
    for line in body.splitlines():
        folder = json.loads(line).get("cwd")
        if folder:
            return body.replace(json.dumps(folder)[1:-1].encode(), str(tree).encode())
    return body


def _key(words: str) -> str:
    return hashlib.sha1(flat(words).encode()).hexdigest()[:10]


def _each(tokens: int, useful: int) -> str:
    return f"{tokens / useful:,.0f}" if useful else f"more than {tokens:,}"


def read_verdicts(file: Path) -> dict[tuple[str, str], str]:
    """The verdicts of a file by case and note. Raises `ValueError` for one that is none."""
    found: dict[tuple[str, str], str] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for case, key, verdict, *_ in csv.reader(lines, "excel-tab"):
            if verdict and verdict not in VERDICTS:
                raise ValueError(f"{file}: {verdict!r} is none of {', '.join(VERDICTS)}")
            if verdict:
                found[case, key] = verdict
    return found


def write_texts(
    folder: Path, told: Iterable[Told], verdicts: Mapping[tuple[str, str], str]
) -> None:
    """Write what each case was told, beside what should be, and the list of its notes to judge."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "notes.tsv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, "excel-tab")
        for it in told:
            case = it.case
            found = it.told()
            wanted = [f"[{'x' if item in found else ' '}] {item.what}" for item in case.wanted]
            head = f"{case.id}, {case.at:%Y-%m-%d %H:%M}, {case.branch}\n\n{case.prompt}\n\n"
            body = "\n".join(wanted) or "Nothing was known."
            text = f"{head}Wanted:\n{body}\n\nTold ({it.tokens} tokens):\n\n{it.text}\n"
            (folder / f"{case.id}.txt").write_text(text, encoding="utf-8")
            for note in it.notes:
                verdict = verdicts.get((case.id, note.key), "")
                rows.writerow([case.id, note.key, verdict, " ".join(note.words.split())])


def asked(source: Path, root: Path, capture: str, parts: Sequence[str]) -> list[Told]:
    project = Project(source, root, capture)
    with patch.dict(os.environ, {"XDG_CACHE_HOME": str(root / "cache")}):
        project.prepare()
        return [project.ask(case) for case in project.cases.cases if case.part in parts]


def tallied(told: Iterable[Told], verdicts: Mapping[tuple[str, str], str]) -> dict[str, Tally]:
    """What was told, counted by moment and part."""
    tallies = {f"{moment}, {part}": Tally() for moment in HOOKS for part in PARTS}
    for it in told:
        tally = tallies[f"{it.case.moment}, {it.case.part}"]
        tally.told.append(it)
        tally.verdicts.update(verdicts.get((it.case.id, note.key), "") for note in it.notes)
    return {name: tally for name, tally in tallies.items() if tally.told}


def main(arguments: Sequence[str]) -> None:
    """Ask every case, and print what was counted."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.worth", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=PARTS, help="only those cases")
    parser.add_argument("--project", action="append", help="only these projects")
    parser.add_argument("--capture", choices=("rules", "model"), default="rules")
    parser.add_argument("--keep", type=Path, help="keep memories here, and use those that are")
    parser.add_argument("--texts", type=Path, help="write every text there, and its notes to judge")
    parser.add_argument("--judged", type=Path, help="the notes with verdicts")
    options = parser.parse_args(arguments)
    verdicts = read_verdicts(options.judged) if options.judged else {}
    parts = [options.part] if options.part else list(PARTS)
    told: list[Told] = []
    with tempfile.TemporaryDirectory(prefix="memtui-worth-") as folder:
        root = (options.keep or Path(folder)).absolute()
        for cases in sorted(options.folder.glob("*/cases.json")):
            source = cases.parent.absolute()
            if not options.project or source.name in options.project:
                place = root / options.capture / source.name
                told += asked(source, place, options.capture, parts)
    if options.texts:
        write_texts(options.texts, told, verdicts)
    for name, tally in tallied(told, verdicts).items():
        print(f"{name} ({len(tally.told)} cases, captured by {options.capture})")
        print("\n".join(f"  {line}" for line in tally.lines()))


if __name__ == "__main__":
    main(sys.argv[1:])
