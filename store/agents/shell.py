"""What shell commands do to files, as far as their text shows: created, moved, removed, patched."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from posixpath import basename
from typing import NamedTuple

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)^\s*\2\s*$", re.S | re.M)
_SEPARATOR = re.compile(r"&&|\|\||;|\n|(?<!>)\|(?!\|)")
_MOST = 10_000
"""Characters of a command that are looked at: what it does to files stands near its beginning."""
_CONTINUED = re.compile(r"(?<=[ \t])\\\r?\n[ \t]*")
_SEQUENCE = re.compile(r"&&|\|\||;|\n")
_PIPED = re.compile(r"(?<!\s)\s*(?:(?<!\|)\|(?!\|).*|\d?>>?\s*\S+.*|2>&1.*|<<.*|&\s*)$", re.S)
_NO_COMMAND = re.compile(r"(?:export|source|echo|sleep|set|cd|true|exit|wait)\b|\.\s|#")
_ASSIGNED = re.compile(r"^(?:(?:time|sudo|timeout \d+\w?)\s+)+")
_REDIRECT = re.compile(r"(?<![0-9&<>=-])>{1,2}\s*([^\s&|;<>()'\"$`]+)")
_SENT_ELSEWHERE = re.compile(r"(?:(?<=\s)\d|&)>{1,2}\s*(?:&\d|\S+)")
_QUOTED_REDIRECT = re.compile(r"'[^'>]*>[^']*'|\"(?:[^\"\\>]|\\.)*>(?:[^\"\\]|\\.)*\"", re.S)
"""A `>` in quotes sends nothing to a file: `pip install 'x>=2'`, a script after `-c`."""
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)
_COMMIT_MESSAGE = re.compile(
    r"(?:-[a-z]*m|--message)[= ]\s*(?:\"((?:[^\"\\]|\\.)+)\"|'([^']+)')", re.S
)
_COMMIT_HEREDOC = re.compile(r"-[a-z]*m \"\$\(cat <<'?\"?(\w+)'?\"?\n(.*?)\n\s*\1\s*\n?\)\"", re.S)
_ENTER = re.compile(r"cd\s+(\S+)\s*$")
_SEARCHING = frozenset({"grep", "egrep", "rg", "ag"})
_SHOWING = re.compile(r"(cat|nl|head|tail|less|more|bat|sed\s+-n|grep|egrep|rg|ag)\s+(.+)", re.S)
_FILE_WORD = re.compile(r"[\w./@+~-]*[\w-]\.[A-Za-z]\w{0,9}")
_WORDLESS = re.compile(r"[*?$`{}()\[\]]")


class FileDone(NamedTuple):
    """Something a command did to a file: `how` is created, modified, deleted or moved."""

    path: str
    how: str


@lru_cache(maxsize=256)
def files_done(command: str) -> tuple[FileDone, ...]:
    """Return what a command does to which files, in order. Globs and variables are passed over."""
    return tuple(_files_done(command))


def _files_done(command: str) -> Iterator[FileDone]:
    yield from patched_files(command)
    bare = _HEREDOC.sub(lambda match: f"<<{match.group(2)}\n", command[:_MOST])
    bare = _QUOTED_REDIRECT.sub("''", bare)
    folder = ""
    for part in map(str.strip, _SEPARATOR.split(bare)):
        entered = _ENTER.match(part)
        if entered:
            folder = _within(folder, entered.group(1).strip("\"'"))
        for path, how in _done_by(part):
            if not _WORDLESS.search(path):
                yield FileDone(_within(folder, path), how)


def files_shown(command: str) -> Iterator[str]:
    """Yield the files that a command prints, in whole or in part (`cat`, `sed -n`, `head` ...)."""
    folder = ""
    for part in map(str.strip, _SEPARATOR.split(_HEREDOC.sub("", command[:_MOST]))):
        entered = _ENTER.match(part)
        if entered:
            folder = _within(folder, entered.group(1).strip("\"'"))
        shown = _SHOWING.match(part)
        if shown is None:
            continue
        for word in shown[2].split():
            path = word.strip("\"'")
            # What is searched for may look like a file's name, but hardly like a path.
            is_file = _FILE_WORD.fullmatch(path) and ("/" in path or shown[1] not in _SEARCHING)
            if is_file and not path.startswith("-"):
                yield _within(folder, path)


def commands_in(command: str) -> Iterator[tuple[str, str]]:
    """The commands that a line runs one after the other: (folder, command without its pipe)."""
    folder = ""
    joined = _CONTINUED.sub("", command[:_MOST])
    for part in _SEQUENCE.split(_HEREDOC.sub(lambda match: f"<<{match.group(2)}\n", joined)):
        bare = _PIPED.sub("", part).strip()
        entered = _ENTER.match(bare)
        if entered:
            folder = _within(folder, entered.group(1).strip("\"'"))
        elif bare and not _NO_COMMAND.match(bare):
            yield folder, _ASSIGNED.sub("", bare)


def _within(folder: str, path: str) -> str:
    """Return the path as seen from where the command started."""
    return path if not folder or path.startswith(("/", "~")) else f"{folder}/{path}"


def patched_files(patch: str) -> Iterator[FileDone]:
    words = {"Add": "created", "Update": "modified", "Delete": "deleted"}
    for match in _PATCH_FILE.finditer(patch):
        if match.group(3):
            yield FileDone(match.group(3).strip(), "moved")
        else:
            yield FileDone(match.group(2).strip(), words[match.group(1)])


def commit_message(command: str) -> str:
    """Return the subject line of the commit that a command makes, or empty."""
    if "git" not in command or "commit" not in command:
        return ""
    command = command[:_MOST]
    match = _COMMIT_HEREDOC.search(command)
    if match:
        return match.group(2).strip().split("\n")[0].strip()
    match = _COMMIT_MESSAGE.search(command)
    message = (match.group(1) or match.group(2)) if match else ""
    return "" if message.startswith("$(") else message.strip().split("\n")[0]


def _done_by(part: str) -> Iterator[FileDone]:
    for redirect in _REDIRECT.finditer(part):
        if not redirect.group(1).startswith("/dev/"):
            yield FileDone(redirect.group(1), "modified")
    try:
        words = shlex.split(_SENT_ELSEWHERE.sub(" ", part), comments=True)
    except ValueError:
        return
    while words and ("=" in words[0] or words[0] in {"sudo", "command", "time"}):
        words.pop(0)
    if not words:
        return
    name, rest = words[0], words[1:]
    if name == "git" and rest and rest[0] in {"mv", "rm", "add"}:
        name, rest = f"git {rest[0]}", rest[1:]
    plain = [word for word in rest if not word.startswith("-")]
    yield from _by_name(name, rest, plain)


def _moved(sources: list[str], target: str) -> Iterator[FileDone]:
    """What a move does: a target without an extension, or of several files, is their folder."""
    for source in sources:
        name = basename(source.rstrip("/"))
        is_folder = target.endswith("/") or len(sources) > 1
        is_folder = is_folder or ("." in name and "." not in basename(target))
        yield FileDone(source, "deleted")
        yield FileDone(f"{target.rstrip('/')}/{name}" if is_folder else target, "moved")


def _by_name(name: str, rest: list[str], plain: list[str]) -> Iterator[FileDone]:
    if name in {"rm", "git rm"} and "--cached" not in rest:
        yield from (FileDone(path, "deleted") for path in plain)
    elif name in {"mv", "git mv"} and len(plain) > 1:
        yield from _moved(plain[:-1], plain[-1])
    elif name == "cp" and len(plain) == 2:
        yield FileDone(plain[1], "created")
    elif name == "git add":
        yield from (FileDone(path, "modified") for path in plain if "." in path.strip("./"))
    elif name == "touch":
        yield from (FileDone(path, "created") for path in plain)
    elif name == "tee":
        yield from (FileDone(path, "modified") for path in plain if path != "/dev/null")
    elif name in {"sed", "perl"} and any(re.match(r"-\w*i|--in-place", word) for word in rest):
        yield from (FileDone(path, "modified") for path in plain[-1:] if "." in path)
