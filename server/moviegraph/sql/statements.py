"""T-SQL of the fixed tools, built from the contract: the node that is returned is always `n`.

Names of a contract are plain identifiers that are no reserved words, so they stand bare.
"""

from collections.abc import Iterable, Mapping, Sequence

from moviegraph.contract.model import Contract, NodeTable

ALIAS = "n"
EXACT_RANK = 1000


def literal(text: str) -> str:
    """Return a T-SQL string literal."""
    return "N'" + text.replace("'", "''") + "'"


def id_list(ids: Iterable[int]) -> str:
    """Return ids as a list in parentheses, for IN; an empty one holds NULL and finds nothing."""
    return f"({', '.join(str(int(each)) for each in ids) or 'NULL'})"


def head(node: NodeTable, alias: str = ALIAS) -> list[str]:
    """Return the columns that come first in every result: key, label and the extra ones."""
    names = [node.key, node.label, *(column.name for column in node.extra)]
    return [f"{alias}.{name}" for name in names]


def similarity(node: NodeTable, alias: str = ALIAS) -> str:
    """Return the similarity to @q: 1 minus the cosine distance, four decimals."""
    return f"ROUND(1 - {distance(node, alias)}, 4)"


def distance(node: NodeTable, alias: str = ALIAS) -> str:
    """Return the cosine distance to @q."""
    return f"VECTOR_DISTANCE('cosine', {alias}.{node.vector}, @q)"


def case(column: str, values: Mapping[int, float], name: str) -> str:
    """Return a column that gives each id the value already computed for it."""
    arms = " ".join(f"WHEN {key} THEN {value!r}" for key, value in values.items())
    return f"CASE {column} {arms} END AS {name}"


def nearest_nodes(node: NodeTable, top: int) -> str:
    """Return the nodes nearest to @q.

    NULL sorts first in T-SQL, so nodes without a vector are left out by name.
    """
    columns = [*head(node), f"{similarity(node)} AS Similarity", f"n.{node.text}"]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)}\n"
        f"FROM {node.name} AS n\n"
        f"WHERE n.{node.vector} IS NOT NULL\n"
        f"ORDER BY {distance(node)}, n.{node.key}"
    )


def nearest_by_index(node: NodeTable, top: int) -> str:
    """Return the nodes nearest to @q by a vector index, which may miss one.

    A condition in its WHERE is met by each row, for the index goes on until there are enough. The
    order is by the distance alone: the server takes no second key.
    """
    columns = [*head(node), "ROUND(1 - s.distance, 4) AS Similarity", f"n.{node.text}"]
    return (
        f"SELECT TOP ({top}) WITH APPROXIMATE {', '.join(columns)}\n"
        f"FROM {vector_search(node)}\n"
        "ORDER BY s.distance"
    )


def vector_search(node: NodeTable) -> str:
    """Return the search of a node table by its vector index, as source `s`."""
    return (
        f"VECTOR_SEARCH(TABLE = {node.name} AS {ALIAS}, COLUMN = {node.vector}, "
        "SIMILAR_TO = @q, METRIC = 'cosine') AS s"
    )


def fulltext_source(node: NodeTable, function: str, text: str) -> str:
    """Return CONTAINSTABLE or FREETEXTTABLE over the searchable columns, as source `k`."""
    columns = ", ".join(node.searchable)
    return f"{function}({node.name}, ({columns}), {literal(text)}) AS k"


def matching_nodes(node: NodeTable, function: str, text: str, top: int) -> str:
    """Return the nodes that a full-text condition finds, best rank first."""
    columns = [*head(node), "k.[RANK] AS Rank", f"n.{node.text}"]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)}\n"
        f"FROM {fulltext_source(node, function, text)}\n"
        f"JOIN {node.name} AS n ON n.{node.key} = k.[KEY]\n"
        f"ORDER BY k.[RANK] DESC, n.{node.key}"
    )


def named_or_matching_nodes(
    node: NodeTable, named: Sequence[int], function: str, text: str, top: int
) -> str:
    """Return the nodes of an exact name first, then those that a condition finds."""
    is_named = f"n.{node.key} IN {id_list(named)}"
    rank = f"CASE WHEN {is_named} THEN {EXACT_RANK} ELSE k.[RANK] END"
    columns = [*head(node), f"{rank} AS Rank", f"n.{node.text}"]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)}\n"
        f"FROM {node.name} AS n\n"
        f"LEFT JOIN {fulltext_source(node, function, text)} ON k.[KEY] = n.{node.key}\n"
        f"WHERE k.[KEY] IS NOT NULL OR {is_named}\n"
        f"ORDER BY CASE WHEN {is_named} THEN 0 ELSE 1 END, Rank DESC, n.{node.key}"
    )


