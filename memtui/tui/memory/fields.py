"""Every field of a memory as a table, those unknown to us too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, fit, moment, plural
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.memory.pane import has_summary_first
from memtui.words.fields import field_in_words, field_name
from memtui.words.origins import finder_of, messages_of
from store.drift.kept import ANCHOR
from store.merge.versions import CONFLICT, PROPOSED, alternatives
from store.model import FINDER, SESSION_MARK, Observation, layer_of
from store.text.display import visible_line


def field_table(
    observation: Observation, now: datetime, opens: str = "", more: Mapping[str, str] | None = None
) -> Content:
    """Return every field, names at the left, those unknown to us below; `opens` is the key that
    opens the session it came from, `more` is what else is known of it, by name.
    """
    rows = [(name, value) for name, value in _fields(observation, now, opens) if value.plain]
    rows += [(name, Content(words)) for name, words in (more or {}).items() if words]
    width = max(cell_len(name) for name, _ in rows) + 2
    return Content("\n").join(
        Content.assemble((fit(name, width), "$dim"), value) for name, value in rows
    )


def _fields(observation: Observation, now: datetime, opens: str) -> Iterator[tuple[str, Content]]:
    def plain(text: str) -> Content:
        return Content(visible_line(text))

    category = f"{mark_of(observation.category)} {visible_line(observation.category)}"
    if not has_summary_first(observation):
        yield "summary", plain(observation.summary)
    yield "id", plain(observation.id)
    yield "agent", plain(observation.agent)
    yield "issue", plain(f"#{observation.issue_number}")
    yield "category", Content.styled(category, color_of(observation.category))
    yield "level", plain(observation.level)
    yield "layer", plain(layer_of(observation.category))
    ago = age(observation.timestamp, now)
    yield "time", plain(moment(observation.timestamp, now) + (f"  ({ago})" if ago else ""))
    yield "size", plain(plural(len(observation.content), "character"))
    # Of a session that another program names, nothing may be kept here.
    is_ours = any(source.startswith(SESSION_MARK) for source in observation.sources)
    hint = f"  {opens} opens it" if is_ours and opens else ""
    yield "session", plain(observation.session_id) + Content.styled(hint, "$dim")
    yield "tags", plain(" ".join(observation.tags))
    yield "recalled", plain(plural(observation.recall_count, "time"))
    if observation.last_recalled is not None:
        yield "last recalled", plain(moment(observation.last_recalled, now))
    yield "seen", plain(plural(observation.seen_count, "time"))
    pin = "yes, but muted" if observation.muted else "yes: always injected"
    yield "pinned", plain(pin if observation.pinned else "")
    yield "muted", plain("yes: never injected" if observation.muted else "")
    yield "archived", plain("yes: not injected or searched" if observation.archived else "")
    yield "rests on", plain("; ".join(messages_of(observation.sources)))
    rest = (source for source in observation.sources if not source.startswith(SESSION_MARK))
    yield "sources", plain("  ".join(rest))
    yield "from", plain(finder_of(observation.extra))
    if others := alternatives(observation.extra):
        agents = dict.fromkeys(str(version[PROPOSED]) for version in others if PROPOSED in version)
        whose = f"proposed by {', '.join(agents)}" if agents else "other branches"
        yield visible_line(whose), plain(plural(len(others), "version"))
    for name, value in observation.extra.items():
        if name not in (FINDER, ANCHOR) and not (others and name == CONFLICT):
            yield visible_line(field_name(name)), plain(field_in_words(value, now))
