"""Films of another graph asked for by the plots of the box: truth without a label of ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.retrieval.measures import first, interval, recall, reciprocal
from benchmarks.retrieval.queries import Query
from benchmarks.retrieval.systems import HYBRID, MEANING, SYSTEMS, WORDS, answers
from moviegraph.content import content_folder
from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.loading.preparation import Preparation, prepare, sentences
from moviegraph.loading.rejects import Rejects
from moviegraph.query.recorder import CallRecorder
from moviegraph.query.session import Call, Session
from moviegraph.search.statements import literal

SENTENCES = 2
FIGURES = {"recall@10": recall, "mrr": reciprocal, "r@1": first}


@dataclass(frozen=True, slots=True)
class KnownItem:
    """The first two sentences of a plot in the box, and the films of its title and year."""

    text: str
    relevant: set[int]


def known_items(session: Session, contract: Contract) -> Iterator[KnownItem]:
    """Yield what to ask of the graph: each film of the box that it holds under the same title."""
    nodes = prepare(content_folder("data"), contract, Rejects(), Preparation(enrich=False)).nodes
    for film in (node for node in nodes if node.kind == "Movie"):
        relevant = _same(session, film)
        if relevant:
            yield KnownItem(_beginning(film.content), relevant)


def measured(session: Session, contract: Contract) -> dict[str, Any]:
    """Ask for every known item, and return the figures of each system."""
    items = list(known_items(session, contract))
    listed = [answers(session, Query("known item", item.text)) for item in items]
    by_key: dict[str, Any] = {"queries": len(items)}
    for system in SYSTEMS:
        pairs = [(of[system], item.relevant) for of, item in zip(listed, items, strict=True)]
        by_key[system] = {
            name: round(fmean(figure(*pair) for pair in pairs), 3)
            for name, figure in FIGURES.items()
        }
    hits = {
        system: [recall(of[system], item.relevant) for of, item in zip(listed, items, strict=True)]
        for system in (HYBRID, WORDS, MEANING)
    }
    by_key["recall@10 gained"] = {
        f"{HYBRID} minus {other}": interval(hits[HYBRID], hits[other]) for other in (WORDS, MEANING)
    }
    return by_key


def _same(session: Session, film: NodeRecord) -> set[int]:
    year = film.values.get("ReleaseYear")
    if year is None:
        return set()
    sql = (
        f"SELECT m.Id FROM Movie AS m WHERE m.Name = {literal(film.name)} "
        f"AND m.ReleaseYear = {int(year)} ORDER BY m.Id"
    )
    with CallRecorder(session, Call("benchmark"), "{}") as recording:
        return {row[0] for row in recording.read(sql)}


def _beginning(plot: str) -> str:
    parts = [plot[start:end] for start, end in sentences(plot)]
    return "".join(parts[:SENTENCES]).strip()
