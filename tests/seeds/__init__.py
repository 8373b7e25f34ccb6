"""The clauses of the five documents behind memtui, run one by one from outside.

`clauses.txt` numbers them, `not_run.txt` names those that no test can run, with the reason;
`test_complete.py` holds that none is missing. A test `test_000_26_45_…` runs the clauses 000-26 and
000-45; where `different` follows, it runs what memtui does in their place, for the reason in
docs/seeds.md.
Documents: 000 SPEC-29, 001 ADR-29, 002 the five-layer memory, 003 ADR-1 (clarifications), 004 the
evolving memory.
"""
