"""What goes through the door to memory: plans, requests, results, and what is asked of them."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.action import Action, ActionKind
    from store.activity.log import (
        CAPTURED,
        FAILED,
        SHORTENED,
        STORED,
        WARNING,
        ActivityEntry,
        ActivityLog,
        CaptureHealth,
    )
    from store.agents.noise import RECALL_HINT
    from store.backends.tombstones import digest_of
    from store.capture.evidence.handoff import left_open
    from store.capture.place import issue_for
    from store.capture.plan import Captured, CapturePlan, Skipped
    from store.clarifications.model import Clarification, Entry, EntryType, Ledgers, Status
    from store.clarifications.monitor import AgentState, Due, Trouble, circles
    from store.clarifications.records import clarification_record
    from store.clarifications.rules import Question
    from store.compaction.compact import moved_out, without
    from store.compaction.model import Alone, Cluster, CompactionPlan, Excess, LeftOut, Reason
    from store.doctor.findings import Examination, Finding, FindingKind
    from store.evolving.context import TRUNCATED, AgentContext
    from store.evolving.interaction import Interaction
    from store.exchange.copy import Copy
    from store.exchange.long_text import split_observation
    from store.exchange.values import Format
    from store.language_model.program import program_name
    from store.language_model.prompt import MAX_PROMPT
    from store.merge.record import (
        CONFLICT,
        EDITED,
        PROPOSED,
        REMOVED,
        Record,
        alternatives,
        proposed,
        version_of,
        version_text,
    )
    from store.model import Layout
    from store.notice import Notice, notice
    from store.operations.apply import Applied
    from store.operations.batch import StoreReport
    from store.operations.diff import (
        Effect,
        FieldDiff,
        RecordDiff,
        count_records,
        record_diffs,
    )
    from store.operations.forget import Traces
    from store.operations.history import OperationInfo
    from store.operations.plan import Plan
    from store.recall.profiles import FACTORS, PROFILES
    from store.recall.reasons import Verdict
    from store.recall.report import ContextItem, budget_report, memory_items
    from store.recall.request import RecallRequest, request_of
    from store.recall.values import (
        CHANNELS,
        Ranked,
        Recall,
        ScoredCandidate,
        channel_named,
        family_of,
        limits_of,
    )
    from store.related import Related, Relation
    from store.search.figures import Measure
    from store.statistics import Growth, Statistics, StoreState, Timing, Work
    from store.validation.rules import AGENT_NAME, check_fields
else:
    __getattr__ = offered(
        __name__,
        {
            "store.action": "Action ActionKind",
            "store.activity.log": (
                "CAPTURED FAILED SHORTENED STORED WARNING ActivityEntry ActivityLog CaptureHealth"
            ),
            "store.agents.noise": "RECALL_HINT",
            "store.capture.evidence.handoff": "left_open",
            "store.capture.place": "issue_for",
            "store.capture.plan": "CapturePlan Captured Skipped",
            "store.clarifications.model": "Clarification Entry EntryType Ledgers Status",
            "store.clarifications.monitor": "AgentState Due Trouble circles",
            "store.clarifications.records": "clarification_record",
            "store.clarifications.rules": "Question",
            "store.compaction.compact": "moved_out without",
            "store.compaction.model": "Alone Cluster CompactionPlan Excess LeftOut Reason",
            "store.doctor.findings": "Examination Finding FindingKind",
            "store.evolving.context": "TRUNCATED AgentContext",
            "store.evolving.interaction": "Interaction",
            "store.exchange.copy": "Copy",
            "store.exchange.long_text": "split_observation",
            "store.exchange.values": "Format",
            "store.language_model.prompt": "MAX_PROMPT",
            "store.language_model.program": "program_name",
            "store.merge.record": (
                "CONFLICT EDITED PROPOSED REMOVED Record alternatives proposed version_of "
                "version_text"
            ),
            "store.backends.tombstones": "digest_of",
            "store.model": "Layout",
            "store.notice": "Notice notice",
            "store.operations.apply": "Applied",
            "store.operations.batch": "StoreReport",
            "store.operations.diff": "Effect FieldDiff RecordDiff count_records record_diffs",
            "store.operations.history": "OperationInfo",
            "store.operations.plan": "Plan",
            "store.operations.forget": "Traces",
            "store.recall.profiles": "FACTORS PROFILES",
            "store.recall.report": "ContextItem budget_report memory_items",
            "store.recall.reasons": "Verdict",
            "store.recall.request": "RecallRequest request_of",
            "store.recall.values": (
                "CHANNELS Ranked Recall ScoredCandidate channel_named family_of limits_of"
            ),
            "store.related": "Related Relation",
            "store.search.figures": "Measure",
            "store.statistics": "Growth Statistics StoreState Timing Work",
            "store.validation.rules": "AGENT_NAME check_fields",
        },
    )
