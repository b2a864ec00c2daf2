"""Compares repairs of broken statements with the intended statements."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fakes import shuffled_graph
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget, limits
from fakes.records import build_graph
from fakes.sessions import film_session
from golden.corpus import Case

from moviegraph.contract.loader import load_contract
from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.query.repair_pipeline import Fix, fix
from moviegraph.query.session import Call, Session
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import RowLimits, judge

SEEDS = (3, 11, 29, 47)
MAX_ROWS = 20_000
QUERY = "a farm boy on a desert planet"
Verdict = Literal["repaired", "left alone", "not repaired", "another question"]


@dataclass(frozen=True)
class Bench:
    """A session that repairs by rules only, and the graphs on which answers are compared."""

    session: Session
    engines: tuple[Engine, ...]

    def repair(self, sql: str) -> Fix:
        """Climb the ladder; no language model is configured."""
        return fix(self.session, Call("test"), sql=sql)

    def verdict(self, case: Case) -> Verdict:
        """Say whether the repair means what was meant."""
        repair = self.repair(case.sql)
        if repair.status == "unfixable":
            return "left alone" if case.unfixable else "not repaired"
        if case.unfixable or not self.same(repair.sql, case.meant):
            return "another question"
        return "repaired"

    def is_told_by_rows(self, case: Case) -> bool:
        """Return whether the repair differs from the intended statement, so that results decide."""
        repair = self.repair(case.sql)
        if repair.status == "unfixable" or case.unfixable:
            return False
        return self._judged(repair.sql).sql != self._judged(case.meant).sql

    def same(self, one: str, other: str) -> bool:
        """Return whether two statements are equal once validated, or return the same rows."""
        first, second = self._judged(one), self._judged(other)
        if first.sql == second.sql:
            return True
        ordered = second.tree.args.get("order") is not None
        return all(
            rows(engine, first, ordered=ordered) == rows(engine, second, ordered=ordered)
            for engine in self.engines
        )

    def _judged(self, sql: str) -> Allowed:
        decision = judge(sql, self.session.contract, RowLimits(MAX_ROWS, MAX_ROWS))
        assert not isinstance(decision, Refused), decision
        return decision


def rows(engine: Engine, allowed: Allowed, *, ordered: bool) -> Sequence[Any]:
    """Return the rows of a statement, sorted where their order means nothing."""
    space = engine.describe().space
    assert space is not None
    embedder = HashedEmbedder(space.dimensions)
    vector = embedder.embed([QUERY])[0] if allowed.uses_query else None
    result = engine.execute(Statement(allowed, vector), budget(rows=MAX_ROWS)).rows
    return list(result) if ordered else sorted(result, key=repr)


@contextmanager
def bench(folder: Path) -> Generator[Bench]:
    """Build the small graph and its shuffled kin in a folder, and open them."""
    contract = load_contract()
    with ExitStack() as stack:
        session = film_session(folder / "small", limits=limits(top=MAX_ROWS))
        stack.enter_context(closing(session.journal))
        engines: list[Engine] = [session.engine]
        for seed in SEEDS:
            source_path = folder / str(seed)
            parts = shuffled_graph.nodes(seed), shuffled_graph.edges(seed)
            build_graph(*parts, source_path, contract, HashedEmbedder(), source="dealt anew")
            engines.append(open_graph(source_path, contract))
        for engine in engines:
            stack.enter_context(closing(engine))
        yield Bench(session, tuple(engines))
