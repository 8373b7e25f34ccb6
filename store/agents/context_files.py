"""Files that clients load into a session's context by themselves."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Container, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from store.agents.client import Client, ContextFile, Home, Imports, Loading, RuleFields, Upward
from store.agents.files import dashed
from store.platform.bounds import read_regular
from store.platform.links import is_file
from store.platform.project import project_of
from store.text.properties import Properties, read_properties, split_properties

INSTRUCTION, MEMORY = "instruction", "memory"
SKILL, AGENT, COMMAND = "skill", "agent-def", "template"
_DESCRIBED = (SKILL, AGENT, COMMAND)
"""Categories of files whose names and descriptions a session has at its start."""
MOST_BYTES = 1_000_000
"""A larger file is none that a client would load whole."""
_MOST_READ = 8_000_000
"""Characters that are read for one session: more than the context of any model holds."""
_MOST_COMPARED = 200_000
"""Characters of a context that recall compares its memories with; their words are read in 80 ms."""
_MOST_FILES = 500
"""Files of one kind, and those that one file imports."""
_MOST_IMPORTED = 500
"""Times that files are imported into a session: in place, each may be imported many times."""
_MOST_BELOW = 20_000
"""Files and folders below a session's among which files for later are looked for."""
_NO_SOURCES = frozenset({"node_modules", "vendor", "target", "build", "dist", "venv"})
"""Folders that hold no files of the project's own."""
_IMPORT = re.compile(r"(?:^|(?<=\s))@(\S+)")
_CODE = re.compile(r"`{3,}.*?(?:`{3,}|\Z)|`[^`\n]*+`", re.S)
_GLOB = frozenset("*?[")
_ANY_FILE = frozenset({"*", "**", "**/*"})


class ContextPart(NamedTuple):
    """A part of what a session has in its context at its start, and where it comes from.

    `text` is what it has there, `rest` what it has not: cut off, or loaded later. `name` is the
    source's for people, `path` its file, at whose `line` the text begins. `importer` names the
    file that imports it, `condition` the files that it is loaded for, `problem` says why nothing
    is known of its text. `in_all_projects`: it is the user's, and of no project alone.
    """

    category: str
    name: str
    text: str
    rest: str = ""
    path: Path | None = None
    line: int = 1
    loading: Loading = Loading.START
    condition: str = ""
    importer: str = ""
    problem: str = ""
    in_all_projects: bool = False

    @property
    def is_cut(self) -> bool:
        """Return whether a limit of the client cuts off some of it."""
        return bool(self.rest) and self.loading is Loading.START


def loaded_files(clients: Iterable[Client], root: Path, home: Home) -> Iterator[ContextPart]:
    """List the files that these clients load in a project: instructions, skills, agents,
    templates, memories.

    Each file once. Files that can't be read are passed over, as clients do.
    """
    seen: set[Path | None] = set()
    found = [part for client in clients for part in _Reader(client, root, home).parts()]
    for part in sorted(found, key=lambda part: part.name.startswith("~/")):
        is_loaded = part.loading in (Loading.START, Loading.DESCRIPTION) and not part.problem
        if part.path not in seen and is_loaded:
            seen.add(part.path)
            yield part


def context_parts(
    client: Client, folder: Path, home: Home, *, below: bool = False
) -> Iterator[ContextPart]:
    """List the instruction files, with what they import, and the memories that a client loads for a
    session in a folder, in its order.

    With `below` also those that it would load as it works on files in folders below.
    """
    reader = _Reader(client, folder, home)
    yield from reader.parts((INSTRUCTION, MEMORY))
    if below:
        yield from reader.parts_below()


def described_parts(client: Client, folder: Path, home: Home) -> Iterator[ContextPart]:
    """List the skills, sub-agents and commands whose descriptions a client has in a session's
    context at its start.
    """
    yield from _Reader(client, folder, home).parts(_DESCRIBED)


def is_loaded(client: Client, path: Path, folder: Path, home: Home) -> bool:
    """Return whether a client would load an instruction file or a memory at this path, by its name,
    if it were there.
    """
    return _Reader(client, folder, home).has_place_for(path)


