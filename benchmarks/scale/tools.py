"""What each tool takes beneath the protocol: arguments in, recorded rows out."""

from collections.abc import Callable

from benchmarks.scale.served import Served
from benchmarks.scale.shapes import TWO_HOPS
from benchmarks.scale.timing import cost
from moviegraph.retrieval import (
    fulltext,
    hybrid,
    readonly_sql,
    records,
    semantic,
    traversal,
)
from moviegraph.retrieval.session import Call

APART = 131  # between the questions of one tool and of the next: no answer is known yet
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
        "graph_traverse, path": lambda n: traversal.traverse(
            session, ask("graph_traverse"), start=[graph.film(n)], path=THEMES
        ),
        "graph_traverse, to_kind": lambda n: traversal.traverse(
            session, ask("graph_traverse"), start=[graph.film(n)], to_kind="Movie"
        ),
        "graph_traverse, to": lambda n: traversal.traverse(
            session, ask("graph_traverse"), start=[graph.film(n)], to=[graph.film(n + 77)]
        ),
        "run_readonly_sql": lambda n: readonly_sql.run(
            session, ask("run_readonly_sql"), sql=TWO_HOPS.format(film=graph.film(n))
        ),
        "get_records": lambda n: records.fetch(
            session, ask("get_records"), kind="Movie", ids=[graph.film(n)]
        ),
    }
