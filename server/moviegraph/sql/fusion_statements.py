"""T-SQL of a search that fuses ranked lists: by meaning, by words, by links, and by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.sql.statements import (
    distance,
    fulltext_source,
    head,
    id_list,
    literal,
    vector_search,
)

NEAR = 60
"""How many of the nodes that edges lead to, those nearest to the query, lend their links."""

LEAST_LIKENESS = 0.2
SHARPNESS = 6
"""A link counts by the likeness of its end to this power: the nearest few decide, no hub does."""

SAMPLE = 50
BORNE_OUT = 0.3
"""What likeness an end gains if all of the `SAMPLE` nodes nearest to the query are linked to it."""

LINKS_WEIGHT = 1.5
MOST_LINKS_WEIGHT = 2.0
MOST_EDGES = 8


@dataclass(frozen=True, slots=True)
class Link:
    """Edges of a table, the nodes they lead to, and the keys of those whose links count."""

    edge: Connection
    end: NodeTable
    keys: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Edge table and end, which tell links apart where a table connects several pairs."""
        return f"{self.edge.name} {self.end.name}"


@dataclass(frozen=True, slots=True)
class Links:
    """What nodes may be found by: their edges to what is near, and what a place by them counts."""

    each: tuple[Link, ...] = ()
    weight: float = LINKS_WEIGHT


@dataclass(frozen=True, slots=True)
class Lists:
    """How ranked lists of nodes are fused.

    `depth` places of a list count 1 / (`k` + place), those of the words `words` times as much.
    `by_index` lets a vector index make the list by meaning. Nodes `named` by the query are listed
    in any case, and gain what is given for each. `kept` are conditions that rows meet, with the
    node under the alias m.
    """

    depth: int
    k: int
    words: float = 1
    by_index: bool = False
    links: Links = Links()
    named: Mapping[int, float] = field(default_factory=dict[int, float])
    kept: Sequence[str] = ()


def links_of(contract: Contract, node: NodeTable) -> tuple[Link, ...]:
    """Return the edges that leave a kind of node, as many as a statement holds.

    Those whose names end its text come first.
    """
    in_text = {edge.name for edge in contract.edges if edge.in_text}
    leaving = [way for way in contract.connections if way.from_table == node.name]
    leaving.sort(key=lambda way: way.name not in in_text)
    ends = [(way, contract.node(way.to_table)) for way in leaving]
    return tuple(Link(edge, end) for edge, end in ends if end)[:MOST_EDGES]


def near_ends(links: Sequence[Link], top: int = NEAR) -> str:
    """Return link, key and likeness of the nodes nearest to @q among those that edges lead to."""
    branches = (
        f"SELECT b.Link, b.Id, b.Likeness FROM (SELECT TOP ({top}) {_end(link)}\n"
        f"    FROM {link.end.name} AS c WHERE c.{link.end.vector} IS NOT NULL\n"
        f"    ORDER BY {distance(link.end, 'c')}, c.{link.end.key}) AS b"
        for link in links
    )
    return _nearest_ends(branches, top, f"WHERE a.Likeness >= {LEAST_LIKENESS} ")


def nearest_likeness(node: NodeTable) -> str:
    """Return the likeness of the node of a kind that is nearest to @q."""
    return (
        f"SELECT TOP (1) 1 - {distance(node, 'c')} AS Likeness\n"
        f"FROM {node.name} AS c WHERE c.{node.vector} IS NOT NULL\n"
        f"ORDER BY {distance(node, 'c')}, c.{node.key}"
    )


def ends_of(
    node: NodeTable, links: Sequence[Link], examples: Sequence[int], top: int = NEAR
) -> str:
    """Return link, key and likeness of what nodes are linked to, the nearest to @q."""
    meant = f"x.{node.key} IN {id_list(examples)}"
    branches = (
        f"SELECT {_end(link)}\n    FROM {_walked(node, link)} AND {meant}" for link in links
    )
    return _nearest_ends(branches, top)


