"""Whose sessions are these: those of a project, and those that may have been before it moved.

The folder that a session's own file tells decides, never the name that a client files it under.
Sessions of a folder that is gone are the project's where it is shown to be the same repository: by
a remote, by commits, by a move that git or a session tells. What only looks like it is offered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from store.agents.answers import read_answers
from store.agents.client import Client, Home, SessionFile
from store.agents.files import dashed
from store.agents.registry import clients
from store.agents.traces import (
    Moved,
    Traces,
    applied,
    files_below,
    paths_named,
    session_moves,
    traces_of,
)
from store.notice import Notice, notice
from store.platform.git_command import ask_git
from store.platform.links import is_file, is_folder, real_path
from store.platform.project import project_of, remotes_of

_LONGEST = 200
"""Characters after which Claude Code cuts such a name and adds a digest."""
_MOST_LISTED = 3_000
"""Folders that are listed for the folders which fit a name."""


def fits(client: Client, folder: Path, name: str) -> bool:
    """Return whether a client may file a folder's sessions under a name."""
    if client.filed_as is None or not name:
        return False
    return any(_is_called(client.filed_as(place), name) for place in {folder, real_path(folder)})


def _is_called(made: str, name: str) -> bool:
    return made == name or (len(made) > _LONGEST and name.startswith(f"{made[:_LONGEST]}-"))


def folders_filed_as(client: Client, name: str) -> tuple[Path, ...]:
    """Return the folders there are that a client would file under a name. Links are not followed.

    Only of names that are the path with dashes; of a digest, none can be found.
    """
    assert client.filed_as is not None
    if "-" not in client.filed_as(Path("/a/b")):
        return ()
    wanted = name.strip("-")
    found: list[Path] = []
    waiting = [Path("/")]
    listed = 0
    while waiting and listed < _MOST_LISTED:
        listed += 1
        for place in _folders_in(waiting.pop()):
            said = dashed(place).lstrip("-")
            if _is_called(client.filed_as(place), name):
                found.append(place)
            if wanted.startswith(said.rstrip("-")) or (
                len(said) > _LONGEST and wanted.startswith(said[:_LONGEST])
            ):
                waiting.append(place)
    return tuple(found)


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


_READ = 8
"""Sessions of a folder that are read for what they say of it, the newest ones."""
_EVERYWHERE = frozenset(
    "readme changelog license contributing package pyproject setup cargo go makefile dockerfile"
    " index main app __init__ cli utils types config settings agents claude todo"
    " package-lock tsconfig docker-compose".split()
)
"""Names of files, without their endings, that projects have which have nothing else in common."""


class Standing(StrEnum):
    """The user's answer about the sessions of an earlier folder."""

    TAKEN = "taken"
    OFFERED = "offered"
    REFUSED = "refused"


class Earlier(NamedTuple):
    """Sessions that may be the project's from before: of a folder that is gone, or that a client
    files under a name which fits several folders.

    `folder` is the one to adopt or refuse; `reasons` why it may be the project's. `is_answered`: a
    person said so.
    """

    folder: Path
    files: tuple[SessionFile, ...]
    reasons: tuple[Notice, ...]
    standing: Standing
    is_answered: bool = False


class Sorted(NamedTuple):
    """A project's sessions, those of earlier folders that were taken among them, and all earlier
    folders: what can be taken first, then what was.
    """

    own: tuple[SessionFile, ...]
    earlier: tuple[Earlier, ...]


def sort_sessions(home: Home, folders: Sequence[Path]) -> Sorted:
    """Return the sessions of all clients that are those of a project, by its working trees (the
    main one first), and those that may be.
    """
    return _Sorting(home, tuple(folders)).sorted()


class _Gone(NamedTuple):
    """A session that ran in a folder which is not there."""

    file: SessionFile
    folder: Path


