"""What was done outside the project's files: on servers, in services, in a host's settings."""

from __future__ import annotations

import pytest

from store.capture.candidate import Known
from store.capture.candidates import candidates_in
from store.model import Category
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode, contents

_TOLD = (
    "`TILL_HOST` is now 10.0.0.7, since `till.test` points at the cache, which takes no `ssh`."
    " Use the address itself for `rsync`."
)


def _done(asked: str, command: str) -> list[str]:
    made = ClaudeCode().user(asked).bash(command, "ok").agent(_TOLD)
    facts = contents(made.plan(), Category.KEY_FACT)
    return [each for each in facts if each.startswith("Done outside the project's files: ")]


@pytest.mark.parametrize(
    "command",
    [
        "gh secret set TILL_HOST --body 10.0.0.7",
        "git config --global credential.helper '!gh auth git-credential'",
        "ssh root@10.0.0.7 'systemctl restart till'",
        "cd web && wrangler secret put TILL_HOST",
        "psql -c \"update hosts set name = 'till'\"",
    ],
)
def test_what_changed_something_elsewhere_is_told(command: str) -> None:
    (told,) = _done("Can you set the address of the till on the server?", command)
    assert "`TILL_HOST` is now 10.0.0.7" in told and told.count("Asked: ") == 1


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        ("Set the address of the till on the server", "gh api repos/till/pulls/7/comments -X POST"),
        ("Set the address of the till on the server", "grep -r 'gh secret set' docs"),
        ("Set the address of the till on the server", "npm publish --dry-run"),
        ("Please review the address of the till", "gh secret set TILL_HOST --body 10.0.0.7"),
        ("Where does the server get the till from?", "gh secret set TILL_HOST --body 10.0.0.7"),
    ],
)
def test_what_only_looks_answers_or_is_asked_about_is_not(asked: str, command: str) -> None:
    assert not _done(asked, command)


def test_what_changed_files_as_well_is_told_by_its_change() -> None:
    made = ClaudeCode().user("Set the address of the till on the server").edit("till.py")
    made.bash("gh secret set TILL_HOST --body 10.0.0.7", "ok").agent(_TOLD)
    assert not [it for it in contents(made.plan(), Category.KEY_FACT) if "outside" in it]


@pytest.mark.parametrize(
    "said",
    [
        "Here are the steps for `nginx` on the shop's host: open the port, then watch the till.",
        "The reload of `nginx` on the shop's host is still in progress, it takes a few minutes.",
    ],
)
def test_what_goes_on_or_is_to_be_done_is_not_done(said: str) -> None:
    made = ClaudeCode().user("Open the port of the till")
    made.bash("ssh shop sudo systemctl reload nginx", "ok").agent(said)
    assert not any("Done outside" in it for it in contents(made.plan(), Category.KEY_FACT))


def test_what_a_held_change_of_the_session_tells_is_not_told_again() -> None:
    said = (
        "Restarted `nginx` on the server of the shop, so that the new limit of 40 rows in a page"
        " is read by it."
    )
    did = f"BASH ssh shop sudo systemctl restart nginx\nok\nAGENT {said}"
    session = session_of(f"USER Limit the rows of a page to 40\n{did}")
    held = Known(changes=(f"Limit the rows: {said}\nFiles: shop/rows.py.",))
    told = [list(candidates_in(session, it, (), is_over=True)) for it in (Known(), held)]
    assert [len(found) for found in told] == [1, 0]
