"""Sessions over small graphs, with a hashed embedder and a journal in memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import budget, limits
from fakes.records import build_graph
from fakes.scripted_engine import ScriptedEngine
from fakes.small_graph import edges, nodes
from fakes.toy_graph import build_toy_graph, toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine, ResultSet, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import AliasRecord, EdgeRecord, NodeRecord, node_columns
from moviegraph.journal.execution_records import Execution
from moviegraph.loading.aliases import read_alias_rows, resolve_aliases
from moviegraph.loading.row_validation import Rejects
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Limits, Session
from moviegraph.settings import content_folder
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge
from moviegraph.strategies import expansion
from moviegraph_tools import TOOLS


def film_session(folder: Path, more: Sequence[NodeRecord] = (), **changes: Any) -> Session:
    contract, films = load_contract(), [*nodes(), *more]
    aliases = bundled_aliases(films, contract)
    embedder = HashedEmbedder()
    build_graph(films, edges(), folder, contract, embedder, source="made by hand", aliases=aliases)
    engine = open_graph(folder, contract)
    made: dict[str, Any] = {"limits": limits(), **changes}
    return Session(contract, engine, HashedEmbedder(), MemoryJournal(), **made)


def bundled_aliases(nodes: Sequence[NodeRecord], contract: Contract) -> list[AliasRecord]:
    """Return those aliases of the bundled films that nodes of a small graph have."""
    rows = read_alias_rows(content_folder("data") / "aliases.jsonl", contract, Rejects())
    return resolve_aliases(rows, node_columns(contract, nodes), {}, Rejects())


def kitchen_session(folder: Path, *, hub_cut: int = 6) -> Session:
    contract = toy_contract()
    engine = open_graph(build_toy_graph(folder), contract)
    changed = contract.limits.model_copy(update={"hub_cut": hub_cut})
    contract = contract.model_copy(update={"limits": changed})
    return Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())


def made_session(folder: Path, nodes: Sequence[NodeRecord], edges: Sequence[EdgeRecord]) -> Session:
    """Return a session over a graph of the movie contract, whose vectors tell words apart."""
    contract, embedder = load_contract(), HashedEmbedder(512)
    aliases = bundled_aliases(nodes, contract)
    build_graph(nodes, edges, folder, contract, embedder, source="made", aliases=aliases)
    return Session(
        contract, open_graph(folder, contract), embedder, MemoryJournal(), limits(top=60)
    )


def scripted_session(
    result: ResultSet | Exception | None, within: Limits | None = None
) -> tuple[Session, ScriptedEngine]:
    engine = ScriptedEngine(result)
    session_engine: Engine = engine
    session = Session(
        load_contract(), session_engine, HashedEmbedder(), MemoryJournal(), within or limits()
    )
    return session, engine


def query_graph(folder: Path, sql: str, contract: Contract | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of a statement over a graph folder, by default with the built-in contract."""
    contract = contract or load_contract()
    allowed = judge(sql, contract)
    assert isinstance(allowed, Allowed)
    engine = open_graph(folder, contract)
    try:
        execute = engine.execute(Statement(allowed), budget())
        return [tuple(row) for row in execute.rows]
    finally:
        engine.close()


def call(tool: str = "test") -> Call:
    return Call(tool)


def expand(session: Session, call: Call, **arguments: Any) -> Rows:
    """Expand an execution as the tool does, without checks of the arguments."""
    repeats = {tool.name: tool.repeat for tool in TOOLS if tool.repeatable}
    return expansion.expand(session, call, repeats, **arguments)


def recorded(session: Session, rows: Rows) -> Execution:
    position = session.journal.find("local", rows.execution_id)
    assert position is not None
    return position


def last_recorded(session: Session) -> Execution:
    return session.journal.recent("local", 1)[0]


def column(rows: Rows, name: str) -> list[Any]:
    at = rows.columns.index(name)
    return [row[at] for row in rows.rows]
