"""The doctor: what is wrong with the memory, what it means, and the repair."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from textual import on
from textual.content import Content

from memtui.formatting import fit, plural
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context, Open
from memtui.tui.operations import PreviewPlan, Proposal
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.notices import sentence
from memtui.words.plans import finding_text, other_changes
from store.doctor.findings import Examination, Finding, FindingKind
from store.text.display import visible

WRONG = "Problems"
GOOD_TO_KNOW = "Notes"
NOTHING_WRONG = "No problems"

_BY_HAND = MappingProxyType(
    {
        FindingKind.UNREADABLE: "All other files work. New memories go to a separate file.",
        FindingKind.INVALID: "It is kept, but not shown or injected. Fix it by hand.",
        FindingKind.TWICE: "Open the memory and press r, or:  memtui git resolve ID",
        FindingKind.DUPLICATE: "Nothing is lost. Fix the file by hand.",
        FindingKind.FUTURE: "Fix that machine's clock and the timestamps in the file.",
        FindingKind.READ_ONLY: "Reading, searching and injecting still work.",
        FindingKind.PERMISSIONS: "Remove write permission for others:  chmod o-w",
        FindingKind.LARGE: "Compact old memories:  memtui compact --stale",
        FindingKind.DRIVER: "Press W to set it up, or:  memtui git install",
        FindingKind.DRIFT: "Press Z on a memory to repair it, or:  memtui drift",
        FindingKind.CAPTURE: "See which hooks are active:  memtui hooks status",
    }
)
"""What to do where a repair does nothing."""


class FindingList(OverviewList[Finding]):
    def __init__(self) -> None:
        super().__init__()
        self._kinds = 0

    def show(self, findings: Sequence[Finding]) -> None:
        wrong = [finding for finding in findings if finding.is_problem]
        known = [finding for finding in findings if not finding.is_problem]
        rows: list[Finding | str] = [WRONG if wrong else NOTHING_WRONG, *wrong]
        if known:
            rows += [GOOD_TO_KNOW, *known]
        self._kinds = max((len(finding.kind) for finding in findings), default=0)
        self.list_rows(rows)

    def heading(self, text: str) -> Content:
        return Content.styled(f" {text}", "bold $text-success" if text == NOTHING_WRONG else "bold")

    def draw(self, row: Finding, index: int, width: int) -> Content:
        tail = "repair " if row.repair else "       "
        lead = Content.assemble(
            self.cursor_mark(index),
            ("× " if row.is_problem else "· ", "$text-error" if row.is_problem else "$dim"),
            (fit(_words(row.kind), min(self._kinds, 18 if width >= 70 else 12)), ""),
            "  ",
        )
        room = max(0, width - lead.cell_length - len(tail) - 2)
        message = fit(visible(finding_text(row), newlines=False), room)
        return Content.assemble(lead, (message, "$dim"), "  ", (tail, "$accent-text"))


class DoctorScreen(OverviewScreen):
    """Findings, grouped; a repair is shown as a plan before it is carried out."""

    MANUAL_PAGE = "screens/doctor.md"
    BINDINGS = bindings("doctor")

    def __init__(self, context: Context, route: routes.Doctor) -> None:
        self._list = FindingList()
        self._examination: Examination | None = None
        self._writable = True
        super().__init__(context, self._list, "Doctor")
        self.sentence = ("Checking memory …",)

    async def read(self) -> None:
        await ask(self.memory.index.refresh)
        found = await ask(self.memory.doctor.examine, report_to=self._show_checking)
        state = await ask(self.memory.state)
        self._examination, self._writable = found, state.writable
        self.query_one(TitleBar).show(state)
        wrong = sum(finding.is_problem for finding in found.findings)
        known = len(found.findings) - wrong
        figures = plural(wrong, "problem") if wrong else "healthy"
        read_only = "Memory is read-only: problems are shown, but can't be repaired."
        self.notice("" if self._writable else read_only)
        self._list.show(found.findings)
        if found.findings:
            self.show_rows(f"{figures} · {plural(known, 'note')}" if known else figures)
        else:
            self.show_message(
                "No problems found.", "Every file is readable; index and manifest agree."
            )
        self.refresh_bindings()

    def _show_checking(self, done: int, total: int) -> None:
        if done:
            self.show_progress("Checking memory …", done, total, "issues")

    def details(self) -> Details:
        finding, writable = self._list.at, self._writable
        return lambda: [] if finding is None else finding_details(finding, writable=writable)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "repair":
            found = self._examination
            return self._writable and found is not None and found.is_repairable
        if action == "verify":
            finding = self._list.at
            return finding is not None and bool(finding.memory)
        if action == "driver":
            found = self._examination
            return found is not None and any(
                finding.kind is FindingKind.DRIVER for finding in found.findings
            )
        return super().check_action(action, parameters)

    @exclusive_worker(group="verify")
    async def action_verify(self) -> None:
        finding = self._list.at
        if finding is None or not finding.memory:
            return
        from memtui.tui.memory.repair import pick_repair, read_drifted  # few memories drift

        if drifted := await ask(read_drifted, self.memory, [finding.memory]):
            self.post_message(pick_repair(drifted, self.post_message))

    def action_driver(self) -> None:
        self.post_message(Open(routes.Setup(offer="git")))

    @on(RowList.Chosen, "#rows")
    def action_repair(self) -> None:
        found = self._examination
        if found is not None and self._writable:
            self.post_message(PreviewPlan(lambda memory: repair(found)))


def repair(found: Examination) -> Proposal | None:
    if not found.is_repairable:
        return None
    also = list(other_changes(found))
    changes = len(found.plan.changes) + len(found.plan.moves) + len(also)
    return Proposal(found.plan, changes, lambda memory: memory.doctor.repair(found), also)


def finding_details(finding: Finding, *, writable: bool) -> list[Paragraph]:
    facts = [_words(finding.kind), *([visible(finding.path)] if finding.path else [])]
    lines = [
        plain(visible(finding_text(finding), newlines=False), "bold"),
        plain(" · ".join(facts), "$dim"),
        BLANK,
    ]
    by_hand = _BY_HAND.get(finding.kind, "")
    if finding.repair:
        would = "Repair:" if writable else "Repair (once memory is writable):"
        mended = visible(sentence(finding.repair), newlines=False)
        lines += [plain(would, "$accent-text"), plain(mended)]
    elif by_hand:
        lines += [plain("No automatic repair:", "$text-warning"), plain(by_hand)]
    return lines


def _words(kind: FindingKind) -> str:
    return kind.replace("-", " ")
