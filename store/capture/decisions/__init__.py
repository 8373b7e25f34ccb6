"""What was settled: in answers, options, words and plans."""
