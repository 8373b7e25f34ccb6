"""One update of the index: what changed in the files is read and written in one commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import NamedTuple

from tantivy import DocAddress, Index, IndexWriter, Occur, Schema
from tantivy import Query as IndexQuery

from store.backends.activity import RecallLog, read_activity, recall_times
from store.backends.issue_records import IssueRecords, location_of
from store.backends.log_summary import Recalls
from store.backends.protocol import Backend
from store.model import Problem
from store.platform.garbage import gc_paused
from store.records import RawRecord, record_id
from store.search.analyzers import backwards
from store.search.documents import count_of, observation_of
from store.search.schema import Indexable, digest_of, to_document
from store.search.seen import Changes, Progress, Seen, log_stamp

_HEAP, _HEAP_BULK, _HEAP_LARGE = 15_000_000, 120_000_000, 400_000_000
"""The most bytes that what is not written yet takes: with the last, nothing of a million memories
was merged, which takes a twelfth of the processors' time; with 700 MB it took as much again."""
_BULK, _LARGE = 1_000_000, 500_000_000
"""Bytes to read from which a build uses a second thread and more memory, and most of it."""


class _Marked(NamedTuple):
    """A record, the part it is in, its recalls that are in the log only, and its digest."""

    name: str
    record: RawRecord
    digest: int
    recalls: Recalls | None


class Update:
    """Brings an index in step with the record. To be used once, under the index's lock."""

    def __init__(
        self, backend: Backend, index: Index, schema: Schema, seen: Seen, log: RecallLog
    ) -> None:
        self._backend = backend
        self._index = index
        self._searcher = index.searcher()
        self._schema = schema
        self._seen = seen
        self._log = log
        self._writer: IndexWriter | None = None
        self._size = 0
        self._vanished: set[str] = set()

    def run(
        self, changes: Changes, progress: Progress | None, *, complete: bool = True
    ) -> tuple[Seen, bool]:
        """Update the index; gives what is seen afterwards, and if any document or problem changed.

        Not `complete`, recalls are left out where there is a lot to read of them.
        """
        self._log.read_on(complete=complete)
        issues = set(changes.issues)
        log_end = self._seen.log_end
        if not self._seen.stamps:
            log_end = self._log.end
        elif changes.recount:
            if not log_stamp(self._backend).begin <= log_end <= self._log.end:
                issues |= changes.stamps.keys()
            entries, log_end = read_activity(self._backend.log, log_end)
            issues |= self._issues_of(set(recall_times(entries)))
        self._size = sum(changes.sizes.values())
        stamps = dict(changes.stamps)
        problems = dict(self._seen.problems)
        # Small ones first: they are indexed while a large one is still being read.
        order = sorted(issues, key=lambda issue: (changes.sizes.get(issue, 0), issue))
        with gc_paused() if self._size > _BULK else nullcontext():
            for done, records in enumerate(self._backend.read_each(order)):
                if progress is not None:
                    progress(done, len(issues))
                issue, (found, unopened) = records.issue, self._index_issue(records)
                problems.pop(issue, None)
                if found:
                    problems[issue] = found
                # What could not be read just now is looked at again: its stamp is not remembered.
                if unopened:
                    stamps.pop(issue, None)
        if self._writer is not None:
            self._writer.commit()
            self._writer.wait_merging_threads()
        if progress is not None:
            progress(len(issues), len(issues))
        changed = self._writer is not None or problems != self._seen.problems
        vanished = self._seen.vanished | self._vanished
        return Seen(stamps, log_end, problems, vanished=vanished), changed

    def _index_issue(self, records: IssueRecords) -> tuple[list[Problem], bool]:
        """Bring the documents of one issue in step; its problems, and whether some is unread."""
        marked_records = [self._marked(records.issue, *one) for one in records.distinct()]
        there = self._kept(records, marked_records)
        for at, (name, record, digest, recalls) in enumerate(marked_records):
            if digest in there:
                continue
            observation = records.observation(name, record)
            if observation is not None:
                there.add(digest)
                location = location_of(name)
                item = Indexable(observation, record.text, location, at, digest, recalls)
                self._writing().add_document(to_document(item))
        return records.problems, bool(records.unopened)

    def _marked(self, issue: int, name: str, record: RawRecord) -> _Marked:
        recalls = self._log.uncounted(record.value)
        digest = digest_of(record.text, location_of(name), issue, recalls)
        return _Marked(name, record, digest, recalls)

    def _kept(self, records: IssueRecords, marked_records: Sequence[_Marked]) -> set[int]:
        """Return the digests of an issue's documents that stay; the others are deleted.

        By their ids: a digest is no term, since a term more for each document would cost a build
        much. What shares its id with one of them goes too, to be indexed anew.
        """
        of_issue = IndexQuery.term_query(self._schema, "issue", records.issue)
        if records.away:  # what it has stays as it was seen last
            absent = IndexQuery.term_set_query(self._schema, "level", sorted(records.away))
            of_issue = IndexQuery.boolean_query([(Occur.Must, of_issue), (Occur.MustNot, absent)])
        present = self._values("digest", of_issue)
        kept = {marked.digest for marked in marked_records if marked.digest in present}
        gone = [address for digest, address in present.items() if digest not in kept]
        if not gone:
            return kept
        ids = {observation_of(self._searcher.doc(address)).id for address in gone}
        self._writing().delete_documents_by_query(self._with_ids(of_issue, ids))
        self._vanished |= ids - {record_id(marked.record.value) for marked in marked_records}
        ends = set(map(backwards, ids))
        return kept - {
            marked.digest
            for marked in marked_records
            if backwards(record_id(marked.record.value) or "") in ends
        }

    def _with_ids(self, query: IndexQuery, ids: Iterable[str]) -> IndexQuery:
        ends = sorted(set(map(backwards, ids)))
        same = IndexQuery.term_set_query(self._schema, "id", ends)
        return IndexQuery.boolean_query([(Occur.Must, query), (Occur.Must, same)])

    def _writing(self) -> IndexWriter:
        """Return the writer, made when there is something to write: it starts threads."""
        if self._writer is None:
            heap, threads = (_HEAP_BULK, 2) if self._size > _BULK else (_HEAP, 1)
            heap = _HEAP_LARGE if self._size > _LARGE else heap
            self._writer = self._index.writer(heap_size=heap, num_threads=threads)
        return self._writer

    def _issues_of(self, identifiers: set[str]) -> set[int]:
        if not identifiers:
            return set()
        query = IndexQuery.term_set_query(self._schema, "id", sorted(map(backwards, identifiers)))
        return set(self._values("issue", query))

    def _values(self, field: str, query: IndexQuery) -> dict[int, DocAddress]:
        """The values that what a query finds has in a field, each with a document that has it."""
        count = count_of(self._searcher, query) if self._searcher.num_docs else 0
        if not count:
            return {}
        hits = self._searcher.search(query, count, count=False).hits
        addresses = [address for _, address in hits]
        values = self._searcher.fast_field_values(field, addresses)
        known = zip(values, addresses, strict=True)
        return {int(value): address for value, address in known if value is not None}
