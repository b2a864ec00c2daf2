"""Generated graph with an open session, and arguments for calls."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.budgets import budget
from benchmarks.scale.generated_graph import SEED, SeededEmbedder, TextGenerator
from moviegraph.contract.model import Contract
from moviegraph.engines.base import ResultSet, Statement
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.opening import session_limits
from moviegraph.query.session import Session
from moviegraph.settings import Settings
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class ServedGraph:
    """One open graph.

    `words` are the words of the texts by frequency; the ids of films are 1 to `films`.
    """

    folder: Path
    contract: Contract
    engine: EmbeddedEngine
    session: Session
    words: list[str]
    films: int

    def text(self, number: int) -> str:
        """Return a text of five words that are neither frequent nor rare, different each time."""
        return " ".join(self.words[100 + (number * 7 + index * 53) % 6_007] for index in range(5))

    def word(self, number: int) -> str:
        """Return a word of about one text in 200."""
        return self.words[1_000 + (number * 11) % 500]

    def film(self, number: int) -> int:
        """Return a film id, different each time."""
        return 1 + (number * 7_919 + 13) % self.films

    def statement(self, sql: str, number: int) -> Statement:
        """Return the validated statement with a separate vector."""
        decision = judge(sql, self.contract)
        assert isinstance(decision, Allowed), decision
        vector = self.session.embedder.embed([self.text(number)])[0]
        return Statement(decision, vector if decision.uses_query else None)

    def run(self, statement: Statement) -> ResultSet:
        """Run a validated statement on the engine."""
        return self.engine.execute(statement, budget(seconds=SECONDS))


@contextmanager
def open_served_graph(folder: Path, contract: Contract, journal: Path) -> Generator[ServedGraph]:
    """Open a generated graph with everything that tools need."""
    words = TextGenerator(np.random.default_rng(SEED)).words
    with (
        closing(open_graph(folder, contract)) as engine,
        closing(SqliteJournal(journal)) as store,
    ):
        usual = session_limits(Settings(), contract)
        limits = replace(usual, timeout=SECONDS, total_timeout=SECONDS)
        session = Session(contract, engine, SeededEmbedder(), store, limits)
        films = engine.describe().counts["Movie"]
        yield ServedGraph(folder, contract, engine, session, words, films)
