"""Whose sessions are these: those of a project, and those that may have been before it moved.

The folder in a session's own file decides, never the name that a client files it under.
Sessions of a folder that is gone are the project's where it is shown to be the same repository: by
a remote, by commits, by a move that git or a session recorded. What only looks like it is offered.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from store.agents.answers import Answer, read_answers
from store.agents.client import Client, Home, SessionFile
from store.agents.filing import (
    can_be_above,
    folder_by_paths,
    folders_filed_as,
    is_filed_as,
    kept_in,
)
from store.agents.registry import client_named, clients
from store.agents.traces import Moved, Traces, applied, files_below, session_moves, traces_of
from store.notice import Notice, notice
from store.platform.git_command import ask_git
from store.platform.links import is_file, is_folder, real_path
from store.platform.project import project_of, remotes_of

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


class _Stray(NamedTuple):
    """A session that may be the project's: it ran in a `folder` that is gone; or a client keeps it
    in one whose name fits several folders, which is the `reason`.
    """

    file: SessionFile
    folder: Path
    reason: Notice | None = None


class _Sorting:
    def __init__(self, home: Home, folders: tuple[Path, ...]) -> None:
        self._home = home
        self._folders = folders
        self._root = folders[0]
        self._ours = frozenset((*folders, *map(real_path, folders)))
        answers = read_answers(home)
        self._adopted = [answer for answer in answers if answer.is_taken]
        self._refused = [
            answer for answer in answers if not answer.is_taken and answer.project in self._ours
        ]
        self._known: dict[str, bool] = {}
        self._commits: dict[str, bool] = {}
        self._own: list[SessionFile] = []
        self._above: list[SessionFile] = []
        self._strays: list[_Stray] = []

    def sorted(self) -> Sorted:
        for client in clients():
            for file in client.session_files(self._home, self._folders):
                self._sort(client, file)
        earlier = list(self._earlier())
        taken = [
            file for folder in earlier if folder.standing is Standing.TAKEN for file in folder.files
        ]
        order = [Standing.OFFERED, Standing.TAKEN, Standing.REFUSED]
        earlier.sort(key=lambda item: (order.index(item.standing), str(item.folder)))
        return Sorted((*self._own, *taken), tuple(earlier))

    def _sort(self, client: Client, file: SessionFile) -> None:
        place, name = file.folder, file.filed_under
        if (
            place
            and client.filed_as
            and not is_folder(place)
            and not is_filed_as(client, Path(place), name)
        ):
            # Of a session that went on elsewhere, the first lines may have a folder that is gone.
            there = (folder for folder in traces_of(file).folders if is_folder(folder))
            place = next((at for at in there if is_filed_as(client, Path(at), name)), place)
            file = file._replace(folder=place)
        if not place:
            if name and client.filed_as is not None:
                self._sort_by_name(client, file)
        elif not Path(place).is_absolute():
            return
        elif self._is_ours(place):
            self._own.append(file)
        elif not is_folder(place) or _rule_for(file, self._adopted) is not None:
            self._strays.append(_Stray(file, Path(place)))
        elif Path(place) in self._root.parents:
            self._above.append(file)

    def _sort_by_name(self, client: Client, file: SessionFile) -> None:
        """Sort a session whose client gives only a name made of its folder."""
        name = file.filed_under
        ours = [folder for folder in self._folders if is_filed_as(client, folder, name)]
        inside = any(can_be_above(client, folder, name) for folder in self._folders)
        there = folders_filed_as(client, name) if ours or inside else ()
        others = [folder for folder in there if not self._is_ours(str(folder))]
        mine = ours or [folder for folder in there if self._is_ours(str(folder))]
        if mine and not others:
            self._own.append(file._replace(folder=str(mine[0])))
        elif mine:
            reason = notice("ran-named-alike", client=client.title, folder=str(others[0]))
            self._strays.append(_Stray(file, kept_in(file), reason))
        elif not there and (folder := folder_by_paths(client, file)) and not is_folder(folder):
            self._strays.append(_Stray(file._replace(folder=folder), Path(folder)))

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

    def _earlier(self) -> Iterator[Earlier]:
        answered: defaultdict[tuple[Path, Standing], list[_Stray]] = defaultdict(list)
        named_alike: defaultdict[Path, list[_Stray]] = defaultdict(list)
        gone: defaultdict[Path, list[SessionFile]] = defaultdict(list)
        for stray in self._strays:
            if standing := self._answer_to(stray.file):
                rules = self._adopted if standing is Standing.TAKEN else self._refused
                rule = _rule_for(stray.file, rules)
                answered[rule.folder if rule else stray.folder, standing].append(stray)
            elif stray.reason:
                named_alike[stray.folder].append(stray)
            else:
                gone[stray.folder].append(stray.file)
        for (folder, standing), strays in answered.items():
            root = str(self._root)
            files = (stray.file._replace(folder=stray.file.folder or root) for stray in strays)
            yield Earlier(folder, tuple(files), _reasons(strays), standing, is_answered=True)
        for folder, strays in named_alike.items():
            files = (stray.file for stray in strays)
            yield Earlier(folder, tuple(files), _reasons(strays), Standing.OFFERED)
        if gone:
            yield from self._unanswered(gone)

    # What the person answered

    def _answer_to(self, file: SessionFile) -> Standing | None:
        if _rule_for(file, self._refused):
            return Standing.REFUSED
        for answer in self._adopted:
            if _is_from(file, answer.folder) and self._can_lead_here(file, (answer.move,)):
                return Standing.TAKEN
        if any(
            self._is_ours(str(place))
            for place in applied(Path(file.folder or "/"), self._answered_moves)
        ):
            return Standing.TAKEN
        return None

    def _can_lead_here(self, file: SessionFile, moves: Iterable[Moved]) -> bool:
        rules = [*moves, *self._answered_moves]
        at = Path(file.folder) if file.folder else None
        if at is None or not any(at.is_relative_to(rule.old) for rule in rules):
            return any(self._is_ours(str(rule.new)) for rule in moves)
        return any(self._is_ours(str(place)) for place in applied(at, rules))

    @cached_property
    def _answered_moves(self) -> list[Moved]:
        return [answer.move for answer in self._adopted]

    # What traces show of folders that are gone

    def _unanswered(self, gone: Mapping[Path, Sequence[SessionFile]]) -> Iterator[Earlier]:
        newest = {folder: _newest(files) for folder, files in gone.items()}
        proven = {
            folder: proof for folder, files in newest.items() if (proof := self._proof(files))
        }
        moves = self._moves(newest)
        offers: defaultdict[Path, tuple[list[SessionFile], list[Notice]]]
        offers = defaultdict(lambda: ([], []))
        for folder, files in gone.items():
            left = list(files)
            if reason := self._evidence(folder, proven, moves):
                left = [one for one in newest[folder] if self._is_of_another(traces_of(one))]
                if own := [file for file in files if file not in left]:
                    yield Earlier(folder, tuple(own), (reason,), Standing.TAKEN)
            if left and (offered := self._offer(folder, _newest(left))):
                root, reasons = offered
                offers[root][0].extend(left)
                offers[root][1].extend(reasons)
        for root, (offered_files, reasons) in offers.items():
            why = tuple(dict.fromkeys(reasons))
            yield Earlier(root, tuple(offered_files), why, Standing.OFFERED)

    def _proof(self, files: Sequence[SessionFile]) -> Notice | None:
        """Return what one of these sessions shows that it ran in this repository; None if none."""
        for traces in map(traces_of, files):
            if shared := sorted(traces.remotes & self._remotes):
                return notice("ran-same-remote", remote=shared[0])
            if self._is_of_another(traces):
                continue
            if known := sorted(commit for commit in traces.commits if self._has_commit(commit)):
                return notice("ran-same-commit", commit=known[0][:12])
        return None

    def _is_of_another(self, traces: Traces) -> bool:
        return bool(traces.remotes and self._remotes) and not traces.remotes & self._remotes

    def _evidence(
        self, folder: Path, proven: Mapping[Path, Notice], moves: Sequence[Moved]
    ) -> Notice | None:
        """Evidence that a folder which is gone was this repository; None where there is none."""
        for place in (folder, *folder.parents):
            if place in proven:
                return proven[place]
            if str(place).casefold() in self._remotes:
                return notice("ran-cloned", folder=str(place))
        now = next((place for place in applied(folder, moves) if self._is_ours(str(place))), None)
        return None if now is None else notice("ran-moved", folder=str(now))

    def _moves(self, groups: Mapping[Path, Sequence[SessionFile]]) -> list[Moved]:
        """The moves that sessions recorded: ours, and those of folders that are gone or above
        ours."""
        near = [
            *_newest(self._own, 10),
            *_newest(self._above),
            *(file for files in groups.values() for file in files),
        ]
        moves = [move for file in near for move in (*traces_of(file).moves, *session_moves(file))]
        return [move for move in dict.fromkeys(moves) if not is_folder(move.old)]

    def _has_commit(self, name: str) -> bool:
        if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name):
            return False
        if name not in self._commits:
            asked = ask_git(self._root, ["cat-file", "-e", f"{name}^{{commit}}"])
            self._commits[name] = asked is not None
        return self._commits[name]

    @cached_property
    def _remotes(self) -> frozenset[str]:
        return remotes_of(self._root)

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
        for file in files:
            client, name = client_named(file.client), file.filed_under
            if is_filed_as(client, self._root, name) and not is_filed_as(client, folder, name):
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


def _reasons(strays: Iterable[_Stray]) -> tuple[Notice, ...]:
    return tuple(dict.fromkeys(stray.reason for stray in strays if stray.reason))


def _rule_for(file: SessionFile, answers: Iterable[Answer]) -> Answer | None:
    """Return the first of the answers that is about where a session ran, or lies."""
    return next((answer for answer in answers if _is_from(file, answer.folder)), None)


def _is_from(file: SessionFile, folder: Path) -> bool:
    places = (Path(file.folder), file.path) if file.folder else (file.path,)
    return any(place.is_relative_to(folder) for place in places)


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