def _nearest_ends(branches: Iterable[str], top: int, where: str = "") -> str:
    return (
        f"SELECT TOP ({top}) a.Link, a.Id, a.Likeness\n"
        "FROM (" + "\n  UNION ALL ".join(branches) + ") AS a\n"
        f"{where}ORDER BY a.Likeness DESC, a.Link, a.Id"
    )


def _end(link: Link) -> str:
    likeness = f"1 - {distance(link.end, 'c')} AS Likeness"
    return f"{literal(link.name)} AS Link, c.{link.end.key} AS Id, {likeness}"


def _walked(node: NodeTable, link: Link) -> str:
    tables = f"{node.name} AS x, {link.edge.name} AS e, {link.end.name} AS c"
    return f"{tables} WHERE MATCH(x-(e)->c)"


def fused_nodes(node: NodeTable, keywords: str, top: int, lists: Lists) -> str:
    """Return the nodes of ranked lists fused by reciprocal rank, each with its place in them."""
    parts = ",\n".join(
        (
            _by_meaning(node, lists),
            _by_words(node, keywords, lists.depth),
            *_by_links(node, lists),
            _fused(node, lists),
        )
    )
    found = ", ".join(f"f.{name}" for name in ("Score", *_found(lists)))
    return (
        f"WITH {parts}\n"
        f"SELECT TOP ({top}) {', '.join(head(node))}, {found}, n.{node.text}\n"
        f"FROM fused AS f JOIN {node.name} AS n ON n.{node.key} = f.Id\n{_kept(node, lists.kept)}"
        f"ORDER BY f.Score DESC, n.{node.key}"
    )


def _found(lists: Lists) -> tuple[str, ...]:
    linked = ("GraphRank", "LinkedTo") if lists.links.each else ()
    return ("SemanticRank", "FulltextRank", *linked)


def _by_meaning(node: NodeTable, lists: Lists) -> str:
    nearest = _nearest_by_index if lists.by_index else _nearest
    return (
        "by_meaning AS (SELECT d.Id, d.Distance,\n"
        "  ROW_NUMBER() OVER (ORDER BY d.Distance, d.Id) AS Place FROM\n"
        f"  ({nearest(node, lists.depth)}) AS d)"
    )


def _nearest_by_index(node: NodeTable, depth: int) -> str:
    return (
        f"SELECT TOP ({depth}) WITH APPROXIMATE n.{node.key} AS Id, s.distance AS Distance\n"
        f"  FROM {vector_search(node)}\n"
        "  ORDER BY s.distance"
    )


def _nearest(node: NodeTable, depth: int) -> str:
    return (
        f"SELECT TOP ({depth}) n.{node.key} AS Id, {distance(node)} AS Distance\n"
        f"  FROM {node.name} AS n WHERE n.{node.vector} IS NOT NULL\n"
        f"  ORDER BY {distance(node)}, n.{node.key}"
    )


def _by_words(node: NodeTable, keywords: str, depth: int) -> str:
    return (
        f"by_words AS (SELECT TOP ({depth}) n.{node.key} AS Id,\n"
        f"  ROW_NUMBER() OVER (ORDER BY k.[RANK] DESC, n.{node.key}) AS Place\n"
        f"  FROM {fulltext_source(node, 'FREETEXTTABLE', keywords)}\n"
        f"  JOIN {node.name} AS n ON n.{node.key} = k.[KEY]\n"
        f"  ORDER BY k.[RANK] DESC, n.{node.key})"
    )


