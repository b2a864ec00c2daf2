"""An engine as far as it has its answers at hand: it computes nothing and waits for nothing."""

from contextlib import AbstractContextManager

from moviegraph.at_hand import NotAtHand
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement
from moviegraph.engines.graph_reader import GraphReader
from moviegraph.engines.kept_results import KeptResults, result_key

MOST_CELLS = 2_000
"""Of a result: making a larger one ready for its client would hold up the others."""


class EngineAtHand:
    """Gives the results that are kept; for the rest it raises NotAtHand."""

    def __init__(self, kept: KeptResults, description: Description) -> None:
        self._kept = kept
        self._description = description

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Return the result that is kept."""
        budget.cancellation.check()
        known = self._kept.find(result_key(statement, budget))
        if known is None or len(known.rows) * len(known.columns) > MOST_CELLS:
            raise NotAtHand
        return known

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Raise NotAtHand."""
        raise NotAtHand

    def reader(self, budget: Budget) -> AbstractContextManager[GraphReader]:
        """Raise NotAtHand."""
        raise NotAtHand

    def describe(self) -> Description:
        """Return counts, identity and capabilities."""
        return self._description

    def close(self) -> None:
        """Do nothing: the engine closes what is its own."""
