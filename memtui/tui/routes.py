"""The screens there are, each named by a route with what the screen needs to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.binding import ActiveBinding

from memtui.tui.route import Route

if TYPE_CHECKING:
    from textual.content import Content

    from memtui.editing.draft import Written  # noqa: F401 - named in a base
    from memtui.settings.programs import Program
    from store.errors import StoreError
    from store.model import Facets, Hit
    from store.values import Plan, RecallRequest


class Activity(Route[None]):
    """What happened to memory, as it happens."""

    screen = "reports.activity:ActivityScreen"


class History(Route[None]):
    """The operations of the last 30 days."""

    screen = "reports.history:HistoryScreen"


class Clarifications(Route[None]):
    """The questions between agents, those that wait first."""

    screen = "clarifications.screen:ClarificationsScreen"


class Stats(Route[None]):
    """Totals, growth and performance."""

    screen = "reports.stats:StatsScreen"


class Doctor(Route[None]):
    """What is wrong with memory, and its repair."""

    screen = "doctor.screen:DoctorScreen"


class Settings(Route[None]):
    """Each setting and where it came from, to be changed."""

    screen = "settings.screen:SettingsScreen"


class Setup(Route[None]):
    """What memory can begin with: sessions, hooks, notes; the cursor on the named offer."""

    screen = "setup.screen:SetupScreen"

    offer: str = ""


class Sessions(Route[None]):
    """The conversations of this project, or those that a query finds."""

    screen = "sessions.screen:SessionsScreen"

    query: str = ""


class Session(Route[None]):
    """One conversation, at a message or at what a memory came from, by their ids."""

    screen = "sessions.session_screen:SessionScreen"

    id: str
    message: str = ""
    memory: str = ""


class Help(Route[None]):
    """The keys of a screen; `about` is the name of its class."""

    screen = "help.screen:HelpScreen"
    needs_memory = False

    bindings: Iterable[ActiveBinding]
    about: str


class Manual(Route[None]):
    """A page of the manual, by its file."""

    screen = "help.manual:ManualScreen"
    needs_memory = False

    page: str


class Memory(Route[None]):
    """One memory in full; `step` goes on in the list it was opened from, None at its ends."""

    screen = "memory.screen:ObservationScreen"

    hit: Hit
    step: Callable[[int], Hit | None] | None = None


class Resolve(Route[None]):
    """The versions of a memory that branches left; `record` has them as its file does."""

    screen = "memory.resolve:ResolveScreen"

    id: str
    record: Mapping[str, Any]


class NextOf(NamedTuple):
    """The next session of a client in a folder; without a name, of the client at hand there."""

    client: str
    folder: Path


class Injection(Route[None]):
    """What a session would be told; `known` gives the agents and issues to pick from."""

    screen = "injection.screen:InjectionScreen"

    request: RecallRequest | NextOf
    known: Callable[[], Facets]


class Comparison(Route["RecallRequest"]):
    """What another profile, budget or channel would change; gives the request that is taken."""

    screen = "injection.comparison:RecallDiffScreen"

    request: RecallRequest


class PickAgent(Route[str]):
    """Gives an agent, "" for all; `counts` are memories by agent."""

    screen = "injection.agent_picker:AgentPicker"

    counts: Mapping[str, int]
    chosen: str | None


class PickIssue(Route[int]):
    """Gives an issue, -1 for all; `counts` are memories by issue. `free` takes any other, too."""

    screen = "injection.issue_picker:IssuePicker"

    counts: Mapping[int, int]
    chosen: tuple[str, ...]
    free: bool = False


class Scope(NamedTuple):
    """The memories to compact: those of an issue, else of the stale issues, else all."""

    issue: int | None = None
    stale: bool = False

    @property
    def name(self) -> str:
        """How it is called on screen."""
        if self.issue is not None:
            return f"Issue #{self.issue}"
        return "Stale issues" if self.stale else "All issues"


class PickScope(Route[Scope]):
    """Gives what to compact: one of the `issues` at hand, or more."""

    screen = "compaction.scope:ScopePicker"

    issues: Sequence[int]
    facets: Facets


class Compaction(Route[None]):
    """What would merge into what."""

    screen = "compaction.screen:CompactionScreen"

    scope: Scope


class PickTranscript(Route[Path]):
    """Gives the file of a session."""

    screen = "capture.transcripts:TranscriptPicker"


class Capture(Route[None]):
    """What a session would leave; all of the project's together where no path is given."""

    screen = "capture.screen:CaptureScreen"

    path: Path | None = None


class PickProgram(Route[str]):
    """Gives the command whose language model is to pick memories, "" for rules; `sessions` are how
    many it would be asked of.
    """

    screen = "capture.programs:ProgramPicker"

    programs: Sequence[Program]
    chosen: str
    sessions: int


class Copy(Route[None]):
    """What of some memories to copy, by their ids."""

    screen = "export.copy_menu:CopyScreen"

    ids: Sequence[str]


class SaveFile(Route[Path]):
    """Gives a file to write; `formats` names each by the ending of its files."""

    screen = "export.save_dialog:SaveScreen"

    title: str
    suggestion: str
    formats: Mapping[str, str]


class PlanPreview(Route[bool]):
    """Whether to apply a plan; `count` is of what it touches, `also` what is done beside it."""

    screen = "dialogs.plan:PlanScreen"

    plan: Plan
    count: int
    also: Sequence[tuple[str, str]] = ()


class Prompt(Route[str]):
    """Gives a text; `check` says what is wrong with one, or nothing.

    `text` is the present one, `options` are known ones to step through, `about` stands in the
    border; `saves` says whether it is kept beyond the screen.
    """

    screen = "dialogs.prompt:PromptScreen"

    title: str
    question: str
    text: str = ""
    hint: str = ""
    check: Callable[[str], str] = lambda text: ""
    options: Sequence[str] = ()
    about: str = ""
    saves: bool = True


class PickSource(Route[Path]):
    """Gives a file or a folder to import."""

    screen = "import_.picker:SourcePicker"


class Confirm(Route[bool]):
    """One question."""

    screen = "dialogs.confirm:ConfirmScreen"

    title: str
    question: Content


class Write(Route["Written"]):
    """A text to write, its draft called `name`; `plan` raises the store's errors for a bad one."""

    screen = "editing.form:WriteScreen"

    title: str
    name: str
    text: str
    plan: Callable[[str], Plan]


class Refused(Route[bool]):
    """Why memory did not take a text, which the file `kept` holds; gives True to edit again."""

    screen = "editing.form:RefusedScreen"

    error: StoreError
    kept: str