def scored_nodes(node: NodeTable, scores: Mapping[int, float], name: str, top: int) -> str:
    """Return known nodes with a value that was computed elsewhere, highest first."""
    value = case(f"n.{node.key}", scores, name)
    columns = [*head(node), value, f"n.{node.text}"]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)}\n"
        f"FROM {node.name} AS n\n"
        f"WHERE n.{node.key} IN {id_list(scores)}\n"
        f"ORDER BY {name} DESC, n.{node.key}"
    )


def fused_nodes(
    node: NodeTable,
    keywords: str,
    top: int,
    *,
    depth: int,
    k: int,
    by_index: bool = False,
    named: Mapping[int, float] | None = None,
    kept: Sequence[str] = (),
) -> str:
    """Return the nodes of two ranked lists, by meaning and by words, fused by reciprocal rank.

    `by_index` lets a vector index make the list by meaning, as in `nearest_by_index`. Nodes
    `named` by the query are listed in any case, and gain what is given for each. `kept` are
    conditions that rows meet, with the node under the alias m.
    """
    semantic = _semantic_list(_nearest(node, depth, by_index=by_index))
    by_name, further, share = _named_list(node, f"CAST(1 AS FLOAT) / ({k} + r.Place)", named or {})
    columns = [*head(node), "f.Score", "f.SemanticRank", "f.FulltextRank", f"n.{node.text}"]
    return (
        f"WITH {semantic},\n{_fulltext_list(node, keywords, depth)},\n{by_name}"
        "ranked AS (SELECT a.Id, a.Place, 1 AS List FROM by_meaning AS a\n"
        "  UNION ALL SELECT b.Id, b.Place, 2 AS List FROM by_words AS b"
        f"{further}),\n"
        f"fused AS (SELECT r.Id, ROUND(SUM({share}), 6) AS Score,\n"
        "  MIN(CASE WHEN r.List = 1 THEN r.Place END) AS SemanticRank,\n"
        "  MIN(CASE WHEN r.List = 2 THEN r.Place END) AS FulltextRank\n"
        "  FROM ranked AS r GROUP BY r.Id)\n"
        f"SELECT TOP ({top}) {', '.join(columns)}\n"
        f"FROM fused AS f JOIN {node.name} AS n ON n.{node.key} = f.Id\n{_kept(node, kept)}"
        f"ORDER BY f.Score DESC, n.{node.key}"
    )


def _kept(node: NodeTable, conditions: Sequence[str]) -> str:
    if not conditions:
        return ""
    met = " AND ".join(f"({each})" for each in conditions)
    return f"WHERE n.{node.key} IN (SELECT m.{node.key} FROM {node.name} AS m WHERE {met})\n"


def _named_list(node: NodeTable, share: str, named: Mapping[int, float]) -> tuple[str, str, str]:
    """Return the list of named nodes, its branch of the union, and the share of a place."""
    if not named:
        return "", "", share
    listed = (
        f"by_name AS (SELECT n.{node.key} AS Id, 0 AS Place FROM {node.name} AS n\n"
        f"  WHERE n.{node.key} IN {id_list(named)}),\n"
    )
    gains = " ".join(f"WHEN {key} THEN CAST({gain!r} AS FLOAT)" for key, gain in named.items())
    return (
        listed,
        "\n  UNION ALL SELECT c.Id, c.Place, 3 AS List FROM by_name AS c",
        f"CASE WHEN r.List = 3 THEN CASE r.Id {gains} END ELSE {share} END",
    )


def _semantic_list(nearest: str) -> str:
    return (
        "by_meaning AS (SELECT d.Id, ROW_NUMBER() OVER (ORDER BY d.Distance, d.Id) AS Place FROM\n"
        f"  ({nearest}) AS d)"
    )


