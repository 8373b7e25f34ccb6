"""How a change is laid out: why it was made first, what was done in short, and its files last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from store.capture.candidate import listed, shorten
from store.capture.steps.edited_files import EditedFile
from store.capture.text.accounts import tells_why
from store.capture.text.prose import capital, leans, stopped
from store.capture.text.trouble import CLAUSE_END, says_trouble, tells_deed, tells_trouble
from store.capture.text.worth import to_the_point
from store.text.content_words import content_words, covered
from store.text.regex import regex

_ROOT = regex(r"\broot cause\b|\b(?:bug|issue|problem|culprit)\b", re.I)
_LONGEST_WHY, _LONGEST_DONE, _LONGEST_ALONE = 460, 240, 260
"""Characters of what says why; of what was done beside that, and where nobody said why."""
_A_TITLE = 100
"""Characters up to which what was asked for leads to why."""
_SAID, _SHOWN = 0.75, 2
"""The share of a text's words that another has where it says it, and files that are named first."""
_DETAIL = regex(r"\bimport(?:s|ed)?\b|\bprops?\b|\bconstants?\b|^new file\b", re.I)
"""What any change needs is not told where its reason is."""
_NO_DEED = regex(
    r"[^\w`]*+(?:`?(?:go|npm|make|cargo|pytest)\b[^`]{0,60}`"
    r"|fix(?:ed)? (?:and )?(?:verified|tested)\b"
    r"|functional:|tests?:|(?:bug )?fix(?:ed)?:?$|(?:bug )?tests?:|files?:|summary\b|suggested\b"
    r"|(?:the )?(?:[\w`./-]+ ){1,6}(?:is|are|has been|have been) (?:now )?(?:complete|active|live"
    r"|deployed|implemented|in place|running)\b[^`]{0,60}$)",
    re.I,
)
"""What is no deed, though it says that all is well."""
_MOST_FILES = 500
"""Characters of the list of files: how many more there are is said."""


def laid_out(
    files: Sequence[EditedFile], account: str, asked: str, why: str, *, is_planned: bool
) -> list[str]:
    """The lines that tell a change; the first says most. `is_planned`: a plan said why."""
    others = _apart(account)[1]
    lead = lead_of(account, why, is_planned=is_planned)
    if not lead:
        return _in_short(files, _fitting(others, _LONGEST_ALONE), asked)
    is_title = 0 < len(asked) <= _A_TITLE and ". " not in asked and not asked.endswith("?")
    is_title = is_title and asked.rstrip(". ").lower() != lead.rstrip(". ").lower()
    head = f"{asked.rstrip('. ')}: {lead}" if is_title else lead
    head = capital(head) if head.partition(" ")[0].isalpha() else head
    lines = [stopped(head)]
    if done := done_of(account):
        lines.append(f"Done: {stopped(done)}")
    if asked and not _says(head, asked):
        lines.append(f"Asked: {asked}")
    return [*lines, f"Files: {listed(list(map(named, files)), _MOST_FILES)}."]


def _in_short(files: Sequence[EditedFile], done: str, asked: str) -> list[str]:
    """A change for which nobody gave a reason: its files, and what was done or asked for."""
    lines = [stopped(f"{_headline(files)}: {done or asked or _extent(files)}")]
    if asked and done and not _says(done, asked):
        lines.append(f"Asked: {asked}")
    rest = [it for it in files[_SHOWN:] if named(it) != it.path or f"`{it.path}`" not in done]
    return [*lines, f"Files: {listed(list(map(named, rest)), _MOST_FILES)}."] if rest else lines


@lru_cache(maxsize=256)
def done_of(account: str) -> str:
    """What was done, in short, beside why."""
    others = (it for it in _apart(account)[1] if not _DETAIL.search(it) and not _NO_DEED.match(it))
    return _fitting([it for it in others if it.count("`") % 2 == 0], _LONGEST_DONE)


@lru_cache(maxsize=256)
def lead_of(account: str, why: str, *, is_planned: bool) -> str:
    """What says why: a plan's own words, else the account's and the cause found before it."""
    reasons = _apart(account)[0]
    told = _fitting(reasons, _LONGEST_WHY)
    if not why or _says(told, why):
        return told
    if is_planned or not told:
        return _up_to_the_trouble(_clauses(why))
    if not _ROOT.search(why):
        return told
    return _fitting([*_clauses(why), *reasons], _LONGEST_WHY)


def _up_to_the_trouble(clauses: Sequence[str]) -> str:
    """The clauses that fit; where only the next says what was wrong, as much of it as fits."""
    whole = _fitting(clauses, _LONGEST_WHY)
    cut = shorten(" ".join(clauses), _LONGEST_WHY)
    return cut if says_trouble(cut) and not says_trouble(whole) else whole


def _says(text: str, other: str) -> bool:
    return covered(content_words(other), content_words(text)) >= _SAID


def _apart(account: str) -> tuple[list[str], list[str]]:
    """The clauses of an account that say why, each with what it leans on; and the others. Where
    some say what was wrong, it is these.
    """
    clauses = _clauses(account)
    why = {at for at, it in enumerate(clauses) if tells_why(it) and it.count("`") % 2 == 0}
    trouble = {at for at in why if tells_trouble(clauses[at])}
    why = trouble | {at for at in why if at - 1 in trouble and not tells_deed(clauses[at])} or why
    why |= {at - 1 for at in why if at and leans(clauses[at])}
    return [clauses[at] for at in sorted(why)], [
        each for at, each in enumerate(clauses) if at not in why
    ]


def _clauses(text: str) -> list[str]:
    return to_the_point(CLAUSE_END.split(text))


def _fitting(clauses: Sequence[str], longest: int) -> str:
    """The first clauses that fit, whole; of the first as much as fits."""
    kept = ""
    for clause in clauses:
        if kept and len(kept) + len(clause) >= longest:
            break
        kept = f"{kept} {clause}".strip()
    return shorten(kept, longest).rstrip("; ")


def named(file: EditedFile) -> str:
    """A file's path, and what became of it."""
    note = {"created": " (new)", "deleted": " (deleted)", "moved": " (moved)"}.get(file.how, "")
    return file.path + note


def _headline(files: Sequence[EditedFile]) -> str:
    """The files in short: the first two, and how many more."""
    shown = ", ".join(named(file) for file in files[:_SHOWN])
    more = len(files) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _extent(files: Sequence[EditedFile]) -> str:
    edits = [edit for file in files for _, edit in file.done]
    names = list(dict.fromkeys(name for edit in edits for name in edit.names))
    added, removed = sum(e.added for e in edits), sum(e.removed for e in edits)
    size = f"{files[0].how} (+{added} −{removed} lines)" if added or removed else files[0].how
    return f"{size} at {', '.join(names[:6])}" if names else size
