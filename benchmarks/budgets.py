"""Budgets of statements that a benchmark runs on an engine, without a session."""

from moviegraph.engines.base import Budget


def budget(rows: int = 60, seconds: float = 15.0) -> Budget:
    """Return a budget of rows and seconds, with the usual bytes."""
    return Budget(rows=rows, bytes=200_000, cell=20_000, seconds=seconds)
