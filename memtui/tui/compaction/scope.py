"""Choose what to compact: an issue at hand, the stale issues, or all of them."""

from __future__ import annotations

from memtui.formatting import count, plural
from memtui.tui.dialogs.picker import ShortPicker
from memtui.tui.frame import routes
from memtui.tui.frame.routes import Context, Scope


class ScopePicker(ShortPicker[Scope, Scope]):
    """Gives the scope, or None."""

    previews = True

    def __init__(self, context: Context, route: routes.PickScope) -> None:
        facets, days = route.facets, context.memory.settings.stale_archive_after_days
        known = facets.issues
        facts = {
            **{
                Scope(issue): count(known[issue]) if issue in known else ""
                for issue in route.issues
            },
            Scope(stale=True): f"nothing new in {plural(days, 'day')}",
            Scope(): count(sum(facets.categories.values())),
        }
        super().__init__("Compact", [(scope, scope.name, fact) for scope, fact in facts.items()])

    def value_of(self, row: Scope) -> Scope:
        return row
