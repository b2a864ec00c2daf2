"""Cost of each tool without the protocol, journal included."""

from collections.abc import Callable

from benchmarks.scale.served_graph import ServedGraph
from benchmarks.scale.shapes import NEAREST, TWO_HOPS, WORD, cost
from moviegraph.query import readonly_sql, repair_pipeline
from moviegraph.query.session import Call
from moviegraph.search import fulltext, hybrid, planning, records, semantic
from moviegraph.search.traverse import traverse
from moviegraph.strategies import expansion
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

NUMBERS_PER_TOOL = 131  # so that no two tools use the same arguments
EXPANDED_FROM = 5_000  # number of the first execution to expand
THEMES = ["INCLUDES_THEME", "INCLUDES_THEME"]


def tools(graph: ServedGraph, *, rounds: int = 7) -> dict[str, dict[str, float]]:
    """Return the cost of each call with different arguments each time."""
    return {
        name: cost(lambda n, run=run, i=index: run(NUMBERS_PER_TOOL * i + n), rounds).rounded()
        for index, (name, run) in enumerate(calls(graph).items(), 1)
    }


def calls(graph: ServedGraph) -> dict[str, Callable[[int], object]]:
    """Return the calls by name."""
    session = graph.session
    earlier = execution_ids(graph, range(EXPANDED_FROM, EXPANDED_FROM + 10))

    def year(number: int) -> str:
        return f"ReleaseYear >= {1960 + number % 20}"

    return {
        "embedding alone": lambda n: session.embedder.embed([graph.text(n)]),
        "semantic_search": lambda n: semantic.search(
            session, Call("semantic_search"), query=graph.text(n)
        ),
        "semantic_search, where": lambda n: semantic.search(
            session, Call("semantic_search"), query=graph.text(n), where=year(n)
        ),
        "semantic_search, word": lambda n: semantic.search(
            session,
            Call("semantic_search"),
            query=graph.text(n),
            where=f"CONTAINS(Content, '{graph.word(n)}')",
        ),
        "fulltext_search": lambda n: fulltext.search(
            session, Call("fulltext_search"), query=graph.text(n), mode="freetext"
        ),
        "hybrid_search": lambda n: hybrid.search(
            session, Call("hybrid_search"), query=graph.text(n)
        ),
        "graph_traverse, path": lambda n: traverse(
            session, Call("graph_traverse"), start=[graph.film(n)], path=THEMES
        ),
        "graph_traverse, to_kind": lambda n: traverse(
            session, Call("graph_traverse"), start=[graph.film(n)], to_kind="Movie"
        ),
        "graph_traverse, to": lambda n: traverse(
            session, Call("graph_traverse"), start=[graph.film(n)], to=[graph.film(n + 77)]
        ),
        "run_readonly_sql": lambda n: readonly_sql.run(
            session, Call("run_readonly_sql"), sql=TWO_HOPS.format(film=graph.film(n))
        ),
        "get_records": lambda n: records.fetch(
            session, Call("get_records"), kind="Movie", ids=[graph.film(n)]
        ),
        "get_planning_context": lambda n: planning.context(
            session, Call("get_planning_context"), question=graph.text(n)
        ),
        "run_strategies, three": lambda n: strategies.run(
            session, Call("run_strategies"), question=graph.text(n), strategies=plan(graph, n)
        ),
        "expand_strategy": lambda n: expansion.expand(
            session, Call("expand_strategy"), {}, execution_id=earlier[n % len(earlier)]
        ),
        "fix_sql": lambda n: repair_pipeline.fix(
            session,
            Call("fix_sql"),
            sql=TWO_HOPS.format(film=graph.film(n)).replace("FROM", "FORM"),
        ),
    }


def plan(graph: ServedGraph, number: int) -> tuple[Strategy, ...]:
    """Return three strategies: semantic, by a word, and over themes."""
    return (
        Strategy("meaning", "Semantic", graph.text(number), NEAREST),
        Strategy("word", "By a word", None, WORD.format(word=graph.word(number))),
        Strategy("themes", "By themes", None, TWO_HOPS.format(film=graph.film(number))),
    )


def execution_ids(graph: ServedGraph, numbers: range) -> list[str]:
    """Run statements; return the ids of their executions."""
    return [
        readonly_sql.run(
            graph.session, Call("run_readonly_sql"), sql=WORD.format(word=graph.word(number))
        ).execution_id
        for number in numbers
    ]