def context_text(client: Client, folder: Path, home: Home) -> str:
    """Return all text of a session's context at its start that comes from such files."""
    texts, left = list[str](), _MOST_COMPARED
    for part in context_parts(client, folder, home):
        if part.text and left > 0:
            texts.append(part.text[:left])
            left -= len(part.text) + 1
        if left <= 0:
            break  # no more is read
    return "\n".join(texts)


class _Reader:
    """Reads the files of a client for one session: each once, and as far as its limits go."""

    def __init__(self, client: Client, folder: Path, home: Home) -> None:
        folder = folder.absolute()
        self._client, self._folder, self._home = client, folder, home
        project = project_of(folder)
        self._root = project.root if project else folder
        name = client.filed_as or dashed
        self._filed_as = name(project.main_root if project else folder)
        self._seen: set[str] = set()
        self._imports_left, self._characters_left = _MOST_IMPORTED, _MOST_READ
        self._renamed = client.renamed(home, self._root) if client.renamed is not None else {}
        self._excluded = tuple(client.excluded(home, self._root)) if client.excluded else ()
        most = client.most_instructions
        self._left = None if most is None else most(home)

    def parts(self, categories: Container[str] | None = None) -> Iterator[ContextPart]:
        for kind in self._client.context:
            if categories is None or kind.category in categories:
                for path in islice(self._paths(kind), _MOST_FILES):
                    yield from self._read(kind, path)

    def parts_below(self) -> Iterator[ContextPart]:
        nested = {kind.pattern: kind for kind in self._client.context if kind.nested}
        for path in islice(_files_below(self._folder, nested), _MOST_FILES):
            kind = nested[path.name]._replace(loading=Loading.MATCHING)
            condition = f"{path.parent.relative_to(self._folder).as_posix()}/**"
            yield from (part._replace(condition=condition) for part in self._read(kind, path))

    # Where files are.

    @cached_property
    def _upward(self) -> dict[Upward | None, tuple[Path, ...]]:
        """The folders in which a client looks, from the outermost in."""
        above = (*reversed(self._folder.parents), self._folder)
        inside = tuple(path for path in above if path.is_relative_to(self._root))
        return {None: (self._root,), Upward.PROJECT: inside, Upward.DISK: above[1:]}

    def _places(self, kind: ContextFile) -> tuple[tuple[Path, ...], list[str]]:
        """Return the folders in which a kind of files lies, and its patterns there."""
        patterns = [
            name.replace("{project}", self._filed_as)
            for pattern in kind.names
            for name in self._in_use(pattern)
        ]
        if kind.place is not None:
            return (kind.place(self._home),), patterns
        bases = (self._home.path,) if kind.of_user else self._upward[kind.upward]
        chosen = self._home.environ.get(kind.variable, "") if kind.variable else ""
        if kind.of_user and chosen:
            bases = (self._home.folder(kind.variable, ""),)
            patterns = [pattern.partition("/")[2] for pattern in patterns]
        return bases, patterns

    def has_place_for(self, path: Path) -> bool:
        return any(
            self._is_place_of(kind, path)
            for kind in self._client.context
            if kind.category in (INSTRUCTION, MEMORY)
        )

    def _is_place_of(self, kind: ContextFile, path: Path) -> bool:
        if kind.is_of is not None and not kind.is_of(path, self._folder):
            return False
        if kind.nested and path.name == kind.pattern and path.is_relative_to(self._folder):
            return True
        bases, patterns = self._places(kind)
        return any(
            _fits(path.relative_to(base).parts, tuple(pattern.split("/")))
            for base in bases
            if path.is_relative_to(base)
            for pattern in patterns
        )

    def _paths(self, kind: ContextFile) -> Iterator[Path]:
        bases, patterns = self._places(kind)
        if any(is_file(base / name) for base in bases for name in kind.unless):
            return
        for base in bases:
            found = [paths for pattern in patterns if (paths := sorted(base.glob(pattern)))]
            for path in chain.from_iterable(found[:1] if "|" in kind.pattern else found):
                if kind.is_of is None or kind.is_of(path, self._folder):
                    yield path

    def _in_use(self, pattern: str) -> Iterator[str]:
        """Yield the patterns that the client's settings put in place of one."""
        folder, slash, name = pattern.rpartition("/")
        for other in self._renamed.get(name, (name,)):
            if other == name or (other == Path(other).name and _GLOB.isdisjoint(other)):
                yield f"{folder}{slash}{other}"

    def _name(self, path: Path, *, of_user: bool = False) -> str:
        """Return a file's name for people: in the project, in the home, or where it lies."""
        places = [("", self._root), ("~/", self._home.path)]
        for start, place in reversed(places) if of_user else places:
            if path.is_relative_to(place):
                return f"{start}{path.relative_to(place).as_posix()}"
        return str(path)

    # What is in them.

    def _read(
        self, kind: ContextFile, path: Path, importers: tuple[Path, ...] = ()
    ) -> Iterator[ContextPart]:
        real = os.path.realpath(path)
        is_repeated = bool(importers) and self._is_inlined
        if (real in self._seen and not is_repeated) or path in importers:
            return
        if path.is_dir():
            return
        is_read = kind.loading is not Loading.ALLOWED  # a repository may name any file of its user
        whole, problem = _text_of(path) if is_read else ("", "")
        self._characters_left -= len(whole)
        if self._characters_left < 0:
            whole, problem = "", "too much is loaded before it"
        self._seen.add(real)
        is_described = kind.category in _DESCRIBED
        front, body = split_properties(whole) if kind.rule or is_described else ("", whole)
        loading, condition, text = kind.loading, "", ""
        if not self._is_on(kind, path):
            loading = Loading.OFF
        elif is_described and not problem:
            loading, text = _description(path, read_properties(front), body)
        elif kind.rule and not problem:
            loading, condition = _loading_of(kind.rule, properties := read_properties(front))
            if loading is Loading.DESCRIPTION:
                text = _one_line(properties.get(kind.rule.description, ""))
        kept = self._kept(kind, body) if loading is Loading.START else 0
        part = ContextPart(
            category=kind.category,
            name=self._name(path, of_user=kind.of_user),
            text=text or body[:kept],
            rest=body[kept:],
            path=path,
            line=1 + front.count("\n"),
            loading=loading,
            condition=condition,
            importer=self._name(importers[-1], of_user=kind.of_user) if importers else "",
            problem=problem,
            in_all_projects=kind.of_user and kind.is_of is None and "{project}" not in kind.pattern,
        )
        yield from _with_end(part) if kind.keeps_end else (part,)
        imports = self._client.imports
        has_imports = imports is not None and not (imports.inlined and kind.rule)
        if imports is not None and has_imports and kept and len(importers) < imports.most:
            once = kind._replace(most_lines=None, most_bytes=None, rule=None)
            for target in self._imported(body[:kept], path):
                if self._imports_left <= 0:
                    return
                self._imports_left -= 1
                is_allowed = kind.of_user or self._may_import(imports, target)
                imported = once if is_allowed else once._replace(loading=Loading.ALLOWED)
                yield from self._read(imported, target, (*importers, path))

    def _may_import(self, imports: Imports, path: Path) -> bool:
        if imports.is_allowed is None:
            return True
        is_inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._folder))
        return is_inside or imports.is_allowed(self._home, (self._folder, self._root))

    def _is_on(self, kind: ContextFile, path: Path) -> bool:
        if kind.is_on is not None and not kind.is_on(self._home):
            return False
        is_excludable = kind.category == INSTRUCTION and kind.place is None
        return not is_excludable or not any(fnmatchcase(str(path), one) for one in self._excluded)

    def _kept(self, kind: ContextFile, text: str) -> int:
        """Return how many characters of a text the client loads."""
        kept = len("".join(text.splitlines(keepends=True)[: kind.most_lines]))
        if kind.keeps_end and len(text.encode(errors="replace")) > (kind.most_bytes or 0):
            kept = len(_first_bytes(text, (kind.most_bytes or 0) // 2))
        elif kind.most_bytes is not None and kept > kind.most_bytes:
            kept = text.rfind("\n", 0, kind.most_bytes) + 1 or kind.most_bytes
        if self._left is not None and kind.category == INSTRUCTION and not kind.of_user:
            data = text[:kept].encode(errors="replace")
            kept = len(_first_bytes(text[:kept], self._left))
            self._left = max(0, self._left - len(data))
        return kept

    @property
    def _is_inlined(self) -> bool:
        return self._client.imports is not None and self._client.imports.inlined

    def _imported(self, text: str, importer: Path) -> Iterator[Path]:
        """Yield the files that a text imports, as the client takes their names."""
        plain = _CODE.sub(lambda code: " " * len(code[0]), text)
        for found in islice(_IMPORT.finditer(plain), _MOST_FILES):
            name = found[1]
            if name.startswith("~/") and not self._is_inlined:
                path = self._home.path / name[2:]
            else:
                path = Path(os.path.normpath(importer.parent / name))
            is_inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._root))
            if is_file(path) and (is_inside or not self._is_inlined):
                yield path


