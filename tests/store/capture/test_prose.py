from __future__ import annotations

import pytest

from store.capture.text.prose import CODE_NAME, intent, plain, prose_lines, sentences, statements
from store.model import Category


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("I went with orjson because it is the fastest here.", Category.DECISION),
        ("We'll use files instead of a database for the record.", Category.DECISION),
        ("Decidimos usar SSE em vez de WebSockets no painel.", Category.DECISION),
        (
            "The root cause was `lock.pid`, since the old process left it there.",
            Category.LESSON,
        ),
        (
            "The `defer` approach breaks `--agent x` (it does not take what follows).",
            Category.LESSON,
        ),
        ("It turns out that `open_index` fails because the folder is gone.", Category.LESSON),
        ("Note: `serve` closes idle connections after 30 seconds.", Category.LESSON),
    ],
)
def test_statements_are_found(sentence: str, category: str) -> None:
    assert list(statements(f"Some words before. {sentence}")) == [(category, sentence)]


@pytest.mark.parametrize(
    "text",
    [
        "Many voters are undecided about the new settings.",
        "Should we say we decided to use a database for this?",
        "If we decided to use a database it would be slower.",
        "Let me check what the team decided to do about locks.",
        "I think we decided to use files at some point.",
        "> We decided to keep one file for each issue.",
        "```\nWe decided to keep one file for each issue.\n```",
        "| We decided to keep one file | for each issue |",
        "# We decided to keep one file for each issue",
        'The test prints "we decided to keep one file for each issue" and stops.',
        "It is an important feature for the people who use it.",
        "We decided.",
        "Decision: Work out of order.",
        "Note: `serve` has an untracked file beside it: `a.log`.",
        "Note: I could not execute `npm test`: `npm` fails to start.",
        "We decided to keep one file for each issue.",
        "This confirms the root cause: `lock.pid` was left there.",
        "We decided to " + "very " * 80 + "much.",
    ],
)
def test_what_is_no_statement(text: str) -> None:
    assert list(statements(text)) == []


def test_a_table_is_a_line_a_row_on_demand() -> None:
    text = "Before\tit.\n\n| Name | Use |\n|---|:-:|\n| `a` | reads |\n\nIt ends."
    assert list(prose_lines(text)) == ["Before it.", "It ends."]
    assert list(prose_lines(text, tables=True)) == ["Before it.", "`a` – reads", "It ends."]
    assert list(sentences("Yes\n\nBecause it lasts.", short=True)) == ["Yes", "Because it lasts."]


def test_code_below_a_list_item_is_no_prose() -> None:
    text = "- It asks:\n     ```go\n     head, err := repo.Head()\n     ```\n- It ends."
    assert list(prose_lines(text)) == ["It asks:", "It ends."]


def test_lines_and_sentences() -> None:
    text = "1. **Renamed** `a` to `b`.\n\n---\n- It works now. Tests pass!\nword\n$ make test\n"
    assert list(prose_lines(text)) == ["Renamed `a` to `b`.", "It works now. Tests pass!"]
    assert list(sentences(text)) == ["Renamed `a` to `b`.", "It works now.", "Tests pass!"]


@pytest.mark.parametrize(
    ("sentence", "aim"),
    [
        ("Now let me update the lock's timeout:", "update the lock's timeout"),
        ("Good point. I'll rename the function.", "rename the function"),
        ("Let me check the tests first.", ""),
        ("The lock is held too long.", ""),
        ("Let me fix.", ""),
        (plain("I’m going to cap the retries at three."), "cap the retries at three"),
        ("Let me complete the merge and push.", ""),
        ("Agora vou renomear a função principal.", "renomear a função principal"),
    ],
)
def test_announcements_tell_what_is_done(sentence: str, aim: str) -> None:
    assert intent(sentence) == aim


def test_a_text_is_cut_anew_for_each_that_reads_it() -> None:
    text = "The till rounds once. The bank does not."
    first = sentences(text)
    assert next(first) == "The till rounds once."
    assert list(sentences(text)) == ["The till rounds once.", "The bank does not."]
    assert list(first) == ["The bank does not."]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The page of GitHub is read by JavaScript", []),
        ("CodeRabbit wrote to shops on macOS", []),
        ("The CartQueue takes maxSize rows", ["CartQueue", "maxSize"]),
        ("TypeReader and cart_of read `rows`", ["TypeReader", "cart_of", "`rows`"]),
    ],
)
def test_a_name_of_code_is_no_product(text: str, names: list[str]) -> None:
    assert CODE_NAME.findall(text) == names
