"""T-SQL of the fixed tools, built from the contract: the node that is returned is always `n`.

Names of a contract are plain identifiers that are no reserved words, so they stand bare.
"""

from collections.abc import Iterable, Mapping, Sequence

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.sql.scan import CONTINUED
from moviegraph.sql.shapes import quoted

ALIAS = "n"
EXACT_RANK = 1000


def literal(text: str) -> str:
    """Return a T-SQL string literal, in parts where SQL Server would join two lines of it."""
    return " + ".join("N" + quoted(part) for part in CONTINUED.split(text))


def like_text(text: str) -> str:
    """Return a text as a LIKE pattern holds it: no sign of it stands for others."""
    return text.replace("[", "[[]").replace("%", "[%]").replace("_", "[_]")


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
    """Return CONTAINSTABLE or FREETEXTTABLE over the searchable columns, as source `k`.

    It takes one literal; a blank parts words as a line break does.
    """
    columns = ", ".join(node.searchable)
    text = CONTINUED.sub(" ", text)
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


def nodes_named(node: NodeTable, names: Sequence[str], top: int) -> str:
    """Return key and label of the nodes that carry one of the names, without regard to case."""
    wanted = ", ".join(literal(name) for name in names)
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.label} FROM {node.name} AS n\n"
        f"WHERE n.{node.label} IN ({wanted})\nORDER BY n.{node.key}"
    )


def named_first(node: NodeTable, word: str) -> str:
    """Return a node whose name begins with a word and goes on."""
    return (
        f"SELECT TOP (1) n.{node.key} FROM {node.name} AS n "
        f"WHERE CHARINDEX({literal(f'{word} ')}, n.{node.label}) = 1"
    )


def nodes_disambiguated(node: NodeTable, wanted: Sequence[tuple[str, int]], top: int) -> str:
    """Return key, label and value of the nodes that bear a name beside a disambiguating value.

    A label may hold both itself: Dune (1984). The node table has such a column.
    """
    column = f"n.{node.disambiguated_by}"
    meant = [
        f"n.{node.label} = {literal(name)} AND {column} = {value} "
        f"OR n.{node.label} = {literal(f'{name} ({value})')}"
        for name, value in wanted
    ]
    return (
        f"SELECT TOP ({top}) n.{node.key}, n.{node.label}, {column} FROM {node.name} AS n\n"
        f"WHERE {' OR '.join(meant)}\nORDER BY n.{node.key}"
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
    found: dict[tuple[str, str], None] = {}
    for edge in contract.connections_of(node.name):
        if edge.from_table == node.name:
            found[edge.name, "$from_id"] = None
        if edge.to_table == node.name:
            found[edge.name, "$to_id"] = None
    return list(found)
