"""Sentences for people: of each notice, operation, plan and query."""
