from __future__ import annotations

import pytest

from store.capture.prose import intent, prose_lines, rules, sentences, statements
from store.model import Category


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("We decided to keep one file for each issue.", Category.DECISION),
        ("I went with orjson because it is the fastest here.", Category.DECISION),
        ("We'll use files instead of a database for the record.", Category.DECISION),
        ("Decidimos usar SSE em vez de WebSockets no painel.", Category.DECISION),
        ("Optamos por manter o formato antigo dos arquivos.", Category.DECISION),
        ("The root cause was a stale lock left by the old process.", Category.LESSON),
        ("It turns out that the index is rebuilt on each start.", Category.LESSON),
        ("Aprendemos que o cache precisa ser limpo antes do teste.", Category.LESSON),
        ("O problema era a ordem dos imports no módulo de rede.", Category.LESSON),
        ("Note: the server closes idle connections after 30 seconds.", Category.LESSON),
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
        "We decided to " + "very " * 80 + "much.",
    ],
)
def test_what_is_no_statement(text: str) -> None:
    assert list(statements(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Always run the linter before you commit.",
        "never touch the generated files",
        "Please don't use mocks in the integration tests.",
        "From now on write the tests first.",
        "use pathlib instead of os.path",
        "Nunca altere os arquivos gerados.",
        "Sempre rode os testes antes do commit.",
        "por favor, não use mocks aqui",
    ],
)
def test_rules_of_people_are_found(text: str) -> None:
    assert list(rules(f"I looked at it.\n\n{text}")) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "why does it always fail?",
        "never mind, it works",
        "```\nalways run this\n```",
        'it prints "always run this first" twice',
        "looks good to me",
    ],
)
def test_what_is_no_rule(text: str) -> None:
    assert list(rules(text)) == []


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
        ("Agora vou renomear a função principal.", "renomear a função principal"),
    ],
)
def test_announcements_tell_what_is_done(sentence: str, aim: str) -> None:
    assert intent(sentence) == aim
