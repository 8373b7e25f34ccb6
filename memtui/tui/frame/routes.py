"""The screens there are, each named by a route with what the screen needs to know.

A new screen is a module of its own, its route here, and a key that opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple

from textual.binding import ActiveBinding
from textual.content import Content

from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.route import ResultT, Route
from store.model import Facets, Hit

if TYPE_CHECKING:  # what a first frame does without
    from memtui.editing.editor import Written  # noqa: F401 - named in a base
    from store.operations.plan import Plan
    from store.recall.request import RecallRequest


class Activity(Route[None], screen="reports.activity:ActivityScreen"): ...


class History(Route[None], screen="reports.history:HistoryScreen"): ...


class Clarifications(Route[None], screen="clarifications.screen:ClarificationsScreen"): ...


class Stats(Route[None], screen="reports.stats:StatsScreen"): ...


class Doctor(Route[None], screen="doctor.screen:DoctorScreen"): ...


class Told(Route[None], screen="agent_context.screen:ContextScreen"):
    """The context of a client, by default the one at hand, at the start of a session here."""

    client: str = ""


class Inbox(Route[None], screen="inbox.screen:InboxScreen"): ...


class Settings(Route[None], screen="settings.screen:SettingsScreen"): ...


class Setup(Route[None], screen="setup.screen:SetupScreen"):
    """Offers to begin with: sessions, hooks, notes; the cursor on the named offer."""

    offer: str = ""


class Sessions(Route[None], screen="sessions.screen:SessionsScreen"):
    """The conversations of this project, or those that a query finds; `everywhere` goes on to those
    of all projects, the cursor on the one `at` an id.
    """

    query: str = ""
    everywhere: bool = False
    at: str = ""


class SessionsEverywhere(Sessions, screen="sessions.everywhere:EverywhereScreen"):
    """The conversations of all projects, or those that a query finds; `Open` gives their memory."""


class EarlierFolders(Route[None], screen="sessions.earlier:EarlierScreen"):
    """Folders where sessions ran that may be of this project."""


class Session(Route[None], screen="sessions.session_screen:SessionScreen"):
    """One conversation, at a message or at what a memory came from, by their ids."""

    id: str
    message: str = ""
    memory: str = ""


class Help(Route[ActiveBinding], screen="help.screen:HelpScreen", needs_memory=False):
    """The keys of a screen, and its page of the manual; without one, the first page is offered.
    Gives the key whose action is to be run.
    """

    bindings: Iterable[ActiveBinding]
    page: str = ""


class Manual(Route[None], screen="help.manual:ManualScreen", needs_memory=False):
    page: str


class OneMemory(Route[None], screen="memory.screen:ObservationScreen"):
    """One memory in full; `step` goes on in the list it was opened from, None at its ends."""

    hit: Hit
    step: Callable[[int], Hit | None] | None = None


class Resolve(Route[None], screen="memory.versions:ResolveScreen"):
    """The versions of a memory that branches left; `record` has them as its file does."""

    id: str
    record: Mapping[str, Any]


class NextOf(NamedTuple):
    """The next session of a client in a folder; without a name, of the client at hand there."""

    client: str
    folder: Path


class Injection(Route[None], screen="injection.screen:InjectionScreen"):
    """The text for a session; `known` gives the agents and issues to pick from."""

    request: RecallRequest | NextOf
    known: Callable[[], Facets]


class Comparison(Route["RecallRequest"], screen="injection.comparison:RecallDiffScreen"):
    """The effect of another profile, budget or channel; gives the request that is taken."""

    request: RecallRequest


class Scope(NamedTuple):
    """The memories to compact: those of an issue, else of the stale issues, else all."""

    issue: int | None = None
    stale: bool = False

    @property
    def name(self) -> str:
        if self.issue is not None:
            return f"Issue #{self.issue}"
        return "Stale issues" if self.stale else "All issues"


class Compaction(Route[None], screen="compaction.screen:CompactionScreen"):
    scope: Scope


class PickTranscript(Route[Path], screen="capture.transcripts:TranscriptPicker"): ...


class Capture(Route[None], screen="capture.screen:CaptureScreen"):
    """The memories of a session; of all the project's together where no path is given."""

    path: Path | None = None


class Copy(Route[None], screen="export.save:CopyScreen"):
    ids: Sequence[str]


class PickSource(Route[Path], screen="import_.picker:SourcePicker"): ...


class Write(Route["Written"], screen="editing.controller:WriteScreen"):
    """A text to write, its draft called `name`; `plan` raises the store's errors for a bad one.

    Of a file it may have any length.
    """

    title: str
    name: str
    text: str
    plan: Callable[[str], Plan]
    of_file: bool = False


@dataclass(frozen=True)
class Choice(Generic[ResultT]):
    """A row to pick: the value it gives, its name, and a fact at its right end.

    Where there is a box to type in, `key` finds it, and any of its `words`; one without a key is
    for all, above the others while nothing is typed. `number` draws a bar to compare by; `age` is
    that of the newest it has. `why_not` is the reason why it can't be picked now.
    """

    value: ResultT
    name: str
    fact: str = ""
    key: str = ""
    words: str = ""
    age: str = ""
    number: int = 0
    is_chosen: bool = False
    why_not: str = ""


class Pick(Route[ResultT], screen="dialogs.choice_picker:ChoicePicker"):
    """Gives the value of one of some choices.

    With a `placeholder` there is a box that narrows them to those whose keys begin with what is
    typed, or `anywhere` have it; `unknown` makes a choice of what none is called. `read_words`
    reads the words and the ages of values in a thread, `about` describes a value, `try_out` shows
    the effect of one while the cursor is on it. `previews`: nothing is done with what is picked
    before it was shown. The cursor begins `at` a row.
    """

    title: str
    choices: Sequence[Choice[ResultT]]
    placeholder: str = ""
    anywhere: bool = True
    unknown: Callable[[str], Choice[ResultT] | None] = lambda _: None
    read_words: Callable[[], Mapping[ResultT, tuple[str, str]]] | None = None
    about: Callable[[ResultT], str] = lambda _: ""
    try_out: Callable[[ResultT], None] | None = None
    previews: bool = False
    at: int = 0


class Prompt(Route[str], screen="dialogs.prompt:PromptScreen"):
    """Gives a text; `check` returns what is wrong with one, or nothing.

    `text` is the present one, its cursor `at` a place, else at the end; `about` is in the
    border. `options` are texts to step to from one, `describe` draws what is typed below the box.
    `verb` is what Enter does with it: `apply` keeps it as long as the screen is open.
    """

    title: str
    question: str = ""
    text: str = ""
    hint: str = ""
    check: Callable[[str], str] = lambda _: ""
    options: Callable[[str], Sequence[str]] = lambda _: ()
    describe: Callable[[str], Content] | None = None
    about: str = ""
    verb: Literal["save", "apply", "write"] = "save"
    at: int | None = None


class Confirm(Route[bool], screen="dialogs.prompt:ConfirmScreen"):
    """One question, or a plan of `changes`; `verb` is what Enter does."""

    title: str
    body: Sequence[Paragraph]
    changes: int = 0
    verb: Literal["yes", "apply", "edit"] = "yes"
