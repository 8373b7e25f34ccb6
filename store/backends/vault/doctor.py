"""Problems with a vault, and the moves that mend them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.backends.files import doctor
from store.backends.files.layout import check_movable
from store.backends.files.log import FileLog
from store.backends.protocol import Fact
from store.backends.vault.flat import BACKUP, is_flat
from store.backends.vault.layout import CONVERSATIONS, OWN, PENDING, SIDE, SIDECAR
from store.errors import Conflict, InvalidObservation
from store.model import Problem
from store.notice import notice, quoted
from store.platform.read import read_if_there
from store.platform.write import move_file, replace_durably

_OURS = {SIDECAR, PENDING}
_COMPACTED = re.compile(
    rf"{re.escape(SIDE)}/trash/[^/\x00.][^/\x00]{{0,200}}|{CONVERSATIONS}/[^/\x00.][^/\x00]*\.json"
    rf"|{re.escape(OWN)}/(?:index|checkpoints/[^/\x00.][^/\x00]*)\.json"
)
"""What a vault's compaction moves, and where to."""
CUT = ".new"
"""What ends the name of a conversation as it is cut, next to all of it."""
_SET_ASIDE = re.compile(rf"{re.escape(SIDE)}/quarantine/[\w.-]+", re.ASCII)


def vault_facts(
    folder: Path, problems: Iterable[Problem], log: FileLog, stamp: str
) -> Iterator[Fact]:
    """Report unreadable files, leftovers and permissions. `stamp` names what is set aside."""
    side = folder / SIDE
    for problem in problems:
        path = problem.path
        if path not in _OURS:
            yield Fact("unreadable-file", path, quoted(problem.message))
            continue
        aside = f"{SIDE}/quarantine/{stamp}-{path.rpartition('/')[2]}"
        repair = notice("move-file", to=aside)
        yield Fact("unreadable-file", path, quoted(problem.message), repair, ((path, aside),))
    for fact in doctor.leftovers(side, stamp):
        moves = tuple((f"{SIDE}/{old}", f"{SIDE}/{new}") for old, new in fact.moves)
        yield fact._replace(path=f"{SIDE}/{fact.path}", moves=moves)
    yield from doctor.folder_facts(folder)
    yield from doctor.log_facts(log)


def move(folder: Path, source: str, target: str) -> bool:
    """Move a file of memtui's own in the vault. Raises `Conflict`, `InvalidObservation`."""
    for name in (source, target):
        own = name in _OURS or _SET_ASIDE.fullmatch(name) or _COMPACTED.fullmatch(name)
        is_flat_file = "/" not in name and is_flat(name.removesuffix(BACKUP))
        if not (own or is_flat_file or _is_leftover(name)):
            raise InvalidObservation(f"{name!r} is not a file that repairs move.", "")
    if source.endswith(CUT) or target.endswith(CUT):
        return _exchange(folder, source, target)
    if not os.path.lexists(folder / source):
        if os.path.lexists(folder / target):
            return False
        raise Conflict(f"{source} is gone.", "")
    if os.path.lexists(folder / target):
        raise Conflict(f"{target} already exists.", "")
    move_file(folder / source, folder / target, folder)
    return True


def _exchange(folder: Path, source: str, target: str) -> bool:
    """Have a conversation be what it was cut to, or all of it again; both are kept in the trash.

    It is never away, whatever happens meanwhile. Raises `Conflict` where it has changed since.
    """
    is_cut = source.endswith(CUT)
    path, cut = (target, source) if is_cut else (source, target)
    texts = {
        name: read_if_there(folder / name, folder) for name in (path, cut, cut.removesuffix(CUT))
    }
    before, after = texts[cut.removesuffix(CUT)], texts[cut]
    if not is_cut:
        before, after = after, before
    if after is None or texts[path] not in (before, after):
        raise Conflict(f"{path} has changed since; it was left unchanged.", "")
    if texts[path] == after:
        return False
    replace_durably(folder / path, after, folder)
    return True


def _is_leftover(name: str) -> bool:
    if not name.startswith(f"{SIDE}/"):
        return False
    check_movable(name.removeprefix(f"{SIDE}/"))
    return True
