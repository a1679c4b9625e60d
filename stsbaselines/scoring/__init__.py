"""The official measures: pure functions on arrays."""
