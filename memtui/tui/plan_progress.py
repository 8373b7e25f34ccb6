"""How far a long operation is: told by a thread, read by the screen."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from memtui.words.sentences import doing, doing_issues

if TYPE_CHECKING:
    from store.values import ActionKind, Plan


class PlanProgress:
    """The memories of a plan that are done, counted issue by issue as `apply` goes through them."""

    def __init__(self, plan: Plan) -> None:
        touched: dict[int, set[str]] = {}
        for change in plan.changes:
            touched.setdefault(change.issue, set()).add(change.id)
        self._action = plan.action
        self._after = tuple(accumulate(map(len, touched.values()), initial=0))
        self._done = 0

    def goes_on(self, done: int, _of: int) -> bool:
        """Note that so many issues are done; nothing stops it."""
        self._done = self._after[min(done, len(self._after) - 1)]
        return True

    def words(self) -> str:
        """`Archiving 12,400 of 44,597 memories…`; empty before the first are done."""
        return doing(self._action, self._done, self._after[-1]) if self._done else ""


class IssueProgress:
    """The issues that are done, of what reads its plan only while it is carried out."""

    def __init__(self, kind: ActionKind) -> None:
        self._kind = kind
        self._done = self._of = 0

    def tell(self, done: int, of: int) -> None:
        """Note that so many issues are done."""
        self._done, self._of = done, of

    def words(self) -> str:
        """`Undoing 120 of 1,500 issues…`; empty before the first is done."""
        return doing_issues(self._kind, self._done, self._of) if self._done else ""
