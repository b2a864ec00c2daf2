"""An engine as far as it has its answers at hand: it computes nothing and waits for nothing."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from moviegraph.at_hand import NotAtHand
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement
from moviegraph.engines.graph_reader import GraphReader
from moviegraph.engines.kept_results import KeptResults, result_key
from moviegraph.engines.known_names import KnownNames

MOST_CELLS = 2_000
"""Of a result: making a larger one ready for its client would hold up the others."""


class EngineAtHand:
    """Gives the results that are kept, and who bears a name; for the rest it raises NotAtHand."""

    def __init__(self, kept: KeptResults, names: KnownNames, description: Description) -> None:
        self._kept = kept
        self._names = names
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

    def bearers(self, table: str, names: Sequence[str]) -> Mapping[str, Sequence[int]] | None:
        """Return the keys of all nodes that bear each name; None for a large table."""
        if self._names.is_large(table):
            return None
        if not self._names.at_hand(table):
            raise NotAtHand
        return self._names.found(table, names)

    def close(self) -> None:
        """Do nothing: the engine closes what is its own."""
