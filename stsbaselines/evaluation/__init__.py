"""One system: predict, check, score, compare, explain a number."""
