"""What is known of a change from elsewhere in its session, and what was told of others before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename

from store.agents.transcript import Message
from store.capture.changes.change import Change
from store.capture.text.causes import cause_in, names_cause
from store.capture.text.grounds import Grounds
from store.capture.text.trouble import CLAUSE_END
from store.text.content_words import code_words, content_words, covered
from store.text.regex import regex

_ROOT = regex(r"\broot cause\b", re.I)

_SAID, _FEW_WORDS = 0.75, 3
"""The share of a clause's words that were told of another where it is no news, and the words below
which that is not asked.
"""
_ABOUT_IT, _SPOKEN_OF = 5, 0.2
"""Words that what was found out shares with what a change wrote, and the share of its words that
the account of the change has.
"""
_NEARLY_DONE, _SEVERAL = 0.6, 3
"""The share of a change's steps after which a cause is of the step at hand, where it has several:
of six such causes of 232 sessions one was why the change was made, and that one was called so.
"""


def cause_of(change: Change, said: Iterable[Message], about: Callable[[str], bool]) -> str:
    """The agent's sentence that says why a change was made; not what came up near its end."""
    found, where = cause_in(said, change.steps[-1].call.line, about)
    if where is None or _ROOT.search(found):
        return found
    done = sum(step.call.line < where.line for step in change.steps)
    is_late = done >= _SEVERAL and done >= _NEARLY_DONE * len(change.steps)
    return "" if is_late else found


@dataclass(frozen=True, slots=True)
class Before:
    """What else is known of a change: what the agent's summary says of files, what the changes
    before it have told, in words a clause, and what was found out before it, by line.
    """

    accounts: Mapping[str, str]
    said: list[frozenset[str]]
    explained: Sequence[tuple[int, str]] = ()
    used: list[str] = field(default_factory=list)

    def cause(self, change: Change, grounds: Grounds, account: str) -> str:
        """What was found out of one of its files before a change began; each is told once, and only
        where the `account` of the change speaks of it.
        """
        first = change.steps[0].call.line
        names = [basename(file.path) for file in change.files]
        told = (it for line, it in self.explained if line < first and it not in self.used)
        told = (it for it in told if any(name in it for name in names))
        words = grounds.words
        fitting = [it for it in told if not words or len(code_words(it) & words) >= _ABOUT_IT]
        done = code_words(account)
        fitting = [it for it in fitting if not done or covered(code_words(it), done) >= _SPOKEN_OF]
        found = max(reversed(fitting), key=names_cause, default="")
        self.used.append(found)
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
