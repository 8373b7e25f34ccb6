"""The sentence of a notice, by its kind. Plans, captures and the doctor have notices.

In a sentence `{files:file|files}` is a number with its noun, `{files:,}` one without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memtui.formatting import filled, plural, short_path
from store.errors import StoreError
from store.notice import Notice

if TYPE_CHECKING:
    from store.activity.log import CaptureHealth

_PATHS = frozenset({"folder", "place"})
"""Values that are paths."""
SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "quoted": "{text}",
        "forgetting-unfinished": (
            "Deleting memories for good was interrupted, and is not finished yet. The next command "
            "that can write here finishes it."
        ),
        "for-good": "This can't be undone.",
        # Storing
        "content-cut": "The content had {characters:,} characters and was cut to {most:,}.",
        "redacted": "{passages:secret or private passage was|secret or private passages were} "
        "redacted.",
        "waits": "{changes:change waits|changes wait} for approval in the inbox (`memtui inbox`); "
        "nothing is injected before.",
        # Import
        "already-stored": "{memories:,} of {of:,} are already stored.",
        "comment-skipped": "a comment was skipped.",
        "exists": "{id} already exists with other text, which was kept.",
        "front-matter-skipped": "the front matter ({lines:line|lines}) was skipped.",
        "migrated": "{file} becomes {memories:memory|memories}; the original is kept as {backup}.",
        "more-problems": "{problems:more problem like these|more problems like these}.",
        "no-name": "skipped: it has no name.",
        "no-object": "skipped: not a JSON object.",
        "no-title": "skipped: it has no title.",
        "not-migrated": "{file} is left unchanged: {backup} already exists.",
        "nothing-said": "skipped: {about} has no observations.",
        "private-skipped": "{passages:private passage was|private passages were} skipped.",
        "removed-here": "{memories:,} of {of:,} were removed here and stay out; `--removed` "
        "imports them again.",
        "record-ignored": "its comment was ignored ({text}).",
        "skipped": "skipped: {text}",
        "split": "split {characters:,} characters into {memories:memory|memories}.",
        "undated": "{notes:note has|notes have} no date; today's is used.",
        # Levels
        "level-begun": "What is captured or added here stays yours: {place}; "
        "`memtui config set capture_level team` gives it to the team.",
        "not-shared-email": "{id} stays: it has the e-mail address {text}.",
        "not-shared-home": "{id} stays: it names the home folder {text}.",
        "not-shared-host": "{id} stays: it names the host {text}.",
        "not-shared-phone": "{id} stays: it has the telephone number {text}.",
        "not-shared-private": "{id} stays: part of it is marked private.",
        "not-shared-secret": "{id} stays: it holds a secret.",
        # Sessions of earlier folders
        "ran-cloned": "this repository is a clone of it",
        "ran-filed-here": "{client} files them under this folder",
        "ran-moved": "a session moved it to {folder}",
        "ran-named-alike": "{client} does not say where they ran: its name for this folder fits "
        "{folder} too",
        "ran-other-home": "they ran at the same place below another home folder, {home}",
        "ran-same-commit": "commit {commit} is in this repository",
        "ran-same-files": "{found:,} of {named:file|files} that they name are here: {files}",
        "ran-same-name": "the folder was called {name}, too",
        "ran-same-remote": "the same remote, {remote}",
        # Compaction
        "merges": "#{issue} {reason}: {summary}",
        # Capture
        "captured-before": "captured before",
        "known": "already known",
        "removed-before": "removed or edited since",
        "repeated": "repeated in this session",
        "too-many": "over the limit of {most:,} per capture",
        "stored-by-agent": "the agent stored what this session taught",
        "unfounded": "names {name}, which the session does not",
        "untold": "no description of what was done",
        # Changes that were left
        "changed-since": "{what} has changed since; left unchanged.",
        "clarifications-not-changed": "The clarifications of issue {issue}: {text}",
        "issue-changed": "Issue {issue} was changed: {text}",
        "issue-changed-in-part": "Issue {issue} was changed in part: {text}",
        "issue-not-changed": "Issue {issue} was not changed: {text}",
        "level-not-open": "{id} moved to another level, which is not open; omit --dir.",
        "memory-changed-since": "{id} in issue {issue} has changed since; left unchanged.",
        "file-not-loaded": "No client looks for {file}; left unchanged.",
        "file-not-utf-8": "{file} is not UTF-8; left unchanged. Edit it by hand.",
        "file-secret": "{file} has a secret of several lines; left unchanged. Edit it by hand.",
        "more-stay-redacted": "What was redacted in {id} and {more:,} more stays redacted.",
        "stays-redacted": "What was redacted in {id} stays redacted.",
        "stopped": "Stopped: {left:,} of {of:issue|issues} left unchanged.",
        # Queries
        "field-empty": "`{field}:` needs a value",
        "field-misspelt": "`{field}:` is not a field; did you mean `{meant}:`?",
        "field-twice": "`{field}:` takes one value",
        "field-unknown": "`{field}:` is not a field; put words in quotes",
        "finds-sessions": "`{field}:` finds sessions",
        "flags-unknown": "`is:` takes {choices}",
        "name-misspelt": "no {field} `{name}`; did you mean `{meant}`?",
        "name-unknown": "no {field} `{name}`",
        "place-not-changed": "`in:{place}` results can't be changed",
        "query-cut": "only the first {characters:,} characters are used",
        "quote-open": "`{text}` has no closing quote",
        "term-empty": "`{text}` is empty",
        "term-too-long": "{terms} is too long to search (at most {letters} letters)",
        "value-no-date": "`{field}:{value}` is not a date or age",
        "value-no-number": "`{field}:{value}` is not a number",
        "value-not-among": "`{field}:{value}` is not one of {choices}",
        "words-cut": "only the first {words:,} words are used",
        # Doctor
        "archived-otherwise": "{id} is both in issue {issue} and in its archive. They differ; the "
        "one in the issue is used.",
        "archived-too": "{id} is both in issue {issue} and in its archive.",
        "edited-and-deleted": "{id} was edited on one branch and deleted on another; it was kept.",
        "proposed": "{agents} proposes to change or remove {id}.",
        "edited-twice": "{id} was edited on two branches; both versions are kept, the newer one "
        "is used.",
        "future": "{memories:memory of issue {issue} is|memories of issue {issue} are} dated in "
        "the future, {first} first; they count as new when injecting.",
        "git-ignores": "git ignores this memory; it stays on this machine.",
        "git-merges-lines": "git merges this memory line by line. Run `memtui git install` to "
        "merge memory by memory.",
        "drift-changed": "{memories:memory names|memories name} code that changed since: search "
        "`drift:changed`.",
        "drift-gone": "{id} names {names}: gone from the code.",
        "drift-more": "{memories:more memory names|more memories name} code that is gone or was "
        "moved: search `is:drifted`.",
        "drift-moved": "{id} names {before}, which is now {after}.",
        "git-tracks": "git tracks this memory; its issue files can be committed and reviewed.",
        "git-tracks-derived": "git tracks {file}, which is generated. Remove it with "
        "`git rm --cached`.",
        "git-untracked": "git does not track this memory yet. Add it with `git add` to share it.",
        "half-written": "{file} was left by an interrupted write.",
        "index-away": "{why} Showing what the local index has.",
        "index-behind": "The index has {documents:memory|memories}, the files {files:,}.",
        "index-busy": "Another program is updating the index; results may be out of date.",
        "index-in-memory": "The search index can't be written in {folder}: {why}; using one in "
        "memory.",
        "index-in-memory-nowhere": "The search index can't be written: {why}; using one in memory.",
        "index-lags": "The index is being rebuilt; results may be out of date.",
        "index-stale": "The search index can't be written in {folder}: {why}; results may be out "
        "of date.",
        "index-stale-nowhere": "The search index can't be written: {why}; results may be out of "
        "date.",
        "index-in-pieces": "The index has {segments:segment|segments}, which slows down search.",
        "is-back": "{id} was removed from issue {issue} and came back by a merge; it is hidden.",
        "large": "Memory has {memories:memory|memories} in {megabytes:,} MB. Compact old ones.",
        "layout-each": "Issue {issue} has one file per memory, unlike the rest of this memory. "
        "Its next change, or `memtui migrate --{layout}`, converts it.",
        "layout-one-file": "Issue {issue} has one file, unlike the rest of this memory. "
        "Its next change, or `memtui migrate --{layout}`, converts it.",
        "left-behind": "{file} was left behind by {holder}.",
        "link": "{file} is a symbolic link, which is not followed.",
        "log-size": "The activity log takes {megabytes:,} MB.",
        "log-size-since": "The activity log takes {megabytes:,} MB and starts on {day}.",
        "manifest-altered": "{file} was changed since it was written; its checksum differs.",
        "manifest-behind": "{file} lists {listed:memory|memories}; the issue files have {held:,}.",
        "manifest-differs": "{file} lists {listed:memory|memories}; the issue files have others.",
        "manifest-missing": "{file} is missing; AgentX needs it.",
        "manifest-unreadable": "{file} can't be read; AgentX needs it.",
        "no-digest": "{file} is not valid JSON, so not a session digest.",
        "no-permission": "Nothing can be stored: the permissions forbid it.",
        "read-only-disk": "Nothing can be stored: the disk is read-only.",
        "recovered": "{file} has memories stored while {of} could not be read.",
        "same-id": "{file} has {records:record|records} with the id {id}. Give all but one "
        "another id.",
        "secret": "{what} seems to contain a secret ({rules}).",
        "summary-unreadable": "{file} can't be read. It is rebuilt from the log; recalls from "
        "before the log starts are known only from the memories' own counts.",
        "unopened": "{file} can't be opened.",
        "world-writable": "Everyone on this machine can write to the memory folder.",
        # Repairs
        "adopt": "Move {memories:memory|memories} into {file}.",
        "remove-again": "Remove it from the file, too.",
        "missing": (
            "{memories:memory that was stored is|memories that were stored are} in no file, after "
            "git or another program took files back; `memtui doctor --bring-back` restores them."
        ),
        "odd-rows": "The rows of issue {issue} are not read: no issue has that number.",
        "keep-versions": (
            "Keep both versions in issue {issue}, the newer one in use, to choose from."
        ),
        "delete-copy": "Delete the copy in the archive.",
        "index-again": "Move the file to {to}; `memtui sessions index` reads it again.",
        "merge-file": "Merge {file}; the original goes to quarantine/.",
        "move-and-replace": "Move the file to {to}. {by} replaces it.",
        "move-file": "Move the file to {to}.",
        "rebuild-index": "Rebuild the index.",
        "rebuild-manifest": "Rebuild it from the issue files.",
        "redact": "Redact it. This can't be undone.",
        # Settings
        "setting-file": "ignored, {detail}.",
        "setting-misspelt": "unknown setting `{key}`; did you mean `{detail}`?",
        "setting-toml": "ignored, not valid TOML: {detail}.",
        "setting-unknown": "unknown setting `{key}`.",
        "setting-user-only": "`{key}` ignored: only your own settings file can set it.",
        "setting-value": "`{key}` ignored: {detail}.",
        "variable-value": "ignored: {detail}.",
    }
)
"""The sentence of each kind of notice, but for those about the health of capture."""
_PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "lock-timeout": "{message} The next write fixes it.",
        "log-not-shortened": "The activity log was not shortened. {message}",
        "log-not-written": "The activity log was not written. {message}",
        "manifest-rebuilt": "Memory manifest rebuilt from issue files (took {took:,.0f}ms).",
        "not-settled": "{message} The next write fixes it.",
        "nothing-extracted": "No memories extracted from session (empty summary).",
        "store-large": "Memory store exceeds {message}MB. Run `memtui compact` to reduce.",
        "store-many": "Memory store has {message} memories. Consider compaction.",
    }
)
"""The sentences of problems, by their kinds; others have only the message of their error."""
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def sentence(notice: Notice) -> str:
    """A notice in words, with its place before it; of a kind unknown to us, what it holds."""
    return f"{notice.place}: {_in_words(notice)}" if notice.place else _in_words(notice)


def _in_words(notice: Notice) -> str:
    if notice.kind in _TIMED:
        return _TIMED[notice.kind](notice.values)
    try:
        words = filled(SENTENCES[notice.kind], _shown(notice.values))
    except (KeyError, ValueError):
        values = ", ".join(f"{name} {value}" for name, value in notice.values.items())
        return f"{notice.kind}: {values}" if values else notice.kind
    return words.removesuffix(".") if words.endswith("?.") else words


def _shown(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values of a notice, paths among them with the home folder as `~`."""
    paths = {name: short_path(str(values[name])) for name in _PATHS & values.keys()}
    return {**values, **paths} if paths else values