def _text_of(path: Path) -> tuple[str, str]:
    """Return a file's text, or why there is none."""
    try:
        text = read_regular(path, MOST_BYTES).decode(errors="replace")
    except OSError as error:
        is_large = error.errno == errno.EFBIG
        return "", "over 1 MB" if is_large else (error.strerror or "unreadable").lower()
    return ("", "no text") if "\0" in text else (text, "")


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Return whether a relative path fits a pattern of `Path.glob`."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_fits(parts[at:], pattern[1:]) for at in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])


def _first_bytes(text: str, most: int) -> str:
    return text.encode(errors="replace")[:most].decode(errors="ignore")


def _with_end(part: ContextPart) -> Iterator[ContextPart]:
    """Yield a part that is cut in its middle as two: its beginning, and as much of its end."""
    if not part.is_cut:
        yield part
        return
    end = _first_bytes(part.rest[::-1], len(part.text.encode()))[::-1]
    middle = part.rest[: len(part.rest) - len(end)]
    yield part._replace(rest=middle)
    line = part.line + (part.text + middle).count("\n")
    yield part._replace(text=end, rest="", line=line)


def _loading_of(rule: RuleFields, properties: Properties) -> tuple[Loading, str]:
    """Return when a rule is loaded by its properties, and for which files."""
    files = _one_line(properties.get(rule.files, ""))
    if rule.always and properties.get(rule.always) == "true":
        return Loading.START, ""
    if files and files not in _ANY_FILE:
        return Loading.MATCHING, files
    if rule.always and not files:
        return (Loading.DESCRIPTION if rule.description in properties else Loading.ASKED), ""
    return Loading.START, ""


def _description(path: Path, properties: Properties, body: str) -> tuple[Loading, str]:
    """Return when a skill, a sub-agent or a command is loaded, and what is at the start."""
    if properties.get("disable-model-invocation") == "true":
        return Loading.ASKED, ""
    name = _one_line(properties.get("name", "")) or (
        path.parent.name if path.name == "SKILL.md" else path.stem
    )
    first = next(filter(None, map(str.strip, body.splitlines())), "")
    about = _one_line(properties.get("description", "")) or first
    return Loading.DESCRIPTION, " ".join(f"{name}: {about}".split())


def _one_line(value: str | list[str]) -> str:
    return value.strip("\"'") if isinstance(value, str) else ", ".join(value)


def _files_below(folder: Path, names: Container[str]) -> Iterator[Path]:
    """Yield the files of these names in the folders below one, as far as they are looked for."""
    met = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _NO_SOURCES
        )
        met += len(folders) + len(files)
        if met > _MOST_BELOW:
            return
        if place != str(folder):
            yield from (Path(place, name) for name in sorted(files) if name in names)
