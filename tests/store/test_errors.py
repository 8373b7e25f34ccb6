"""What is wrong is told in a sentence, with a hint at what to do; of several mistakes each."""

from __future__ import annotations

import pytest

from store.errors import InvalidObservation, LockTimeout, NotSynced, StoreError, WriteFailed, refuse
from store.notice import notice


def test_a_sentence_is_told_with_its_hint() -> None:
    assert StoreError("It failed.", "Try again.").told == "It failed. Try again."
    alone = StoreError("It failed.", notes=(notice("moved"),))
    assert (alone.told, str(alone), alone.notes) == ("It failed.", "It failed.", (notice("moved"),))
    assert (LockTimeout("Busy.").on, LockTimeout("Busy.", on="issue 3").on) == ("memory", "issue 3")
    assert issubclass(NotSynced, WriteFailed)


def test_of_several_mistakes_each_is_told_and_each_hint_once() -> None:
    refuse([])
    mistakes = [
        InvalidObservation("No agent.", "Name one."),
        InvalidObservation("No text."),
        InvalidObservation("Odd category.", "Use letters."),
        InvalidObservation("Odd agent.", "Name one."),
    ]
    with pytest.raises(InvalidObservation) as refused:
        refuse(mistakes)
    assert refused.value.message == "No agent. No text. Odd category. Odd agent."
    assert refused.value.hint == "Name one. Use letters."
