"""What a tool call of any agent does: runs a command, edits files, or reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from store.agents.shell import files_done, files_shown, patched_files
from store.agents.transcript import ToolCall

_EDITORS = frozenset(
    (
        "edit write multiedit notebookedit editfile searchreplace writefile strreplace createfile"
        " replace strreplaceeditor strreplacebasededittool editexistingfile deletefile delete"
        " applydiff inserteditintofile edit_file editor writetofile replaceinfile"
        " replacefilecontent multireplacefilecontent replacestringinfile createnewfile"
        " singlefindandreplace"
    ).split()
)
_SHELLS = frozenset(
    (
        "bash shell execcommand shellcommand runterminalcmd runterminalcommand localshell"
        " executecommand runshellcommand runcommand runcommands terminal"
        " runinterminal"
    ).split()
)
_SEARCHERS = frozenset("grep searchfilecontent grepsearch ripgrep".split())
_READERS = frozenset(
    "read readfile readfiles readmanyfiles view viewfile openfile cat notebookread".split()
)
_PATH_KEYS = (
    "file_path",
    "path",
    "target_file",
    "notebook_path",
    "filePath",
    "filepath",
    "filename",
)
_PATCH_KEYS = ("input", "patch", "patchText")
_OLD_KEYS = ("old_string", "old_str", "old_text", "oldText", "oldString")
_NEW_KEYS = tuple(
    "new_string new_str new_text content contents file_text new_source code_edit newText newString"
    " diff".split()
)
_BLOCK = re.compile(
    r"^[-<]{5,9} SEARCH>?\n(?:(?::\w+:.*\n)*-{5,9}\n)?(.*?)^={5,9}\n(.*?)^[+>]{5,9} REPLACE",
    re.M | re.S,
)
"""A replacement in Cline's and Roo's `diff`: old lines, which may say where they begin, and new."""


class Edit(NamedTuple):
    """What one call does to one file."""

    path: str
    how: str
    added: int = 0
    removed: int = 0


def tool_name(call: ToolCall) -> str:
    """Return the tool's name in lower case, without a server's prefix and without separators."""
    return call.tool.rsplit("__", 1)[-1].replace("_", "").replace("-", "").lower()


def command_of(call: ToolCall) -> str:
    """Return the shell command that a call runs, or empty."""
    if tool_name(call) not in _SHELLS:
        return ""
    commands = call.arguments.get("commands")
    if isinstance(commands, list):
        return "\n".join(str(command) for command in commands)
    for key in ("command", "cmd", "input"):
        value = call.arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [str(word) for word in value]
            if words[:2] in (["bash", "-lc"], ["bash", "-c"], ["sh", "-c"], ["zsh", "-lc"]):
                words = words[2:]
            return " ".join(words)
    return ""


def edits_of(call: ToolCall) -> Iterator[Edit]:
    """Yield what a call does to files, as far as its arguments show."""
    name = tool_name(call)
    arguments = call.arguments
    if name == "applypatch":
        for key in _PATCH_KEYS:
            if isinstance(arguments.get(key), str):
                yield from _patch_edits(arguments[key])
        return
    command = command_of(call)
    if command:
        if "*** Begin Patch" in command:
            yield from _patch_edits(command)
        else:
            yield from (Edit(done.path, done.how) for done in files_done(command))
    elif name in _EDITORS:
        path = _path_of(call)
        if path:
            how = "deleted" if name in {"deletefile", "delete"} else "modified"
            yield _counted_edit(path, how, list(_replacements(arguments)))


def reads_of(call: ToolCall) -> Iterator[str]:
    """Yield the files that a call reads, as far as its arguments show."""
    name = tool_name(call)
    command = command_of(call)
    if command:
        yield from files_shown(command)
    elif name in _READERS or name in _SEARCHERS:
        path = _path_of(call)
        if name in _SEARCHERS and "." not in path.rpartition("/")[2]:
            return  # a folder is searched, or everything
        paths = call.arguments.get("paths") or call.arguments.get("files")
        listed = paths if isinstance(paths, list) else []
        named = (file.get("path") if isinstance(file, Mapping) else file for file in listed)
        yield from [path] if path else (name for name in named if isinstance(name, str))


def _path_of(call: ToolCall) -> str:
    """Return the path that a call names; empty where it names none."""
    paths = (call.arguments.get(key) for key in _PATH_KEYS)
    return next((path for path in paths if isinstance(path, str)), "")


def _replacements(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the old and new text of each replacement in an editing call."""
    diff = arguments.get("diff")
    if isinstance(diff, str) and (found := _BLOCK.findall(diff)):
        yield from found
        return
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else [arguments]:
        if isinstance(edit, Mapping):
            old = next((edit[key] for key in _OLD_KEYS if isinstance(edit.get(key), str)), "")
            new = next((edit[key] for key in _NEW_KEYS if isinstance(edit.get(key), str)), "")
            yield old, new


def _counted_edit(path: str, how: str, replacements: list[tuple[str, str]]) -> Edit:
    added = removed = 0
    for old, new in replacements:
        before, after = old.splitlines(), new.splitlines()
        added += sum(line not in before for line in after)
        removed += sum(line not in after for line in before)
    return Edit(path, how, added, removed)


def _patch_edits(patch: str) -> Iterator[Edit]:
    bodies = re.split(r"^\*\*\* (?:Add|Update|Delete) File: .*$", patch, flags=re.M)[1:]
    done = [file for file in patched_files(patch) if file.how != "moved"]
    for file, body in zip(done, bodies, strict=False):
        lines = body.splitlines()
        old = "\n".join(line[1:] for line in lines if line.startswith("-"))
        new = "\n".join(line[1:] for line in lines if line.startswith("+"))
        yield _counted_edit(file.path, file.how, [(old, new)])
    yield from (Edit(move.path, "moved") for move in patched_files(patch) if move.how == "moved")
