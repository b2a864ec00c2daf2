"""A generated graph that is served: its session, and words and nodes to ask for."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.scale.generated_graph import SEED, SeededEmbedder, Writer
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Caps, Session
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Served:
    """One open graph.

    `words` are those of the texts, by frequency; `films` is the number of films, whose ids are 1
    to that number.
    """

    folder: Path
    contract: Contract
    engine: EmbeddedEngine
    session: Session
    words: list[str]
    films: int

    def text(self, number: int) -> str:
        """Return a text of five words that are neither frequent nor rare, another each time."""
        return " ".join(self.words[100 + (number * 7 + at * 53) % 6_007] for at in range(5))

    def word(self, number: int) -> str:
        """Return a word that about one text of 200 holds."""
        return self.words[1_000 + (number * 11) % 500]

    def film(self, number: int) -> int:
        """Return a film, another each time."""
        return 1 + (number * 7_919 + 13) % self.films

    def statement(self, sql: str, number: int) -> Statement:
        """Judge a statement and give it a vector of its own."""
        decision = judge(sql, self.contract)
        assert isinstance(decision, Allowed), decision
        vector = self.session.embedder.embed([self.text(number)])[0]
        return Statement(decision, vector if decision.uses_query else None)

    def run(self, statement: Statement) -> ResultSet:
        """Run a judged statement on the engine."""
        return self.engine.execute(statement, Budget(seconds=SECONDS))


@contextmanager
def served(folder: Path, contract: Contract, journal: Path) -> Generator[Served]:
    """Open a generated graph with everything that a tool needs."""
    words = Writer(np.random.default_rng(SEED)).words
    with (
        closing(open_graph(folder, contract, cache_bytes=0)) as engine,
        closing(SqliteJournal(journal)) as store,
    ):
        caps = Caps(timeout=SECONDS, total_timeout=SECONDS)
        session = Session(contract, engine, SeededEmbedder(), store, caps)
        films = engine.describe().counts["Movie"]
        yield Served(folder, contract, engine, session, words, films)
