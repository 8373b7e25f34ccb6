"""What choosing an agent, a category, an issue or an order makes of the query, and what follows.

The text in the search box is all that is kept: what is chosen is written into it and read from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.tui import routes
from memtui.tui.browse import query_text
from memtui.tui.browse.agent_list import AgentList
from memtui.tui.browse.category_tree import CategoryTree
from memtui.tui.browse.history import history_file, read_searches, write_searches
from memtui.tui.browse.recall_gauge import RecallGauge
from memtui.tui.browse.search_bar import SearchBar
from memtui.tui.memory.actions import ObservationActions, WriteNew
from memtui.tui.message import Message
from memtui.tui.route import Open
from memtui.tui.routes import NextOf
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import Tell, ask
from store.model import Facets, issue_named

if TYPE_CHECKING:
    from store.values import RecallRequest


class HistoryRead(Message, bubble=False):
    """The searches before, oldest first."""

    searches: list[str]


class FilterActions(ObservationActions):
    """A screen with a search box, and lists of what can be asked for in it."""

    def __init__(self) -> None:
        super().__init__()
        self.client = ""
        """The client that was chosen; none: the one at hand."""
        self.everything = Facets()
        self.found = Facets()

    @property
    def query_line(self) -> str:
        """The query, as it stands in the search box."""
        return self.query_one(SearchBar).value

    def set_query(self, text: str) -> None:
        """Ask something else; the search box, the lists and the results follow."""
        self.query_one(SearchBar).set_query(text)

    def show_chosen(self, query: str) -> None:
        """Mark in the lists what a query asks for."""
        self.query_one(AgentList).show_chosen(query_text.chosen(query, "agent"))
        self.query_one(CategoryTree).show_chosen(
            query_text.chosen(query, "layer"), query_text.chosen(query, "category")
        )

    def show_counts(self) -> None:
        """List what is in everything, with the counts of what was found."""
        known, found = self.everything, self.found
        self.query_one(AgentList).show(known.agents, found.agents)
        self.query_one(CategoryTree).show(known.categories, found.layers, found.categories)

    def on_agent_list_toggled(self, event: AgentList.Toggled) -> None:
        """Add an agent to the query, or take it out."""
        if event.agent is None:
            self.set_query(query_text.choose(self.query_line, "agent", ()))
        else:
            self.set_query(query_text.toggle(self.query_line, "agent", event.agent))

    def on_category_tree_toggled(self, event: CategoryTree.Toggled) -> None:
        """Add a layer or a category to the query, or take it out."""
        field, value = (
            ("category", event.branch.category)
            if event.branch.category
            else ("layer", event.branch.layer.value)
        )
        self.set_query(query_text.toggle(self.query_line, field, value))

    def action_pick_issue(self) -> None:
        """Choose an issue from a counted list."""
        picked = query_text.chosen(self.query_line, "issue")
        self.post_message(Open(routes.PickIssue(self.found.issues, picked), self.go_to_issue))

    def go_to_issue(self, issue: int | None) -> None:
        """Ask for one issue only; -1 for all, None leaves the query as it is."""
        if issue is not None:
            values = (str(issue),) if issue >= 0 else ()
            self.set_query(query_text.choose(self.query_line, "issue", values))

    def go_to_agent(self, agent: str) -> None:
        """Ask for one agent only."""
        self.set_query(query_text.choose(self.query_line, "agent", (agent,)))

    def action_order(self) -> None:
        """Take the next order."""
        self.set_query(query_text.next_order(self.query_line))

    # What follows from the choice, where none is made from the row under the cursor

    @property
    def issues_at_hand(self) -> tuple[int, ...]:
        """Those of the query, then that of the row under the cursor."""
        queried = query_text.chosen(self.query_line, "issue")
        row = () if self.at is None else (self.at.issue_number,)
        named = (number for it in queried if (number := issue_named(it)) is not None)
        return tuple(dict.fromkeys([*named, *row]))

    @property
    def request(self) -> RecallRequest | NextOf:
        """The recall for the agent and issue of the query, else for the next session."""
        # what the first results do without
        from memtui.tui.browse.recall_request import asks_for_others, request_at
        from store.places import project_root

        if self.memory is not None and not asks_for_others(self.query_line):
            return NextOf(self.client, project_root(self.memory.path))
        budget = self.memory.settings.max_tokens if self.memory is not None else 0
        return request_at(self.query_line, budget)

    # The searches before

    def read_history(self) -> None:
        """Read the searches before, away from the screen."""
        if self.memory is None:
            return
        memory = self.memory.path

        def read(tell: Tell) -> None:
            if (file := history_file(memory)) is not None:
                tell(HistoryRead(read_searches(file)))

        ask(self, read, group="history")

    def on_history_read(self, event: HistoryRead) -> None:
        """Let the search box offer them."""
        self.query_one(SearchBar).history.learn(event.searches)

    def on_search_bar_searched(self) -> None:
        """Keep the searches, away from the screen."""
        searches = list(self.query_one(SearchBar).history.searches)
        file = history_file(self.memory.path) if self.memory is not None else None
        if file is not None and self.query_one(TitleBar).place != "demo":
            ask(self, lambda _: write_searches(file, searches), group="history")

    def action_next_client(self) -> None:
        """Show what the next session of the client after is told."""
        from memtui.tui.injection.next_session import next_client

        gauge = self.query_one(RecallGauge)
        if self.memory is not None and isinstance(wanted := self.request, NextOf):
            shown = wanted._replace(client=wanted.client or gauge.client)
            self.client = next_client(shown).client
            gauge.follow(self.memory, lambda: self.request)

    def on_take_in_ended(self) -> None:
        """What was indexed is told to the next session."""
        self.on_hooks_written()

    def on_hooks_written(self) -> None:
        """Say whether the next session is told, and what."""
        if self.memory is not None:
            self.query_one(RecallGauge).follow(self.memory, lambda: self.request, anew=True)

    def action_write_new(self) -> None:
        """Write a new observation, as the query suggests."""
        self.post_message(WriteNew(query_text.suggested(self.query_line)))
