"""What sessions would be told of a month's memories, and why the rest is left out."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from store import Memory
from store.agents.files import files_at
from store.recall.report import ContextItem, budget_report
from store.recall.request import RequestFields, request_of
from store.recall.values import Recall, ScoredCandidate
from tests.store.capture.transcripts import ClaudeCode
from tests.store.whole.month import stored_month

TASK = "Mend the lease in shop/queue.py and shop/load.py: `make load` fails with a MemoryError"
REQUESTS: dict[str, RequestFields] = {
    "nothing asked": {"budget": 700},
    "a task": {"task": TASK, "issue": 7, "agent": "engineer", "budget": 700},
    "a task of another": {"task": TASK, "issue": 0, "agent": "tester", "budget": 300},
    "no budget": {"task": TASK, "budget": 0},
    "hardly a budget": {"task": TASK, "budget": 75},
    "all of an issue": {"issue": 7, "budget": 4_000},
    "agentx": {"task": TASK, "issue": 7, "profile": "agentx", "budget": 300},
    "evolving": {"task": TASK, "issue": 7, "profile": "evolving", "budget": 300},
    "vault": {"task": TASK, "issue": 7, "profile": "vault", "budget": 150},
    "a client": {"task": TASK, "issue": 7, "channel": "claude-code"},
    "a client that takes less": {"task": TASK, "channel": "codex", "budget": 9_000},
    "chosen by hand": {
        "task": TASK,
        "issue": 7,
        "budget": 500,
        "pinned": ("w5", "w7"),
        "muted": ("w0",),
        "plain": ("w2", "w9"),
        "given": ("w1", "w6"),
    },
    "by its branch": {
        "branch_words": ("leases",),
        "changed_files": ("shop/load.py",),
        "commits": ("Close each file",),
        "unmerged": ("feature/leases",),
        "session_id": "s1",
        "budget": 400,
    },
}


def _talk() -> ClaudeCode:
    """A plain session, so that what is captured of richer ones moves no score here."""
    made = ClaudeCode(session="s-talk")
    made.user("Why does the import of shop/load.py take so long?")
    made.agent("It reads each file once for each row.")
    made.edit("shop/load.py", "rows = list(files)", "for file in files:")
    made.edit("shop/files.py").call("Read", {"file_path": f"{made.cwd}/shop/queue.py"}, "def take")
    made.user("And does the lease in shop/queue.py still hang?")
    return made.agent("No. It ends after five seconds, whoever holds it.")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return stored_month(tmp_path_factory.mktemp("month"))


@pytest.fixture(scope="module")
def with_sessions(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    root = tmp_path_factory.mktemp("month")
    (root / "talk.jsonl").write_text("\n".join(_talk().lines))
    memory = stored_month(root)
    memory.sessions.index(list(files_at([root / "talk.jsonl"], "claude-code")))
    return memory


def _recalled(memory: Memory, name: str) -> Recall:
    """Tokens are estimated: not every machine has a tokenizer."""
    return memory.recall.plan(request_of(**REQUESTS[name])._replace(estimated=True))


def _line(it: ScoredCandidate) -> str:
    by = f" by {it.reason.by}" if it.reason.by else ""
    room = f" needs {it.reason.needs} of {it.reason.left}" if it.reason.needs else ""
    factors = " ".join(f"{name}={value:.4f}" for name, value in sorted(it.factors.items()))
    told = "IN " if it.included else "out"
    return (
        f"{told} {it.observation.id} {it.kind} {it.score:.4f} {it.reason.verdict}{by}{room}"
        f" ({it.tokens} tokens) {factors}"
    )


def _told(recall: Recall) -> str:
    """A recall on lines: what is in and out and why, its figures, its files and its text."""
    figures = (
        f"{recall.profile} {recall.channel} {recall.counter} x{recall.scale:.3f}: {recall.tokens}"
        f" of {recall.budget}, {recall.limits}, {recall.left_out} left out,"
        f" {recall.packaging:.4f} packaging, {recall.counts}"
    )
    shares = [
        f"{category}: {tokens} in {recall.count_by_category[category]}"
        for category, tokens in recall.tokens_by_category.items()
    ]
    files = [f"{it.path} {it.score:.4f} {', '.join(it.why)}" for it in recall.files]
    return "\n".join([figures, *shares, *files, *map(_line, recall.candidates), recall.text])


@pytest.mark.parametrize("name", REQUESTS)
def test_a_recall(memory: Memory, name: str, snapshot: SnapshotAssertion) -> None:
    assert _told(_recalled(memory, name)) == snapshot


@pytest.mark.parametrize("name", ["a task", "nothing asked", "by its branch", "hardly a budget"])
def test_a_recall_beside_sessions(
    with_sessions: Memory, name: str, snapshot: SnapshotAssertion
) -> None:
    assert _told(_recalled(with_sessions, name)) == snapshot


def test_what_fills_a_context(memory: Memory, snapshot: SnapshotAssertion) -> None:
    recall = _recalled(memory, "a client")
    others = (
        ContextItem("instruction", "CLAUDE.md", 1_200),
        ContextItem("skill", "review", 1_200),
        ContextItem("unknown", "a plugin", 90),
    )
    assert budget_report(recall, 10_000, others) == snapshot
    assert budget_report(recall, 0) == snapshot(name="of no size")
