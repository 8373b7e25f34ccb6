"""`memtui git`: have git merge and show memory; the merge driver, and what it left to choose."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.memory import find_folder, opened
from memtui.cli.options import (
    Number,
    Options,
    dir_option,
    dry_run_option,
    json_option,
    operation_options,
    yes_option,
)
from memtui.cli.output import note, one_line, paint, print_json, say
from memtui.cli.plans import carry_out, is_change_agreed
from memtui.client_file import command_in_use
from store.backends.files.merge_versions import merge_versions
from store.errors import Unreadable
from store.git.diff import contents_in_words, diff_memory
from store.git.setup import (
    GitPlan,
    GitStatus,
    apply_git_plan,
    git_status,
    plan_git_install,
    plan_git_uninstall,
)
from store.merge.changes import MemoryChange, MemoryDiff
from store.merge.record import alternatives, version_text
from store.platform.bounds import MAX_BYTES, read_regular
from store.platform.write import replace_derived
from store.redaction.sanitizer import sanitize
from store.text.display import visible

_EPILOG = """\b
Examples:
  memtui git status
  memtui git install                in this repository
  memtui git install --global       for all your clones
  memtui git uninstall --dry-run
  memtui git diff main..            memories that changed on this branch
  memtui git resolve a1b2c3         choose between versions of two branches

\b
With the driver, git merges memory by memory: it keeps the additions and deletions of both sides,
and both versions of a memory that both edited. Commit the .gitattributes file; the driver itself
is in git's configuration, so install it once per clone. Without it, conflicted files can still be
read, and `memtui doctor --repair` merges them.
"""
_MERGE_EPILOG = """\b
Examples:
  memtui git merge-file base.json ours.json theirs.json      write the merge to ours.json
  memtui git merge-file --stdout base.json ours.json theirs.json
  memtui git install                                    let git run it

\b
Additions and deletions of both sides are kept. If both edited a memory, the newer text is used and
the other version is kept with it. Exit code 1 if a file can't be read; OURS then has git's own
line merge.
"""
_RESOLVE_EPILOG = """\b
Examples:
  memtui git resolve a1b2c3           list the versions
  memtui git resolve a1b2c3 --take 0   keep the current version
  memtui git resolve a1b2c3 --take 1   take the first other version
"""
_DIFF_EPILOG = """\b
Examples:
  memtui git diff                       changes since the last commit
  memtui git diff main..                changes on this branch
  memtui git diff v1.0..v1.1 --markdown  Markdown for a pull request
