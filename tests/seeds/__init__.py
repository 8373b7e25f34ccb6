"""The clauses of the five documents behind memtui, run one by one from outside.

`clauses.txt` numbers them, `not_run.txt` names those that no test can run, with the reason;
`test_complete.py` says how far the work has come. A test
`test_000_26_…` runs clause 000-26. Documents: 000 SPEC-29, 001 ADR-29, 002 the five-layer memory,
003 ADR-1 (clarifications), 004 the evolving memory.
"""
