"""T-SQL of graph traversal: routes become MATCH branches under one UNION ALL.

A branch ends at `n`; around the branches the node that is returned is `m`, so that a caller's
condition, which is placed at `n`, applies to the nodes reached.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.sql.routes import Route
from moviegraph.sql.statements import case, distance, head, id_list, literal
from moviegraph.sql.walks import Branch, Walk, touching

# Less than what the gate reads: rendering adds brackets, and a caller's condition is placed in
# every branch. A table has a schema then, and a branch may number its ways.
MOST_CHARACTERS = 4_000
MOST_TOKENS = 1_000
TOKENS_OF_TABLE = 2
TOKENS_OF_BRANCH = 40
MOST_TABLES = 36
TOKEN = re.compile(r"\w+|[^\w\s]")
TABLE = re.compile(r" AS (?:s|[ne]\d*|x|y)\b")


def packed(walk: Walk, routes: Iterable[Route], *, condition: str = "") -> list[list[Route]]:
    """Divide routes into groups of which each fits into one statement."""
    packs: list[list[Route]] = []
    characters = tokens = tables = 0
    for route in routes:
        branch = Branch(walk, route)
        text = branch.clauses() + branch.via + condition
        listed = len(TABLE.findall(branch.clauses()))
        written = len(TOKEN.findall(text)) + TOKENS_OF_TABLE * listed + TOKENS_OF_BRANCH
        size = (len(text), written, listed)
        characters, tokens, tables = characters + size[0], tokens + size[1], tables + size[2]
        full = characters > MOST_CHARACTERS or tokens > MOST_TOKENS or tables > MOST_TABLES
        if full or not packs:
            packs.append([])
            characters, tokens, tables = size
        packs[-1].append(route)
    return packs


def counted(walk: Walk, routes: Sequence[Route]) -> str:
    """Return a derived table r(Id, Ways, Hops): the nodes reached, and by how many ways."""
    branches = [
        f"SELECT {each.end} AS Id, COUNT(*) AS Ways, {each.last} AS Hops\n"
        f"  {each.clauses()}\n  GROUP BY {each.end}"
        for each in (Branch(walk, route) for route in routes)
    ]
    return (
        "(SELECT w.Id, SUM(w.Ways) AS Ways, MIN(w.Hops) AS Hops FROM (\n  "
        + "\n  UNION ALL\n  ".join(branches)
        + ") AS w GROUP BY w.Id) AS r"
    )


def similarity_to_query(node: NodeTable) -> str:
    """Return the similarity of `m` to @q."""
    return f"ROUND(1 - {distance(node, 'm')}, 4)"


def similarity_to_starts(walk: Walk, node: NodeTable, start: NodeTable, norm: float) -> str:
    """Return the similarity of `m` to the mean of the start vectors.

    The mean of the cosines to unit vectors, divided by the length of their mean, is the cosine to
    that mean.
    """
    cosine = f"1 - VECTOR_DISTANCE('cosine', m.{node.vector}, a.{start.vector})"
    mean = (
        f"(SELECT AVG({cosine}) FROM {start.name} AS a WHERE a.{start.key} IN "
        f"{id_list(walk.starts)})"
    )
    return f"ROUND({mean} / {norm!r}, 4)"


def cosine_of_starts(walk: Walk, start: NodeTable) -> str:
    """Return the mean cosine over all pairs of starts: the squared length of their mean vector."""
    ids = id_list(walk.starts)
    return (
        f"SELECT TOP (1) AVG(1 - VECTOR_DISTANCE('cosine', a.{start.vector}, b.{start.vector})) "
        f"AS Cosine\nFROM {start.name} AS a CROSS JOIN {start.name} AS b\n"
        f"WHERE a.{start.key} IN {ids} AND b.{start.key} IN {ids}"
    )


def reached(walk: Walk, routes: Sequence[Route], score: str, top: int) -> str:
    """Return the nodes reached, highest score first; a score over `m` and `r`."""
    node = walk.node(routes[0].end)
    columns = [f"{literal(node.name)} AS Kind", *head(node, "m"), f"{score} AS Score", "r.Hops"]
    return (
        f"SELECT TOP ({top}) {', '.join([*columns, f'm.{node.text}'])}\n"
        f"FROM {counted(walk, routes)}\n"
        f"JOIN {node.name} AS m ON m.{node.key} = r.Id\n"
        f"ORDER BY Score DESC, m.{node.key}"
    )


def reached_keys(walk: Walk, routes: Sequence[Route], score: str, top: int) -> str:
    """Return key, score and hops only, where several statements have to be merged."""
    node = walk.node(routes[0].end)
    return (
        f"SELECT TOP ({top}) m.{node.key} AS Id, {score} AS Score, r.Hops\n"
        f"FROM {counted(walk, routes)}\n"
        f"JOIN {node.name} AS m ON m.{node.key} = r.Id\n"
        f"ORDER BY Score DESC, m.{node.key}"
    )


def merged(node: NodeTable, found: Mapping[int, tuple[float, int]], top: int) -> str:
    """Return nodes whose score and hops were merged from several statements."""
    scores = {key: score for key, (score, _) in found.items()}
    hops = {key: count for key, (_, count) in found.items()}
    key = f"m.{node.key}"
    columns = [f"{literal(node.name)} AS Kind", *head(node, "m")]
    columns += [case(key, scores, "Score"), case(key, hops, "Hops"), f"m.{node.text}"]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)}\nFROM {node.name} AS m\n"
        f"WHERE {key} IN {id_list(found)}\nORDER BY Score DESC, {key}"
    )


def ways(walk: Walk, routes: Sequence[Route], each: int, top: int) -> str:
    """Return, for each end, some of the ways that each route has to it: key, place, text."""
    branches = [_way_branch(Branch(walk, route)) for route in routes]
    return (
        f"SELECT TOP ({top}) v.Id, v.Place, v.Via FROM (\n  "
        + "\n  UNION ALL\n  ".join(branches)
        + f") AS v\nWHERE v.Place <= {each} ORDER BY v.Id, v.Place, v.Via"
    )


def _way_branch(branch: Branch) -> str:
    order = ", ".join(branch.keys[:-1])
    place = f"ROW_NUMBER() OVER (PARTITION BY {branch.end} ORDER BY {order})"
    return f"SELECT {branch.end} AS Id, {place} AS Place, {branch.via} AS Via\n  {branch.clauses()}"


def paths(walk: Walk, routes: Sequence[Route], score: str, top: int) -> str:
    """Return one row a way, with the whole node at its end; the routes are equally long."""
    node = walk.node(routes[0].end)
    branches = [
        f"SELECT {each.end} AS Id, {each.via} AS Via\n  {each.clauses()}"
        for each in (Branch(walk, route) for route in routes)
    ]
    columns = [f"{literal(node.name)} AS Kind", *head(node, "m"), f"{score} AS Score"]
    columns += [f"{len(routes[0].hops)} AS Hops", "r.Via", f"m.{node.text}"]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)}\nFROM (\n  "
        + "\n  UNION ALL\n  ".join(branches)
        + f") AS r\nJOIN {node.name} AS m ON m.{node.key} = r.Id\n"
        f"ORDER BY Score DESC, m.{node.key}, r.Via"
    )


def neighbours(walk: Walk, routes: Sequence[Route], among: Mapping[str, str], top: int) -> str:
    """Return kind and key of the nodes one hop away; `among` narrows each kind by a condition."""
    branches = [
        f"SELECT {literal(route.end)} AS Kind, {walk.key(route.end, 'n')} AS Id "
        f"FROM {route.source()} WHERE {route.pattern()} AND {walk.key(route.start, 's')} IN "
        f"{id_list(walk.starts)}{among.get(route.end, '')}"
        for route in routes
    ]
    return f"SELECT DISTINCT TOP ({top}) b.Kind, b.Id FROM (\n  " + (
        "\n  UNION ALL\n  ".join(branches) + ") AS b ORDER BY b.Kind, b.Id"
    )


def hub_nodes(contract: Contract, node: NodeTable, top: int) -> str:
    """Return key, name and degree of the nodes with more edges than the contract's cut."""
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.label}, d.Degree FROM (\n"
        f"  SELECT c.Id, COUNT(*) AS Degree FROM ({touching(contract, node)}) AS c\n"
        f"  GROUP BY c.Id HAVING COUNT(*) > {contract.limits.hub_cut}) AS d\n"
        f"JOIN {node.name} AS n ON n.{node.key} = d.Id ORDER BY d.Degree DESC, n.{node.key}"
    )
