"""What is known of a change from elsewhere in its session, and what was told of others before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename

from store.capture.changes.change import Change
from store.capture.text.causes import names_cause
from store.capture.text.grounds import Grounds
from store.capture.text.trouble import CLAUSE_END
from store.text.content_words import code_words, content_words, covered

_SAID, _FEW_WORDS = 0.75, 3
"""The share of a clause's words that were told of another where it is no news, and the words below
which that is not asked.
"""
_ABOUT_IT = 5
"""Words that what was found out shares with what a change wrote."""


@dataclass(frozen=True, slots=True)
class Before:
    """What else is known of a change: what the agent's summary says of files, what the changes
    before it have told, in words a clause, and what was found out before it, by line.
    """

    accounts: Mapping[str, str]
    said: list[frozenset[str]]
    explained: Sequence[tuple[int, str]] = ()
    used: list[str] = field(default_factory=list)

    def cause(self, change: Change, grounds: Grounds) -> str:
        """What was found out of one of its files before a change began; each is told once."""
        first = change.steps[0].call.line
        names = [basename(file.path) for file in change.files]
        told = (it for line, it in self.explained if line < first and it not in self.used)
        told = (it for it in told if any(name in it for name in names))
        words = grounds.words
        fitting = [it for it in told if not words or len(code_words(it) & words) >= _ABOUT_IT]
        found = max(reversed(fitting), key=names_cause, default="")
        self.used.extend([found] if found else [])
        return found

    def news(self, account: str) -> str:
        """An account, without the clauses told before where these are most of it."""
        clauses = [(each, content_words(each)) for each in CLAUSE_END.split(account) if each]
        new = [
            (clause, words)
            for clause, words in clauses
            if len(words) < _FEW_WORDS or not any(covered(words, it) >= _SAID for it in self.said)
        ]
        self.said.extend(words for _, words in new)
        if 2 * len(new) > len(clauses):
            return account
        return " ".join(clause for clause, _ in new).rstrip("; ")
