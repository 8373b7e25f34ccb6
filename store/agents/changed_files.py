"""The files of the project that a session changed, by whatever tool.

Scratch scripts, outputs of commands and what lies outside the project are no changes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from posixpath import basename, dirname

from store.agents.paths import is_elsewhere, is_test, project_path
from store.agents.session import Session, Step
from store.agents.shell import commit_message
from store.agents.tools import Edit, command_of, edits_of, reads_of, tool_name

_CREATED = ("created successfully", "has been created", "new file created")
"""How the clients' editors answer where a file is new."""
SUB_AGENTS = frozenset({"task", "agent"})
"""The tools that start one."""
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
        for edit in () if step.has_failed else _edits(step):
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
    if tool_name(step.call) in SUB_AGENTS:
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