def _by_links(node: NodeTable, lists: Lists) -> Iterator[str]:
    """Yield the links to what is near, and the list of the nodes that have them.

    An end to which many of the nearest nodes are linked counts as nearer than its own text says;
    ends of one name and distance are one. Nodes whose links count alike stand in the order of
    their own distance.
    """
    if not lists.links.each:
        return
    branches = "\n  UNION ALL ".join(_linked(node, link) for link in lists.links.each)
    yield f"linked (Id, LinkedTo, Distance) AS ({branches})"
    yield (
        f"lifted AS (SELECT l.Id, l.LinkedTo, 1 - l.Distance + {BORNE_OUT / SAMPLE} *\n"
        "  COUNT(a.Id) OVER (PARTITION BY l.LinkedTo, l.Distance) AS Likeness\n"
        f"  FROM linked AS l LEFT JOIN by_meaning AS a ON a.Id = l.Id AND a.Place <= {SAMPLE})"
    )
    yield (
        "by_links AS (SELECT s.Id, s.LinkedTo,\n"
        f"  ROW_NUMBER() OVER (ORDER BY s.Share DESC, COALESCE({distance(node)}, 2), s.Id)"
        " AS Place FROM\n"
        "  (SELECT l.Id, l.LinkedTo,\n"
        f"  ROUND(SUM(POWER(l.Likeness, {SHARPNESS})) OVER (PARTITION BY l.Id), 9) AS Share,\n"
        "  ROW_NUMBER() OVER (PARTITION BY l.Id ORDER BY l.Likeness DESC, l.LinkedTo) AS Nth\n"
        f"  FROM lifted AS l) AS s JOIN {node.name} AS n ON n.{node.key} = s.Id WHERE s.Nth = 1)"
    )


def _linked(node: NodeTable, link: Link) -> str:
    end = link.end
    return (
        f"SELECT x.{node.key}, {literal(f'{end.name}: ')} + c.{end.label},\n"
        f"    {distance(end, 'c')}\n"
        f"    FROM {_walked(node, link)} AND c.{end.key} IN {id_list(link.keys)}"
    )


def _fused(node: NodeTable, lists: Lists) -> str:
    """Return each node once; of the first two lists each column has a type that NULL takes on."""
    branches = "\n  UNION ALL ".join(_shares(node, lists))
    ranks = [f"MIN(r.{name}) AS {name}" for name in _found(lists)]
    return (
        f"fused AS (SELECT r.Id, ROUND(SUM(r.Share), 6) AS Score, {', '.join(ranks)} FROM\n"
        f"  ({branches}) AS r (Id, Share, {', '.join(_found(lists))}) GROUP BY r.Id)"
    )


def _shares(node: NodeTable, lists: Lists) -> Iterator[str]:
    """Yield the places of each list, with their share of the score."""
    found = _found(lists)
    share = f"CAST(1 AS FLOAT) / ({lists.k} +"
    if lists.links.each:
        weighed = f"{lists.links.weight:.3f} * {share} g.Place)"
        places = {"GraphRank": "g.Place", "LinkedTo": "g.LinkedTo"}
        yield _branch(found, "by_links AS g", "g.Id", weighed, places)
    yield _branch(
        found, "by_meaning AS a", "a.Id", f"{share} a.Place)", {"SemanticRank": "a.Place"}
    )
    words = f"{lists.words} * {share} b.Place)"
    yield _branch(found, "by_words AS b", "b.Id", words, {"FulltextRank": "b.Place"})
    if lists.named:
        key = f"n.{node.key}"
        source = f"{node.name} AS n WHERE {key} IN {id_list(lists.named)}"
        yield _branch(found, source, key, _gain(key, lists.named), {})


def _gain(key: str, named: Mapping[int, float]) -> str:
    gains = set(named.values())
    if len(gains) == 1:
        return f"CAST({gains.pop()!r} AS FLOAT)"
    each = " ".join(f"WHEN {of} THEN {gain!r}" for of, gain in named.items())
    return f"CAST(CASE {key} {each} END AS FLOAT)"


def _branch(
    found: Sequence[str], source: str, key: str, share: str, places: Mapping[str, str]
) -> str:
    columns = ", ".join(places.get(name, "NULL") for name in found)
    return f"SELECT {key}, {share}, {columns}\n    FROM {source}"


def _kept(node: NodeTable, conditions: Sequence[str]) -> str:
    if not conditions:
        return ""
    met = " AND ".join(f"({each})" for each in conditions)
    return f"WHERE n.{node.key} IN (SELECT m.{node.key} FROM {node.name} AS m WHERE {met})\n"
