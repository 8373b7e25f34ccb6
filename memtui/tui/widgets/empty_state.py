"""A pane with one calm sentence in its middle: what is going on, or why there is nothing."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from memtui.formatting import count, progress_bar
from memtui.tui.widgets.reader import Reader
from store.text.display import visible


class EmptyState(Reader):
    """Says a sentence, and below it, dimmed, what there is to add."""

    def compose(self) -> ComposeResult:
        yield Static(id="empty-words", markup=False)

    def say(self, sentence: str, *more: str) -> None:
        lines = [Content.styled(visible(sentence), "bold")]
        lines += [Content.styled(visible(line), "$dim") for line in more if line]
        words = self.query_one(Static)
        words.update(Content("\n").join(lines))
        # Textual keeps the size of words that are replaced as soon as they are laid out.
        self.call_after_refresh(words.refresh, layout=True)

    def progress(self, sentence: str, done: int, total: int, unit: str, hint: str) -> None:
        """Say how far something is, and what the user can do meanwhile."""
        far = f"{count(done)} of {count(total)} {unit}" if total else ""
        self.say(sentence, progress_bar(done, total), far or " ", "", hint)