"""
_SIGNS = {
    "added": ("+", "green"),
    "edited": ("~", "yellow"),
    "superseded": ("»", "blue"),
    "archived": (">", "blue"),
    "restored": ("<", "blue"),
    "removed": ("-", "red"),
}
_LONG = 400
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~!&@])")
_file = click.Path(path_type=Path, exists=True, dir_okay=False)
_user = click.option(
    "--global", "for_user", is_flag=True, help="Install in your user configuration, for all clones."
)


@click.group(epilog=_EPILOG)
def git_command() -> None:
    """Set up git to merge memories; compare and resolve them."""


@git_command.command()
@_user
@dry_run_option
@yes_option
@dir_option
def install(for_user: bool, dry_run: bool, yes: bool) -> None:
    """Install the merge driver, after showing the diff."""
    path = find_folder()
    plan = plan_git_install(path, command_in_use(), for_user=for_user)
    if _applied(plan, "Install the merge driver?", dry_run=dry_run, yes=yes):
        if git_status(path).is_ignored:
            note("git ignores this memory, so there is nothing to merge.")
        note("Commit .gitattributes with the memory. Undo with `memtui git uninstall`.")


@git_command.command()
@_user
@dry_run_option
@yes_option
@dir_option
def uninstall(for_user: bool, dry_run: bool, yes: bool) -> None:
    """Remove what `install` added."""
    plan = plan_git_uninstall(find_folder(), for_user=for_user)
    _applied(plan, "Remove the merge driver?", dry_run=dry_run, yes=yes)


@git_command.command()
@json_option
@dir_option
def status(as_json: bool) -> None:
    """Show how git handles this memory."""
    path = find_folder()
    found = git_status(path)
    if as_json:
        print_json(
            {
                "memory": str(path),
                "repository": str(found.repository) if found.repository else None,
                "tracked": found.is_tracked,
                "ignored": found.is_ignored,
                "attributes": found.attributes,
                "driver": found.driver or None,
                "unmerged": list(found.unmerged),
            }
        )
        return
    for line in _status_lines(found):
        say(line)
    if found.is_offered:
        note("Run `memtui git install` to merge memory by memory.")


@git_command.command()
@click.argument("file", type=_file)
def textconv(file: Path) -> None:
    """Print FILE as text for `git diff`."""
    say(visible(contents_in_words(read_regular(file, MAX_BYTES), file.name)).rstrip("\n"))


@git_command.command("merge-file", epilog=_MERGE_EPILOG)
@click.argument("base", type=_file)
@click.argument("ours", type=_file)
@click.argument("theirs", type=_file)
@click.argument("path", required=False, default="")
@click.option("--stdout", is_flag=True, help="Print the result instead of writing it to OURS.")
def merge_file_command(base: Path, ours: Path, theirs: Path, path: str, stdout: bool) -> int:
    """Merge THEIRS into OURS, both based on BASE.

    PATH is the file's name in git.
    """
    name = path or ours.name
    try:
        before, left, right = (read_regular(one, MAX_BYTES) for one in (base, ours, theirs))
        done = merge_versions(before, left, right, name)
    except (Unreadable, OSError) as error:
        why = error.message if isinstance(error, Unreadable) else f"{error.strerror}."
        odd = next((item for item in (base, ours, theirs) if not item.is_file()), None)
        if odd is not None:  # git would wait for a pipe
            note(f"{odd}: {why} Nothing was merged.")
            return 1
        note(f"{why} Falling back to a line merge.")
        return _merge_lines(base, ours, theirs, stdout=stdout)
    if stdout:
        click.echo(done.data, nl=False)
    else:
        replace_derived(ours.absolute(), done.data, ours.absolute().parent)
    if done.merged is not None and done.merged.conflicts:
        number = len(done.merged.conflicts)
        noun = "memory was" if number == 1 else "memories were"
        note(f"{name}: {number} {noun} edited on both sides; both versions are kept.")
    return 0


@git_command.command("resolve", epilog=_RESOLVE_EPILOG)
@click.argument("identifier", metavar="ID")
@click.option("--take", type=Number(min=0), help="Version to keep; 0 is the current one.")
@operation_options
def resolve_command(identifier: str, take: int | None, options: Options) -> None:
    """Resolve a memory that was edited on two branches.

    Without --take, lists the versions. With it, the other versions are dropped.
    """
    with opened(searchable=True) as memory:
        observation = memory.get(identifier)
        if take is not None:
            plan = memory.plan.resolve(observation.id, take)
            carry_out(memory, plan, options)
            return
    others = alternatives(observation.extra)
    if not others:
        note(f"{observation.id} has only one version.")
        return
    for number, text in enumerate((observation.content, *map(version_text, others))):
        say(f"{paint(str(number), fg='cyan')}  {one_line(sanitize(text).text)}")
    note("Keep one with `--take N`.")


def _status_lines(found: GitStatus) -> list[str]:
    if found.repository is None:
        return ["This memory is not in a git repository."]

    def line(good: bool, text: str) -> str:
        return f"{paint('✓', fg='green') if good else paint('·', dim=True)} {visible(text)}"

    where = "ignored by git" if found.is_ignored else "tracked" if found.is_tracked else "not added"
    lines = [
        line(found.is_tracked, f"The memory is {where} in {found.repository}."),
        line(found.attributes, f"Its files {'name' if found.attributes else 'lack'} the driver."),
        line(bool(found.driver), f"Driver: {found.driver or 'not installed in this clone'}"),
    ]
    if found.tracks_manifest:
        lines.append(line(False, "manifest.json is tracked; remove it with `git rm --cached`."))
    if found.unmerged:
        lines.append(line(False, f"In conflict: {', '.join(found.unmerged)}"))
    return lines


def _applied(plan: GitPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    unchanged = "Nothing to change."
    if not is_change_agreed(plan, question, dry_run=dry_run, yes=yes, unchanged=unchanged):
        return False
    apply_git_plan(plan)
    note("Done.")
    return True


def _merge_lines(base: Path, ours: Path, theirs: Path, *, stdout: bool) -> int:
    """Merge by lines, as git does without a driver, with markers where they conflict."""
    files = [str(path.absolute()) for path in (ours, base, theirs)]
    command = ["git", "merge-file", *(["-p"] if stdout else []), "--", *files]
    try:
        return 1 if subprocess.run(command, check=False).returncode else 0
    except OSError:
        return 1


@git_command.command("diff", epilog=_DIFF_EPILOG)
@click.argument("range_", metavar="[A..B]", required=False, default="")
@click.option("--markdown", is_flag=True, help="Print Markdown for a review.")
@json_option
@dir_option
def diff_command(range_: str, markdown: bool, as_json: bool) -> None:
    """Show memories added, edited, superseded and removed between two commits."""
    found = diff_memory(find_folder(), range_)
    if as_json:
        print_json(_as_data(found))
    elif markdown:
        for line in _in_markdown(found):
            say(line)
    else:
        for change in found.changes:
            for line in _lines(change):
                say(line)
        note(f"{_counted(found)}.") if found.changes else note("No changes.")
    for issue in found.unread:
        note(f"#{issue} is left out: one of its files can't be read. Run `memtui doctor`.")


def _counted(found: MemoryDiff) -> str:
    """`2 added, 1 edited · 1,204 → 1,310 tokens`."""
    counts = ", ".join(f"{number:,} {what}" for what, number in found.counted().items())
    tokens = f"{found.tokens_before:,} → {found.tokens_after:,} tokens"
    return f"{counts} · {tokens}" if counts else tokens


def _lines(change: MemoryChange) -> Iterator[str]:
    sign, colour = _SIGNS[change.what]
    by = f"  by {one_line(change.by)}" if change.by else ""
    yield f"{paint(sign, fg=colour)} {_head(change)}  {paint(one_line(change.id), dim=True)}{by}"
    if change.what == "edited":
        for key, (old, new) in change.fields.items():
            if old is not None:
                yield paint(f"    - {one_line(key)}: {_short(old)}", fg="red")
            if new is not None:
                yield paint(f"    + {one_line(key)}: {_short(new)}", fg="green")


def _head(change: MemoryChange) -> str:
    """`#29 decision  engineer  Chose plain files  (8 tokens)`."""
    standing = change.after or change.before
    record = standing.record if standing else {}
    words = [str(record.get(key, "")) for key in ("category", "agent", "summary")]
    issue = standing.issue if standing else 0
    tokens = record.get("tokens", 0)
    return one_line(f"#{issue} {'  '.join(words)}  ({tokens} tokens)")


def _short(value: object) -> str:
    return one_line(value if isinstance(value, str) else repr(value), _LONG)


def _in_markdown(found: MemoryDiff) -> Iterator[str]:
    yield f"### Memory: {_counted(found)}"
    last = ""
    for change in found.changes:
        if change.what != last:
            last = change.what
            yield f"\n**{last.capitalize()}**\n"
        yield f"- {_escaped(_head(change))}"
        if change.what == "edited":
            for key, (old, new) in change.fields.items():
                yield f"  - {_escaped(key)}: {_escaped(_short(old))} → {_escaped(_short(new))}"


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _as_data(found: MemoryDiff) -> dict[str, object]:
    return {
        "tokensBefore": found.tokens_before,
        "tokensAfter": found.tokens_after,
        "changes": [
            {
                "what": str(change.what),
                "id": change.id,
                "by": change.by or None,
                "before": change.before.record if change.before else None,
                "after": change.after.record if change.after else None,
            }
            for change in found.changes
        ],
    }