def error_in_words(error: StoreError) -> str:
    """Return an error in words, with its reason where it has notes on that."""
    why = "; ".join(sentence(note).rstrip(".") for note in error.notes)
    end = "" if why.endswith("?") else "."
    return f"{error.message.rstrip('.')}: {why}{end}" if why else error.message


def problem_in_words(kind: str, message: str, took: float | None = None) -> str:
    """Return a failure while memory went on: its kind, the error's message, and milliseconds."""
    if kind == "missing" and message.isdecimal():
        return filled(SENTENCES[kind], {"memories": int(message)})
    words = _PROBLEMS.get(kind, "{message}")
    if "{" in words and not (message or took):
        words = "{kind}"
    return words.format(kind=kind, message=message, took=took or 0).strip()


def capture_in_words(health: CaptureHealth, now: datetime) -> str:
    """Return the state of capture, in the zone of `now`; empty where it was never tried."""
    if health.failing_since is not None:
        return _failing_since(health.failing_since, now)
    return _captured_at(health.last, now) if health.last is not None else ""


def _failing_since(then: datetime, now: datetime) -> str:
    return f"Capture has failed since {_since(then, now)}."


def _captured_at(then: datetime, now: datetime) -> str:
    return f"Last capture {_ago(now - then)}."


def _capture_fails(values: Mapping[str, int | str]) -> str:
    failing = _failing_since(_time(values["since"]), _time(values["now"]))
    return f"{failing} {values['text']}".rstrip()


