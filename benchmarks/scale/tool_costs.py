"""What each tool takes beneath the protocol: arguments in, recorded rows out."""

from collections.abc import Callable

from benchmarks.scale.served_graph import Served
from benchmarks.scale.shapes import NEAREST, TWO_HOPS, WORD, cost
from moviegraph.query import diagnosis, readonly_sql
from moviegraph.query.session import Call
from moviegraph.search import fulltext, hybrid, planning, records, semantic
from moviegraph.search.traverse import traverse
from moviegraph.strategies import expansion
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

APART = 131  # between the questions of one tool and of the next: no answer is known yet
FIRST = 5_000  # of the questions whose executions are expanded
THEMES = ["INCLUDES_THEME", "INCLUDES_THEME"]


def tools(graph: Served, *, rounds: int = 7) -> dict[str, dict[str, float]]:
    """Return the cost of each call, another question each time."""
    return {
        name: cost(lambda n, run=run, at=at: run(APART * at + n), rounds).rounded()
        for at, (name, run) in enumerate(calls(graph).items(), 1)
    }


def calls(graph: Served) -> dict[str, Callable[[int], object]]:
    """Return the calls by name."""
    session = graph.session
    earlier = ran(graph, range(FIRST, FIRST + 10))

    def ask(tool: str) -> Call:
        return Call(tool)

    def year(number: int) -> str:
        return f"ReleaseYear >= {1960 + number % 20}"

    return {
        "embedding alone": lambda n: session.embedder.embed([graph.text(n)]),
        "semantic_search": lambda n: semantic.search(
            session, ask("semantic_search"), query=graph.text(n)
        ),
        "semantic_search, where": lambda n: semantic.search(
            session, ask("semantic_search"), query=graph.text(n), where=year(n)
        ),
        "semantic_search, word": lambda n: semantic.search(
            session,
            ask("semantic_search"),
            query=graph.text(n),
            where=f"CONTAINS(Content, '{graph.word(n)}')",
        ),
        "fulltext_search": lambda n: fulltext.search(
            session, ask("fulltext_search"), query=graph.text(n), mode="freetext"
        ),
        "hybrid_search": lambda n: hybrid.search(
            session, ask("hybrid_search"), query=graph.text(n)
        ),
        "graph_traverse, path": lambda n: traverse(
            session, ask("graph_traverse"), start=[graph.film(n)], path=THEMES
        ),
        "graph_traverse, to_kind": lambda n: traverse(
            session, ask("graph_traverse"), start=[graph.film(n)], to_kind="Movie"
        ),
        "graph_traverse, to": lambda n: traverse(
            session, ask("graph_traverse"), start=[graph.film(n)], to=[graph.film(n + 77)]
        ),
        "run_readonly_sql": lambda n: readonly_sql.run(
            session, ask("run_readonly_sql"), sql=TWO_HOPS.format(film=graph.film(n))
        ),
        "get_records": lambda n: records.fetch(
            session, ask("get_records"), kind="Movie", ids=[graph.film(n)]
        ),
        "get_planning_context": lambda n: planning.context(
            session, ask("get_planning_context"), question=graph.text(n)
        ),
        "run_strategies, three": lambda n: strategies.run(
            session, ask("run_strategies"), question=graph.text(n), strategies=plan(graph, n)
        ),
        "expand_strategy": lambda n: expansion.expand(
            session, ask("expand_strategy"), execution_id=earlier[n % len(earlier)]
        ),
        "fix_sql": lambda n: diagnosis.fix(
            session, ask("fix_sql"), sql=TWO_HOPS.format(film=graph.film(n)).replace("FROM", "FORM")
        ),
    }


def plan(graph: Served, number: int) -> tuple[Strategy, ...]:
    """Return a plan of three: by meaning, by a word, and over themes."""
    return (
        Strategy("meaning", "By meaning", graph.text(number), NEAREST),
        Strategy("word", "By a word", None, WORD.format(word=graph.word(number))),
        Strategy("themes", "By themes", None, TWO_HOPS.format(film=graph.film(number))),
    )


def ran(graph: Served, numbers: range) -> list[str]:
    """Run statements, and return the ids of their executions."""
    return [
        readonly_sql.run(
            graph.session, Call("run_readonly_sql"), sql=WORD.format(word=graph.word(number))
        ).execution_id
        for number in numbers
    ]
