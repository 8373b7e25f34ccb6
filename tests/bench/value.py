"""Learn what a sentence is worth: `python -m tests.bench.value DIR [--write]`.

DIR holds session files, and `marks.jsonl`: a line of JSON for each session that was read by eye,
with its `path` in DIR, its `project`, and in `marks` the sentences that the next session needs,
each with 2 where it is important, 1 if it is wanted, and -1 where another says the same better.
Printed is how well marked sentences are told from others in projects that were left out, and how
many weights there are; `--write` puts those of all projects into `store/capture/text/value.json`.

It needs scikit-learn, which the extra `learn` installs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import store.capture.text
from store.agents.formats import read_session
from store.agents.session import Session
from store.agents.transcript import Speaker
from store.capture.text.value import features_of, sentences_in

_FILE = Path(store.capture.text.__file__).with_name("value.json")
_SHORTEST = 20
"""Characters of a sentence that is learned from."""
_FEWEST, _FEWEST_PROJECTS = 3, 4
"""Sentences and projects that something must be seen in to have a weight: a name has none."""
_STRENGTH = {Speaker.AGENT: (0.05, 0.06), Speaker.USER: (0.1, 0.1)}
"""The inverse of the regularisation, and the least weight that is kept: of those tried the best in
projects that were left out.
"""
_COUNTS = {2: 2.0, 1: 1.0, 0: 1.0, -1: 0.7}
"""How much a sentence with a mark counts."""
_PARTS = 8


class Marked(NamedTuple):
    """A sentence as it is seen, and how it was marked: 0 if not at all."""

    project: str
    speaker: Speaker
    seen: tuple[str, ...]
    mark: int


def marked_in(folder: Path) -> Iterator[Marked]:
    """The sentences of the sessions that a folder's `marks.jsonl` names."""
    for line in (folder / "marks.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        with (folder / entry["path"]).open("rb") as lines:
            session = read_session(lines)
        for at, said in enumerate(session.said):
            for each in sentences_in(said, closes=_closes(session, at)):
                if len(each.text) >= _SHORTEST:
                    mark = int(entry["marks"].get(each.text, 0))
                    yield Marked(entry["project"], each.speaker, tuple(features_of(each)), mark)


def _closes(session: Session, at: int) -> bool:
    said = session.said
    is_last = at + 1 == len(said) or said[at + 1].speaker is Speaker.USER
    return said[at].speaker is Speaker.AGENT and is_last and not session.went_on_after(said[at])


class Learner:
    """What a speaker's sentences are seen by, as columns, and the regression over them."""

    def __init__(self, marked: Sequence[Marked], speaker: Speaker) -> None:
        from sklearn.feature_extraction import DictVectorizer

        self._strength, self._least = _STRENGTH[speaker]
        self.marks = [each.mark for each in marked]
        self._columns = DictVectorizer()
        kept = _often_seen(marked)
        rows = [{name: 1.0 for name in each.seen if name in kept} for each in marked]
        self._rows = self._columns.fit_transform(rows).tocsr()
        self._rows.indices = self._rows.indices.astype("int32")
        self._rows.indptr = self._rows.indptr.astype("int32")

    def fit(self, at: Sequence[int]) -> Any:  # noqa: ANN401 - a class without types
        """A regression over some of the sentences, without its small weights."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=self._strength, max_iter=500, solver="liblinear")
        counts = [_COUNTS[self.marks[each]] for each in at]
        model.fit(self._rows[at], [self.marks[each] != 0 for each in at], sample_weight=counts)
        model.coef_[abs(model.coef_) < self._least] = 0
        return model

    def values(self, model: Any, at: Sequence[int]) -> list[float]:  # noqa: ANN401
        """What a regression says of sentences."""
        return [float(value) for value in model.decision_function(self._rows[at])]

    def weights(self, model: Any) -> dict[str, int]:  # noqa: ANN401
        """A regression's weights in hundredths; `*` is that of every sentence."""
        found = dict(zip(self._columns.feature_names_, model.coef_[0], strict=True))
        found["*"] = found.get("*", 0) + model.intercept_[0]
        return {name: whole for name in sorted(found) if (whole := round(100 * found[name]))}


def _often_seen(marked: Sequence[Marked]) -> set[str]:
    times = Counter(name for each in marked for name in each.seen)
    projects: dict[str, set[str]] = defaultdict(set)
    for each in marked:
        for name in each.seen:
            projects[name].add(each.project)
    return {
        name
        for name, count in times.items()
        if count >= _FEWEST and len(projects[name]) >= _FEWEST_PROJECTS
    }


def left_out(learner: Learner, marked: Sequence[Marked]) -> list[float]:
    """The value of each sentence, as learned from other projects than its own."""
    projects = sorted({each.project for each in marked})
    part = {name: at % _PARTS for at, name in enumerate(projects)}
    values = [0.0] * len(marked)
    for number in range(_PARTS):
        apart = [at for at, each in enumerate(marked) if part[each.project] == number]
        rest = [at for at, each in enumerate(marked) if part[each.project] != number]
        for at, value in zip(apart, learner.values(learner.fit(rest), apart), strict=True):
            values[at] = value
    return values


def main(arguments: Sequence[str]) -> None:
    """Learn, print how well, and on demand write the weights."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    told = list(marked_in(Path(arguments[0])))
    learned: dict[str, dict[str, int]] = {}
    for speaker in Speaker:
        marked = [each for each in told if each.speaker is speaker]
        learner = Learner(marked, speaker)
        values = left_out(learner, marked)
        sure = [at for at, each in enumerate(marked) if each.mark >= 0]
        truth, said = [marked[at].mark > 0 for at in sure], [values[at] for at in sure]
        learned[speaker] = learner.weights(learner.fit(range(len(marked))))
        print(
            f"{speaker}: {len(marked):,} sentences, {sum(truth):,} marked; in projects left out"
            f" area under the curve {roc_auc_score(truth, said):.3f}, average precision"
            f" {average_precision_score(truth, said):.3f}; {len(learned[speaker]):,} weights"
        )
    if "--write" in arguments:
        text = json.dumps(learned, ensure_ascii=False, indent=0, sort_keys=True)
        _FILE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
