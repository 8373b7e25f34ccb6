"""What people are told: the sentence of each notice, operation, plan and query."""
