"""What a recall is asked for, in a line whose parts are changed by a key or a click; the task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.app import ComposeResult, RenderResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from memtui.formatting import count, plural
from memtui.settings.keys import KEYS
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.widgets.panes import Box
from store.recall.request import RecallRequest
from store.text.display import visible_line

_NO_TASK = "(none)"
_ACTIONS = {key.id: key.action for key in KEYS["injection"]}
"""What the bindings do, for a click on their keys or what they change."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One thing that is asked for: its name, its value, the bindings that change it."""

    name: str
    value: str
    bindings: tuple[str, ...]


class RequestLine(Widget):
    ALLOW_SELECT = False
    auto_links = False
    request: reactive[RecallRequest | None] = reactive(None)
    keys: reactive[Mapping[str, str]] = reactive(dict)
    """The keys of the bindings."""

    def render(self) -> RenderResult:
        if self.request is None:
            return ""
        parts = _parts(self.request)
        line = self._line(parts, named=True)
        if line.cell_length > self.content_size.width:
            line = self._line(parts, named=False)
        return line.truncate(self.content_size.width, ellipsis=True)

    def _line(self, parts: list[_Part], *, named: bool) -> Content:
        return Content("   ").join(
            Content.assemble(
                *(_key(self.keys, binding) for binding in part.bindings),
                Content.assemble(
                    (f"{part.name} " if named else "", "$dim"), (part.value, "bold $foreground")
                ).stylize(_clicking(part.bindings[0])),
            )
            for part in parts
        )


class TaskBox(Box):
    """The words of the task; the recall follows as one types."""

    BINDINGS = bindings("task")


class RequestBar(Vertical):
    def compose(self) -> ComposeResult:
        yield RequestLine()
        with Horizontal(id="task-line"):
            yield Static(id="task-name", markup=False)
            yield TaskBox(id="task", placeholder=_NO_TASK)

    def on_mount(self) -> None:
        keys = {binding: key_in_use(self.app, binding) for binding in _ACTIONS}
        self.query_one(RequestLine).keys = keys
        task = Content.assemble(_key(keys, "injection.task"), ("task ", "$dim"))
        self.query_one("#task-name", Static).update(task)

    def show(self, request: RecallRequest) -> None:
        self.query_one(RequestLine).request = request
        self.box.placeholder = " ".join(filter(None, (_NO_TASK, subject_of(request))))

    @property
    def box(self) -> TaskBox:
        return self.query_one(TaskBox)


def subject_of(request: RecallRequest) -> str:
    """Return what a session is about before its task: ` branch login, 3 changed files`."""
    branch = f"branch {' '.join(request.branch_words)}" if request.branch_words else ""
    files = plural(len(request.changed_files), "changed file") if request.changed_files else ""
    commits = _last_commits(len(request.commits))
    found = ", ".join(filter(None, (branch, files, commits)))
    return visible_line(f" {found}") if found else ""


def _last_commits(number: int) -> str:
    return "last commit" if number == 1 else f"last {number} commits" if number else ""


def _parts(request: RecallRequest) -> list[_Part]:
    issue = "any" if request.issue is None else str(request.issue)
    return [
        _Part("agent", visible_line(request.agent or "any"), ("injection.agent",)),
        _Part("issue", issue, ("injection.issue",)),
        _Part("profile", request.profile or "", ("injection.profile",)),
        _Part("client" if request.client else "channel", request.channel, ("injection.client",)),
        _Part("budget", count(request.budget or 0), ("injection.more", "injection.less")),
    ]


def _key(keys: Mapping[str, str], binding: str) -> Content:
    key = Content.styled(f"{keys.get(binding, '')} ", "bold $accent-text")
    return key.stylize(_clicking(binding))


def _clicking(binding: str) -> Style:
    return Style.from_meta({"@click": f"screen.{_ACTIONS[binding]}"})