def _nearest(node: NodeTable, depth: int, *, by_index: bool) -> str:
    if by_index:
        return (
            f"SELECT TOP ({depth}) WITH APPROXIMATE n.{node.key} AS Id, s.distance AS Distance\n"
            f"  FROM {vector_search(node)}\n"
            "  ORDER BY s.distance"
        )
    return (
        f"SELECT TOP ({depth}) n.{node.key} AS Id, {distance(node)} AS Distance\n"
        f"  FROM {node.name} AS n WHERE n.{node.vector} IS NOT NULL\n"
        f"  ORDER BY {distance(node)}, n.{node.key}"
    )


def _fulltext_list(node: NodeTable, keywords: str, depth: int) -> str:
    return (
        f"by_words AS (SELECT TOP ({depth}) n.{node.key} AS Id,\n"
        f"  ROW_NUMBER() OVER (ORDER BY k.[RANK] DESC, n.{node.key}) AS Place\n"
        f"  FROM {fulltext_source(node, 'FREETEXTTABLE', keywords)}\n"
        f"  JOIN {node.name} AS n ON n.{node.key} = k.[KEY]\n"
        f"  ORDER BY k.[RANK] DESC, n.{node.key})"
    )


def nodes_named(node: NodeTable, names: Sequence[str], top: int) -> str:
    """Return key and label of the nodes that carry one of the names, without regard to case."""
    wanted = ", ".join(literal(name) for name in names)
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.label} FROM {node.name} AS n\n"
        f"WHERE n.{node.label} IN ({wanted})\nORDER BY n.{node.key}"
    )


def nodes_with_ids(node: NodeTable, ids: Sequence[int], top: int) -> str:
    """Return key and label of the nodes with these ids."""
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.label} FROM {node.name} AS n\n"
        f"WHERE n.{node.key} IN {id_list(ids)}\nORDER BY n.{node.key}"
    )


def nodes_sharing_pieces(node: NodeTable, pieces: Sequence[str], top: int) -> str:
    """Return key and label of the nodes whose name holds a piece of a misspelt one.

    Of the pieces of a name at least one survives a slip or two; most pieces first.
    """
    held = [f"CHARINDEX({literal(piece)}, n.{node.label}) > 0" for piece in pieces]
    count = " + ".join(f"CASE WHEN {each} THEN 1 ELSE 0 END" for each in held)
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.label} FROM {node.name} AS n\n"
        f"WHERE {' OR '.join(held)}\n"
        f"ORDER BY {count} DESC, LEN(n.{node.label}), n.{node.key}"
    )


def nodes_beginning(node: NodeTable, beginnings: Sequence[str], length: int, top: int) -> str:
    """Return key and text of the nodes whose text begins with one of the beginnings."""
    wanted = ", ".join(literal(each) for each in beginnings)
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.text} FROM {node.name} AS n\n"
        f"WHERE LEFT(n.{node.text}, {length}) IN ({wanted})\nORDER BY n.{node.key}"
    )


def whole_records(node: NodeTable, ids: Sequence[int], top: int) -> str:
    """Return whole nodes by key."""
    return (
        f"SELECT TOP ({top}) {', '.join([*head(node), f'n.{node.text}'])}\n"
        f"FROM {node.name} AS n\n"
        f"WHERE n.{node.key} IN {id_list(ids)}\nORDER BY n.{node.key}"
    )


def edge_counts(contract: Contract, node: NodeTable, ids: Sequence[int], top: int) -> str | None:
    """Return, for each node and each edge table that touches it, how many edges it has."""
    ends = [
        f"SELECT {literal(edge)} AS Edge, n.{node.key} AS Id FROM {node.name} AS n "
        f"JOIN {edge} AS e ON e.{end} = n.$node_id WHERE n.{node.key} IN {id_list(ids)}"
        for edge, end in edge_ends(contract, node)
    ]
    if not ends:
        return None
    return (
        f"SELECT TOP ({top}) c.Id, c.Edge, COUNT(*) AS Edges FROM (\n  "
        + "\n  UNION ALL ".join(ends)
        + ") AS c\nGROUP BY c.Id, c.Edge ORDER BY c.Id, c.Edge"
    )


def edge_ends(contract: Contract, node: NodeTable) -> list[tuple[str, str]]:
    """Return each edge table and pseudo-column by which it touches a node table."""
    found: list[tuple[str, str]] = []
    for edge in contract.edges_of(node.name):
        if edge.from_table == node.name:
            found.append((edge.name, "$from_id"))
        if edge.to_table == node.name:
            found.append((edge.name, "$to_id"))
    return found
