"""What notes and texts take: by an estimate each piece is counted once, and what it takes added up.

What a recall tells is put in order several times, until nothing more fits; to count it anew as a
whole took a twentieth of a plan of 20,000 tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from store.recall.render import NOTHING, Line, Note, fence_of, frame_of, framed, line_of, told_of
from store.recall.values import Limits
from store.text.tokens import Counter, Estimate, Scaled


class Sized(NamedTuple):
    """A note, the tokens of its words, and the tokens and characters that its line takes; no
    characters where no limit counts them.
    """

    note: Note
    words: int
    cost: int
    length: int


class Text:
    """A whole text, put together where it is read, and the tokens that it takes."""

    def __init__(self, tokens: int = 0, read: Callable[[], str] = str) -> None:
        self.tokens = tokens
        self._read = read

    def __str__(self) -> str:
        return self._whole

    @cached_property
    def _whole(self) -> str:
        return self._read()


class Sizes:
    """Sizes by any counter, which is asked for texts as a whole."""

    def __init__(self, counter: Counter, limits: Limits) -> None:
        self._count = counter.count
        self._measure = limits.measure if limits.length is not None else None

    def sized(self, note: Note) -> Sized:
        """A note, and what its line takes with all of its traits."""
        words, line = self.words(note), line_of(note, NOTHING)
        return Sized(note, words, words + self._count(f"{line.head}\n"), self.length(line))

    def length(self, line: Line) -> int:
        """The characters or bytes of a line, with its end, where a limit counts them; else 0."""
        return self._measure(f"{line}\n") if self._measure else 0

    def words(self, note: Note) -> int:
        """The tokens of what is told of a note."""
        return self._count(note.words)

    def exceeds(self, text: str, tokens: int) -> bool:
        """Whether a note of this text surely takes more tokens, told in a fraction of the time."""
        return False

    def name(self, note: Note) -> int:
        """The tokens of what stands before the words of a note whose traits are not told."""
        return self._count(line_of(note).head)

    def line(self, line: Line) -> int:
        """The tokens of a line, with its end."""
        return self._count(f"{line}\n")

    def text(self, head: Sequence[str], lines: Sequence[Line], last: str) -> Text:
        """The text of these lines, after those of its head, and before the last."""
        text = framed("\n".join([*head, *map(str, lines)]), last)
        return Text(self._count(text), lambda: text)


class _Words(NamedTuple):
    """What is told of a memory: hundredths of a token that it takes, alone and behind its head, and
    a fence that is longer than any in it.
    """

    alone: int
    behind: int
    fence: str


class _Added(Sizes):
    """Sizes by an estimate, of which a text takes what its pieces take."""

    def __init__(self, counter: Estimate | Scaled, limits: Limits) -> None:
        super().__init__(counter, limits)
        estimate = counter.of if isinstance(counter, Scaled) else counter
        self._tokens, self._of_traits = counter.tokens, estimate.traits
        self._of_text, self._of_handle = cache(estimate.hundredths), cache(estimate.handle)
        self._of_head = cache(self._before)
        self._of_words = cache(lambda words: _Words(*estimate.told(words), fence_of((words,))))
        self._space, self._break = estimate.space, estimate.line_break

    def sized(self, note: Note) -> Sized:
        words = self.words(note)
        before = self._of_head(note.handle, told_of(note.traits)) + self._space
        length = self.length(line_of(note, NOTHING)) if self._measure else 0
        return Sized(note, words, words + self._tokens(before + self._break), length)

    def words(self, note: Note) -> int:
        return self._tokens(self._of_words(note.words).alone)

    def exceeds(self, text: str, tokens: int) -> bool:
        if len(text) < 2 * tokens:  # it has no more words, and most have room: few are divided
            return False
        # No estimate gives a word and the space before it less than a token.
        return self._tokens(100 * len(text.split()) - 100) > tokens

    def name(self, note: Note) -> int:
        return self._tokens(self._of_head(note.handle, "") + self._space)

    def line(self, line: Line) -> int:
        told, note = line
        if note is None:
            return self._tokens(self._of_text(told) + self._break)
        behind = self._of_words(note.words).behind
        return self._tokens(self._of_head(note.handle, told) + behind + self._break)

    def text(self, head: Sequence[str], lines: Sequence[Line], last: str) -> Text:
        notes = [it.note for it in lines if it.note]
        words = [self._of_words(it.words) for it in notes]
        told = fence_of([*head, *[it.told for it in lines], *[it.handle for it in notes]])
        around = frame_of(max([told, *[it.fence for it in words]], key=len), last)
        of_head, of_text = self._of_head, self._of_text
        taken = sum(map(of_text, (*head, *around))) + sum([it.behind for it in words])
        taken += sum([of_head(it.handle, said) if it else of_text(said) for said, it in lines])
        breaks = max(0, len(head) + len(lines) - 1) * self._break
        return Text(
            self._tokens(taken + breaks),
            lambda: "\n".join([*head, *map(str, lines)]).join(around),
        )

    def _before(self, handle: str, told: str) -> int:
        """Hundredths of what stands before a note's words, without the space between."""
        if " " in handle:
            return self._of_text(f"{handle} {told}:" if told else f"{handle}:")
        return self._of_handle(handle) + self._of_traits(told)


def sizes_by(counter: Counter, limits: Limits) -> Sizes:
    """The sizes by a counter."""
    if isinstance(counter, Estimate | Scaled):
        return _Added(counter, limits)
    return Sizes(counter, limits)