def _last_capture(values: Mapping[str, int | str]) -> str:
    return _captured_at(_time(values["at"]), _time(values["now"]))


def _level_away(values: Mapping[str, int | str]) -> str:
    return (
        f"The {values['level']}'s memory has not answered since "
        f"{_time(values['since']):%Y-%m-%d %H:%M}. It is shown as it was then; the rest works."
    )


_TIMED: Mapping[str, Callable[[Mapping[str, int | str]], str]] = MappingProxyType(
    {
        "capture-fails": _capture_fails,
        "last-capture": _last_capture,
        "level-away": _level_away,
    }
)
"""The sentences that need the time."""


def _since(then: datetime, now: datetime) -> str:
    there = then.astimezone(now.tzinfo)
    days = (now.date() - there.date()).days
    if days <= 0:
        return f"{there:%H:%M}"
    return _WEEKDAYS[there.weekday()] if days < 7 else f"{there:%Y-%m-%d}"


def _ago(past: timedelta) -> str:
    """Return the age in the largest unit of which there is more than one, or one."""
    minutes = int(past.total_seconds() // 60)
    for size, unit in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if number := minutes // size:
            return f"{plural(number, unit)} ago"
    return "just now"


def _time(text: int | str) -> datetime:
    from store.records import parse_time  # the first frame has no times

    return parse_time(str(text)).astimezone()
