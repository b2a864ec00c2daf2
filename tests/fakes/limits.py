"""Limits of tests: those of the settings, with ten times the time, for a machine under load."""

from dataclasses import replace
from typing import Any

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Cancellation
from moviegraph.query.opening import session_limits
from moviegraph.query.session import Limits
from moviegraph.settings import Settings

SECONDS = 150.0


def limits(contract: Contract | None = None, **changes: Any) -> Limits:
    """Return the limits of a session."""
    usual = session_limits(Settings(), contract or load_contract())
    return replace(usual, **{"timeout": SECONDS, "total_timeout": 3 * SECONDS, **changes})


def budget(
    *,
    rows: int = 60,
    bytes: int = 200_000,
    cell: int = 20_000,
    seconds: float = SECONDS,
    cancellation: Cancellation | None = None,
) -> Budget:
    """Return the budget of a statement."""
    return Budget(rows, bytes, cell, seconds, cancellation or Cancellation())
