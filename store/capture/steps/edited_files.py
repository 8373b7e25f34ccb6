"""The files that a session's tool calls changed, and that were still there when it ended.

Scratch scripts, outputs of commands and what lies outside the project are no changes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import basename, dirname

from store.agents.session import Session, Step
from store.capture.candidate import Known
from store.capture.steps.paths import is_test, project_path
from store.capture.steps.shell import commit_message, committed_files
from store.capture.steps.tools import Edit, command_of, edits_of, tool_name
from store.text.phrases import Phrases
from store.text.regex import regex

_WRITTEN = regex(
    r"\b(?:written|saved|wrote|created)\b[^.\n]{0,40}?\b(?:to|at|in|as)\s+`?([\w./~-]+\.\w{1,6})`?",
    re.I,
)
_CREATED = Phrases(patterns={"created": r"created successfully|has been created|new file created"})
_OUTSIDE = regex(r"^(?:[/~]|\.\./|[A-Za-z]:/)")
_OUTPUT = regex(
    r"\.(?:log|out|txt|jsonl|csv|tsv|png|svg|pdf|html|xml|prof|bak|orig|tmp|diff|patch)$"
)
_DATA = regex(
    r"\.(?:md|rst|txt|json|jsonl|ya?ml|toml|lock|ini|cfg|csv|xml|svg|png|html|log)$", re.I
)
_OUTPUT_FOLDER = regex(r"(?:^|/)(?:outputs?|results?|logs?|tmp|temp|dist|build|coverage)/")
_PROMPT = regex(r"^\.[\w-]+/(?:.*/)?prompts?/[^/]+$")
"""What an agent was told to do, kept by a program in a folder of its own."""
_RUN = regex(r"(?:\b(?:python[\d.]*|bash|sh|node|ruby|perl|go run|deno run)|(?<!\S)\./)\s*(\S+)")
_COMMITS = regex(r"(?:cd \S+ && )?git (?:add|commit|stash|reset|restore --staged)\b")


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
    def weight(self) -> tuple[bool, int]:
        """What comes first of several: sources before tests and documents, much before little."""
        lines = sum(edit.added + edit.removed for _, edit in self.done)
        return not is_test(self.path) and not _DATA.search(self.path), lines


def touched_files(session: Session, roots: tuple[str, ...] = ()) -> dict[str, EditedFile]:
    """All files that tool calls wrote, scratch and outputs among them, by their path."""
    files: dict[str, EditedFile] = {}
    seen: set[str] = set()
    for step in session.steps:
        seen.update(_paths_in(step, session, roots))
        if step.failed:
            continue
        for edit in _edits(step):
            path = project_path(edit.path, session.folder, roots)
            expanded = _expanded(path, edit, seen)
            if expanded != [path] and _holds_most(expanded, files):
                continue  # a whole checkout is cleaned away, with what was done in it
            for each in expanded:
                files.setdefault(each, EditedFile(each)).done.append((step, edit))
    for file in files.values():
        written = [done for done in file.done if not _only_commits(done[0])]
        file.done = written or file.done  # what git is told of a file changes it no more
    return files


def _only_commits(step: Step) -> bool:
    return bool(_COMMITS.match(command_of(step.call).lstrip()))


def changes_among(files: Mapping[str, EditedFile], session: Session) -> dict[str, EditedFile]:
    """Those of the files that are changes of the project."""
    scripts = _scripts_run(session.steps)
    arrived = {basename(path) for path, file in files.items() if file.how == "moved"}
    places = frozenset(
        dirname(path)
        for path, file in files.items()
        if file.how in {"modified", "moved"} and not _OUTSIDE.match(path)
        and not all(_is_shell(step) for step, _ in file.done)
    )  # fmt: skip
    found = {
        path: file
        for path, file in files.items()
        if path and file.how and not _OUTSIDE.match(path)
        and not (file.how == "deleted" and any(f.endswith("/" + path) for f in files))
        and not (file.how == "deleted" and basename(path) in arrived)
    }  # fmt: skip
    kept = {path: file for path, file in found.items() if not _is_scratch(file, scripts, places)}
    # A script that is all a session wrote was not written to be thrown away.
    return kept or {path: file for path, file in found.items() if not _is_scratch(file)}


def is_known(step: Step, session: Session, known: Known) -> bool:
    """Whether memory rests on a step already."""
    return known.marks.issuperset(session.marks([step]))


def _edits(step: Step) -> Iterator[Edit]:
    created = step.result is not None and _CREATED.stand_in(step.result.text[:300])
    for edit in edits_of(step.call):
        yield Edit(edit.path, "created", edit.added, 0, edit.names) if created else edit
    if step.result is None:
        return
    if commit_message(command_of(step.call)):
        yield from (Edit(done.path, done.how) for done in committed_files(step.result.text))
    yield from (Edit(path, "created") for path in reports_of(step))


def reports_of(step: Step) -> list[str]:
    """The files that a sub-agent says it wrote."""
    if step.result is None or tool_name(step.call) not in {"task", "agent"}:
        return []
    named = dict.fromkeys(_WRITTEN.findall(step.result.text))
    return [path for path in named if "/" in path or _DATA.search(path)]


def _paths_in(step: Step, session: Session, roots: tuple[str, ...]) -> Iterator[str]:
    for key in ("file_path", "path", "target_file"):
        value = step.call.arguments.get(key)
        if isinstance(value, str):
            yield project_path(value, session.folder, roots)


def writes(step: Step, folder: str) -> bool:
    """Whether a step changed a file of the project: a plan that a program keeps is none."""
    return not step.failed and any(project_path(it.path, folder) for it in edits_of(step.call))


def _expanded(path: str, edit: Edit, seen: set[str]) -> list[str]:
    """A folder that is removed stands for the files in it that the session has seen."""
    if edit.how != "deleted" or "." in basename(path):
        return [path]
    return sorted(each for each in seen if each.startswith(path + "/"))


def _holds_most(removed: list[str], files: Mapping[str, EditedFile]) -> bool:
    """Whether a folder that was removed held most of the files that were changed before."""
    changed = [path for path, file in files.items() if file.how == "modified"]
    return bool(changed) and 2 * len(set(changed) & set(removed)) > len(changed)


def _scripts_run(steps: Iterable[Step]) -> frozenset[str]:
    """The names of the scripts that commands ran by themselves."""
    commands = (command_of(step.call) for step in steps)
    return frozenset(
        basename(match.group(1).strip("\"'"))
        for command in commands
        for match in _RUN.finditer(command)
    )


def _is_scratch(
    file: EditedFile,
    scripts: frozenset[str] = frozenset(),
    places: frozenset[str] = frozenset(),
) -> bool:
    """Whether a new file was only run, in a folder where nothing else was changed, or is output."""
    if file.how != "created" and not all(_is_shell(step) for step, _ in file.done):
        return False
    if any(commit_message(command_of(step.call)) for step, _ in file.done):
        return False
    if basename(file.path) in scripts and dirname(file.path) not in places:
        return True
    if _OUTPUT_FOLDER.search(file.path) and _DATA.search(file.path):
        return True
    if _PROMPT.search(file.path):
        return True
    return all(_is_shell(step) for step, _ in file.done) and bool(_OUTPUT.search(file.path))


def _is_shell(step: Step) -> bool:
    return bool(command_of(step.call))