class _Sorting:
    def __init__(self, home: Home, folders: tuple[Path, ...]) -> None:
        self._home = home
        self._folders = folders
        self._root = folders[0]
        self._ours = frozenset((*folders, *map(real_path, folders)))
        answers = read_answers(home)
        self._adopted = [answer for answer in answers if answer.is_taken]
        self._refused = [
            item for item in answers if not item.is_taken and item.project in self._ours
        ]
        self._known: dict[str, bool] = {}
        self._own: list[SessionFile] = []
        self._above: list[SessionFile] = []
        self._gone: list[_Gone] = []
        self._ambiguous: dict[Path, list[tuple[SessionFile, Notice]]] = {}

    def sorted(self) -> Sorted:
        for client in clients():
            for file in client.session_files(self._home, self._folders):
                self._sort(client, file)
        earlier = [*self._named_alike(), *self._earlier()]
        taken = [
            one for group in earlier if group.standing is Standing.TAKEN for one in group.files
        ]
        order = [Standing.OFFERED, Standing.TAKEN, Standing.REFUSED]
        earlier.sort(key=lambda item: (order.index(item.standing), str(item.folder)))
        return Sorted((*self._own, *taken), tuple(earlier))

    def _sort(self, client: Client, file: SessionFile) -> None:
        place = file.folder
        filed = file.filed_under
        if (
            place
            and client.filed_as
            and not is_folder(place)
            and not fits(client, Path(place), filed)
        ):
            # Of a session that went on elsewhere, the first lines may tell a folder that is gone.
            there = [folder for folder in traces_of(file).folders if is_folder(folder)]
            place = next((item for item in there if fits(client, Path(item), filed)), place)
            file = file._replace(folder=place)
        if place and not Path(place).is_absolute():
            return
        if place and self._is_ours(place):
            self._own.append(file)
        elif place and (not is_folder(place) or self._is_answered(file)):
            self._gone.append(_Gone(file, Path(place)))
        elif place and Path(place) in self._root.parents:
            self._above.append(file)
        elif not place and file.filed_under and client.filed_as is not None:
            self._sort_by_name(client, file)

    def _sort_by_name(self, client: Client, file: SessionFile) -> None:
        """Sort a session whose client only tells a name made of its folder."""
        ours = [one for one in self._folders if fits(client, one, file.filed_under)]
        inside = any(_can_be_above(client, folder, file.filed_under) for folder in self._folders)
        there = folders_filed_as(client, file.filed_under) if ours or inside else ()
        others = [entry for entry in there if not self._is_ours(str(entry))]
        mine = ours or [item for item in there if self._is_ours(str(item))]
        if mine and not others:
            self._own.append(file._replace(folder=str(mine[0])))
        elif mine:
            why = notice("ran-named-alike", client=client.title, folder=str(others[0]))
            self._ambiguous.setdefault(_kept_in(file), []).append((file, why))
        elif not there and (told := _folder_of_session(client, file)) and not is_folder(told):
            self._gone.append(_Gone(file._replace(folder=told), Path(told)))

    def _is_ours(self, place: str) -> bool:
        if place not in self._known:
            self._known[place] = self._is_here(Path(os.path.normpath(place)))
        return self._known[place]

    def _is_here(self, place: Path) -> bool:
        if not any(
            at.is_relative_to(ours) for at in (place, real_path(place)) for ours in self._ours
        ):
            return False
        inner = project_of(place)
        if inner is None or {inner.root, inner.main_root} & self._ours:
            return True
        return not any(inner.root.is_relative_to(our) for our in self._ours)

    def _is_answered(self, file: SessionFile) -> bool:
        return any(_is_from(file, item.folder) for item in self._adopted)

    # What names fit several folders

    def _named_alike(self) -> Iterator[Earlier]:
        for place, found in self._ambiguous.items():
            files = tuple(file for file, _ in found)
            answer = self._answer_to(files[0])
            reasons = tuple(dict.fromkeys(why for _, why in found))
            if answer is None:
                yield Earlier(place, files, reasons, Standing.OFFERED)
            else:
                files = tuple(file._replace(folder=str(self._root)) for file in files)
                yield Earlier(place, files, reasons, answer, is_answered=True)

    def _answer_to(self, file: SessionFile) -> Standing | None:
        if any(_is_from(file, item.folder) for item in self._refused):
            return Standing.REFUSED
        for answer in self._adopted:
            if _is_from(file, answer.folder) and self._can_lead_here(file, (answer.move,)):
                return Standing.TAKEN
        if any(
            self._is_ours(str(one)) for one in applied(Path(file.folder or "/"), self._answered)
        ):
            return Standing.TAKEN
        return None

    def _can_lead_here(self, file: SessionFile, moves: Iterable[Moved]) -> bool:
        rules = [*moves, *self._answered]
        at = Path(file.folder) if file.folder else None
        if at is None or not any(at.is_relative_to(rule.old) for rule in rules):
            return any(self._is_ours(str(rule.new)) for rule in moves)
        return any(self._is_ours(str(place)) for place in applied(at, rules))

    @cached_property
    def _answered(self) -> list[Moved]:
        return [item.move for item in self._adopted]

    # What ran in folders that are gone

    def _earlier(self) -> Iterator[Earlier]:
        groups: dict[Path, list[SessionFile]] = {}
        answered: dict[tuple[Path, Standing], list[SessionFile]] = {}
        for file, folder in self._gone:
            standing = self._answer_to(file)
            if standing is None:
                groups.setdefault(folder, []).append(file)
                continue
            rules = self._adopted if standing is Standing.TAKEN else self._refused
            root = next((rule.folder for rule in rules if _is_from(file, rule.folder)), folder)
            answered.setdefault((root, standing), []).append(file)
        for (root, standing), files in answered.items():
            yield Earlier(root, tuple(files), (), standing, is_answered=True)
        if groups:
            yield from self._unanswered(groups)

    def _unanswered(self, groups: dict[Path, list[SessionFile]]) -> Iterator[Earlier]:
        read = {folder: _newest(files) for folder, files in groups.items()}
        proofs = {
            folder: [self._proof(traces_of(file)) for file in files]
            for folder, files in read.items()
        }
        proven = {
            folder: why
            for folder, found in proofs.items()
            if (why := next((item for item in found if item is not None), None)) is not None
        }
        offers: dict[Path, tuple[list[SessionFile], list[Notice]]] = {}
        moves = self._moves(read)
        for folder, files in groups.items():
            reason = self._shown(folder, proven, moves)
            foreign = [
                one for one in read[folder] if reason and self._is_of_another(traces_of(one))
            ]
            own = [entry for entry in files if reason and entry not in foreign]
            if reason is not None and own:
                yield Earlier(folder, tuple(own), (reason,), Standing.TAKEN)
            left = foreign if reason is not None else files
            if left and (offered := self._offer(folder, _newest(left))):
                root, reasons = offered
                kept = offers.setdefault(root, ([], []))
                kept[0].extend(left)
                kept[1].extend(reasons)
        for root, (files, reasons) in offers.items():
            yield Earlier(root, tuple(files), tuple(dict.fromkeys(reasons)), Standing.OFFERED)

    def _proof(self, traces: Traces) -> Notice | None:
        if shared := sorted(traces.remotes & self._remotes):
            return notice("ran-same-remote", remote=shared[0])
        if self._is_of_another(traces):
            return None
        if known := sorted(commit for commit in traces.commits if self._has_commit(commit)):
            return notice("ran-same-commit", commit=known[0][:12])
        return None

    def _is_of_another(self, traces: Traces) -> bool:
        return bool(traces.remotes and self._remotes) and not traces.remotes & self._remotes

    def _shown(
        self, folder: Path, proven: dict[Path, Notice], moves: Sequence[Moved]
    ) -> Notice | None:
        """Evidence that a folder which is gone was this repository; None where there is none."""
        for place in (folder, *folder.parents):
            if place in proven:
                return proven[place]
            if str(place).casefold() in self._remotes:
                return notice("ran-cloned", folder=str(place))
        told = next((item for item in applied(folder, moves) if self._is_ours(str(item))), None)
        return None if told is None else notice("ran-moved", folder=str(told))

    def _moves(self, groups: dict[Path, list[SessionFile]]) -> list[Moved]:
        """The moves that sessions tell: ours, and those of folders that are gone or above ours."""
        near = [
            *_newest(self._own, 10),
            *_newest(self._above),
            *(item for files in groups.values() for item in files),
        ]
        moves = [move for file in near for move in (*traces_of(file).moves, *session_moves(file))]
        return [one for one in dict.fromkeys(moves) if not is_folder(one.old)]

    def _has_commit(self, name: str) -> bool:
        if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name):
            return False
        if name not in self._commits:
            asked = ask_git(self._root, ["cat-file", "-e", f"{name}^{{commit}}"])
            self._commits[name] = asked is not None
        return self._commits[name]

    @cached_property
    def _commits(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _remotes(self) -> frozenset[str]:
        return remotes_of(self._root)

    # What is offered

    def _offer(
        self, folder: Path, files: Sequence[SessionFile]
    ) -> tuple[Path, list[Notice]] | None:
        """Return why sessions of a folder may be the project's, and the folder to adopt for that;
        None where nothing speaks for it.
        """
        if moved := _other_home(folder, self._root, self._home.path):
            return moved, [notice("ran-other-home", home=str(moved))]
        named = list(dict.fromkeys(one for file in files for one in files_below(file, folder)))
        inner, found = self._found_here(folder, named)
        root = folder if not inner else folder.parents[len(Path(inner).parts) - 1]
        telling = [entry for entry in found if Path(entry).stem.casefold() not in _EVERYWHERE]
        is_namesake = self._root.name.casefold() in map(str.casefold, folder.parts)
        reasons = []
        if is_namesake and found:
            reasons.append(notice("ran-same-name", name=self._root.name))
        if found and (is_namesake or (telling and 2 * len(found) >= len(named))):
            shown = ", ".join([*telling, *(item for item in found if item not in telling)][:3])
            reasons.append(
                notice("ran-same-files", found=len(found), named=len(named), files=shown)
            )
        clients_of = {client.name: client for client in clients()}
        for file in files:
            client = clients_of[file.client]
            filed = file.filed_under
            if fits(client, self._root, filed) and not fits(client, folder, filed):
                reasons.append(notice("ran-filed-here", client=client.title))
        return (root, reasons) if reasons else None

    def _found_here(self, folder: Path, named: Sequence[str]) -> tuple[str, list[str]]:
        """Return the named files that are here, and the folder below the project that holds them: a
        session may have run further down.
        """
        best: tuple[str, list[str]] = ("", [])
        for depth in range(len(folder.parts)):
            inner = "/".join(folder.parts[len(folder.parts) - depth :]) if depth else ""
            if inner and not is_folder(self._root / inner):
                continue
            found = [name for name in named if is_file(self._root / inner / name)]
            if len(found) > len(best[1]):
                best = inner, found
        return best


def _newest(files: Sequence[SessionFile], times: int = 1) -> list[SessionFile]:
    return sorted(files, key=lambda file: (file.modified, file.path))[-_READ * times :]


def _is_from(file: SessionFile, folder: Path) -> bool:
    places = (Path(file.folder), file.path) if file.folder else (file.path,)
    return any(place.is_relative_to(folder) for place in places)


def _kept_in(file: SessionFile) -> Path:
    """Return the folder of a client that is named after where a session ran."""
    return next(parent for parent in file.path.parents if parent.name == file.filed_under)


def _can_be_above(client: Client, folder: Path, name: str) -> bool:
    assert client.filed_as is not None
    return name.startswith(f"{client.filed_as(folder)}-")


def _folder_of_session(client: Client, file: SessionFile) -> str:
    assert client.filed_as is not None
    for path in paths_named(file):
        for place in path.parents:
            if fits(client, place, file.filed_under):
                return str(place)
    return ""


def is_other_home(home: Home, root: Path, folder: Path) -> bool:
    """The folder belongs to another home, in which sessions of the project at `root` ran."""
    if not root.is_relative_to(home.path) or root == home.path or is_folder(folder):
        return False
    place = folder / root.relative_to(home.path)
    return any(
        Path(file.folder).is_relative_to(place)
        for client in clients()
        for file in client.session_files(home, (root,))
        if file.folder
    )


def _other_home(folder: Path, root: Path, home: Path) -> Path | None:
    """Return the home folder that a place lies in as the project does in this one; None where it
    doesn't.

    One folder below home is little to go by: a namesake is no proof.
    """
    if not root.is_relative_to(home):
        return None
    below = root.relative_to(home).parts
    for at in range(1, len(folder.parts) - len(below) + 1):
        before = Path(*folder.parts[:at])
        if len(below) > 1 and folder.parts[at : at + len(below)] == below:
            return before if before != home and not is_folder(before) else None
    return None
