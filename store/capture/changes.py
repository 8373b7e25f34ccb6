"""Code changes: one for each file that a session really changed, with what and why in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import basename, dirname

from store.agents.session import Session, Step
from store.agents.transcript import Message, Speaker
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, shorten
from store.capture.paths import project_path
from store.capture.prose import announces, intent, plain, prose_lines, sentences
from store.capture.shell import commit_message, committed_files
from store.capture.tools import Edit, command_of, edits_of, tool_name
from store.model import Category

_WRITTEN = re.compile(
    r"\b(?:written|saved|wrote|created)\b[^.\n]{0,40}?\b(?:to|at|in|as)\s+`?([\w./~-]+\.\w{1,6})`?",
    re.I,
)
_CREATED = re.compile(r"created successfully|has been created|New file created", re.I)
_SHORTEST_ACCOUNT, _LONGEST_ACCOUNT = 20, 320
_TITLE = re.compile(r":\s*\n+# (.{10,200})$", re.M)
_HAS_DONE = re.compile(
    r"\b(?:added|removed|renamed|updated|changed|fixed|moved|created|deleted|replaced|refactored"
    r"|extracted|consolidated|implemented|trimmed|switched|converted|introduced|wrapped|made"
    r"|simplified|now|no longer|adicion\w+|removid\w+|alterad\w+|corrigid\w+|agora)\b",
    re.I,
)
_NAME_BEGINS = re.compile(r"\W{0,3}`?[\w./-]*")
_FILE_NAME = re.compile(r"[\w./-]{2,}\.(?:[a-z]{1,4}|json|toml)\b")
_ALL_WELL = re.compile(
    r"\b(?:tests?|lint\w*|build|checks?|everything|all)\b.{0,30}\b(?:pass|fixed|clean|green|complete)"
    r"|\b(?:PR|commit|branch|push)\w*\b.{0,20}\b(?:updated|pushed|created)|^Now (?:I|let)",
    re.I,
)
_SPECIFIC_AIM, _TELLING_AIM = 32, 24
_GONE = re.compile(r"\b(?:delet|remov|drop|apag)\w*\b.*", re.I)
_DONE = re.compile(
    r"\b(?:add|remov|renam|updat|chang|fix|mov|creat|delet|replac|refactor|extract|consolidat|now"
    r"|no longer|instead|implement|return|handl|support|call|us(?:es?|ing)|contain|includ|wrap|set"
    r"|check|new|simplif|convert|switch|introduc|make|made|test|cover|verif|ensur|trim|adicion"
    r"|alter|corrig|cri)",
    re.I,
)


@dataclass(slots=True)
class _File:
    """What is known of one file while the session is read."""

    path: str
    steps: list[Step] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    commit: str = ""

    @property
    def how(self) -> str:
        first, last = self.edits[0].how, self.edits[-1].how
        if first == "created":
            return "" if last == "deleted" else "created"
        return last if last in {"deleted", "moved"} else "modified"


def code_changes(
    session: Session, accounts: Mapping[str, str], known: Known, roots: tuple[str, ...] = ()
) -> Iterator[Candidate | Passed]:
    """One candidate for each file that was changed and stayed so, by what is not known yet.

    `accounts` are what the agent's own summary says of files, by path.
    """
    files = _files(session, known, roots)
    for file in files.values():
        if not file.steps:
            yield Passed(file.path, CAPTURED)
        elif file.how:
            yield _change(session, file, accounts)
    yield from _earlier(session, known, set(files), roots)


def _files(session: Session, known: Known, roots: tuple[str, ...]) -> dict[str, _File]:
    files: dict[str, _File] = {}
    seen: set[str] = set()
    for step in session.steps:
        seen.update(_paths_in(step, session, roots))
        if step.failed:
            continue
        is_known = known.marks.issuperset(session.marks([step]))
        done = [(project_path(e.path, session.folder, roots), e) for e in _edits(step)]
        for path, edit in (each for pair in done for each in _expanded(*pair, seen)):
            if path:
                file = files.setdefault(path, _File(path))
                if not is_known:
                    file.steps.append(step)
                    file.edits.append(edit)
        message = commit_message(command_of(step.call))
        for file in files.values() if message else ():
            file.commit = file.commit or message
    return files


def _edits(step: Step) -> Iterator[Edit]:
    created = step.result is not None and _CREATED.search(step.result.text[:300])
    for edit in edits_of(step.call):
        yield Edit(edit.path, "created", edit.added, 0, edit.names) if created else edit
    if step.result is None:
        return
    if commit_message(command_of(step.call)):
        yield from (Edit(done.path, done.how) for done in committed_files(step.result.text))
    if tool_name(step.call) in {"task", "agent"}:
        for match in _WRITTEN.finditer(step.result.text):
            yield Edit(match.group(1), "created")


def _paths_in(step: Step, session: Session, roots: tuple[str, ...]) -> Iterator[str]:
    for key in ("file_path", "path", "target_file"):
        value = step.call.arguments.get(key)
        if isinstance(value, str):
            yield project_path(value, session.folder, roots)


def _expanded(path: str, edit: Edit, seen: set[str]) -> list[tuple[str, Edit]]:
    """A folder that is removed stands for the files in it that the session has seen."""
    if edit.how != "deleted" or "." in basename(path):
        return [(path, edit)]
    inside = sorted(each for each in seen if each.startswith(path + "/"))
    return [(each, edit) for each in inside] or [(path, edit)]


def _change(session: Session, file: _File, accounts: Mapping[str, str]) -> Candidate:
    last = file.steps[-1]
    why, passage = _account(session, file, accounts)
    extent = _extent(file)
    asked = _request(file)
    headline = f"{file.path}: {why}" if why else f"{file.path}: {extent}"
    content = headline if headline.endswith((".", "!", "…")) else headline + "."
    if why:
        content += f"\n{extent[0].upper()}{extent[1:]}."
    if asked:
        content += f"\nAsked for: {asked}"
    return Candidate(
        category=Category.CODE_CHANGE,
        content=content,
        summary=headline if why or not asked else f"{headline}, asked for: {asked}",
        line=last.call.line,
        at=last.call.at,
        passage=passage or asked or extent,
        marks=session.marks(file.steps),
    )


def _account(session: Session, file: _File, accounts: Mapping[str, str]) -> tuple[str, str]:
    """What was changed and why, in the agent's words, and the passage they stand in."""
    for path, text in accounts.items():
        if path == file.path or path.endswith("/" + file.path) or file.path.endswith("/" + path):
            return _without_name(text, file.path), text
    afterwards = [said for said in session.said if said.line > file.steps[0].call.line]
    for said in reversed(afterwards):
        line = _line_about(said, file)
        if line:
            return _without_name(line, file.path), said.text
    aim, announced = _aim(file)
    if len(aim) >= _SPECIFIC_AIM:
        return aim, announced
    closing, said_at_the_end = _closing(session, file)
    if closing:
        return closing, said_at_the_end
    if file.commit:
        return file.commit, file.commit
    return (aim, announced) if len(aim) >= _TELLING_AIM else ("", "")


def _aim(file: _File) -> tuple[str, str]:
    """What the agent announced before its edits of the file, and where it did."""
    aims: dict[str, str] = {}
    for step in file.steps:
        if step.before:
            announced = [aim for each in sentences(step.before.text) if (aim := intent(each))]
            if announced:
                aims[announced[-1]] = step.before.text
    telling = {aim: text for aim, text in aims.items() if len(aim) >= _TELLING_AIM}
    aims = telling or aims
    return shorten("; ".join(aims), _LONGEST_ACCOUNT), "\n\n".join(aims.values())


def _closing(session: Session, file: _File) -> tuple[str, str]:
    """What the agent said it had done when the turn of the file's last edit ended."""
    last = file.steps[-1].call.line
    closing: Message | None = None
    for said in session.said:
        if said.line > last:
            if said.speaker is Speaker.USER:
                break
            closing = said
    told = list(sentences(closing.text)) if closing else []
    if told and announces(told[-1]):
        return "", ""
    for sentence in told:
        if _tells_of(sentence, file.path):
            return shorten(sentence, _LONGEST_ACCOUNT), closing.text if closing else ""
    return "", ""


def _tells_of(sentence: str, path: str) -> bool:
    """Whether a closing sentence may be about a file that it does not name."""
    if len(sentence) < _SHORTEST_ACCOUNT or sentence.endswith((":", "?")) or intent(sentence):
        return False
    others = [name for name in _FILE_NAME.findall(sentence) if basename(path) != basename(name)]
    return bool(_HAS_DONE.search(sentence)) and not others and not _ALL_WELL.search(sentence)


def _line_about(said: Message, file: _File) -> str:
    """The line of the agent's account that speaks of this file."""
    name = basename(file.path)
    is_gone = file.how == "deleted"
    if is_gone and f"{basename(dirname(file.path))}/" in said.text:
        name = basename(dirname(file.path)) + "/"
    if said.speaker is not Speaker.AGENT or name not in said.text:
        return ""
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    for line in prose_lines(said.text):
        is_whole = len(line) <= _LONGEST_ACCOUNT and not line.endswith(("?", ":"))
        text = line if is_whole else _sentence_with(line, named)
        if not named.search(text) or text.endswith(("?", ":")) or intent(text):
            continue
        about = _without_name(text, file.path)
        fits = len(about) >= _SHORTEST_ACCOUNT and len(text) <= _LONGEST_ACCOUNT
        if fits and (_GONE if is_gone else _DONE).search(about):
            return text
    return ""


def _sentence_with(line: str, name: re.Pattern[str]) -> str:
    return next((each for each in sentences(line) if name.search(each)), "")


def _without_name(text: str, path: str) -> str:
    """The text without the file's own name at its start: the path stands before it anyway."""
    text, name = plain(text), basename(path)
    at = text.find(name)
    if at >= 0 and _NAME_BEGINS.fullmatch(text, 0, at):
        named = rf"`?[\w./-]*{re.escape(name)}(?::[\d, -]+)?`?(?: \([^)]{{0,20}}\))?"
        text = re.sub(rf"^\W{{0,3}}{named}\s*[-–—:]+\s*", "", text)
    return plain(text)


def _extent(file: _File) -> str:
    added = sum(edit.added for edit in file.edits)
    removed = sum(edit.removed for edit in file.edits)
    names = list(dict.fromkeys(name for edit in file.edits for name in edit.names))
    count = len(file.edits)
    parts = [file.how]
    if count > 1:
        parts.append(f"in {count} edits")
    if added or removed:
        parts.append(f"(+{added} −{removed} lines)")
    if names:
        parts.append(f"at {', '.join(names[:6])}")
    return " ".join(parts)


def _request(file: _File) -> str:
    for step in reversed(file.steps):
        if step.asked and len(step.asked.text) >= _SHORTEST_ACCOUNT:
            title = _TITLE.search(step.asked.text)
            told = [each for each in sentences(step.asked.text) if not each.endswith(":")]
            request = title.group(1) if title else next(iter(told), "")
            if len(request) >= _SHORTEST_ACCOUNT:
                return shorten(plain(request), 200)
    return ""


def _earlier(
    session: Session, held: Known, named: set[str], roots: tuple[str, ...]
) -> Iterator[Candidate]:
    """The files that only the program's snapshots show: changed before this transcript begins."""
    paths: dict[str, int] = {}
    for snapshot in session.snapshots:
        for path in snapshot.paths:
            name = project_path(path, session.folder, roots)
            if name and name not in named and name not in held.changed:
                paths.setdefault(name, snapshot.line)
    if paths and (session.said or session.steps):
        content = "Changed earlier in this session (by the agent's file snapshots): "
        yield Candidate(
            category=Category.CODE_CHANGE,
            content=content + ", ".join(sorted(paths)) + ".",
            line=max(paths.values()),
            at=session.snapshots[-1].at,
            passage="\n".join(sorted(paths)),
        )
