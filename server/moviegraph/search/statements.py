"""T-SQL that returns the same rows as a fixed tool, shown beside them; a test compares the rows."""

from collections.abc import Iterable

from moviegraph.contract.model import NodeTable
from moviegraph.engines.retrieval_primitives import Ids, SearchFunction
from moviegraph.sql.lexer import CONTINUED

MAX_LISTED_IDS = 100
EXACT_RANK = 1000


def nearest_nodes(node: NodeTable, top: int, where: str | None, excluded: Ids) -> str:
    """Return the statement of semantic_search; NULL sorts first, so it is filtered by name."""
    distance = f"VECTOR_DISTANCE('cosine', n.{node.vector}, @q)"
    columns = [*_head(node), f"ROUND(1 - {distance}, 4) AS Similarity", f"n.{node.text}"]
    conditions = [f"n.{node.vector} IS NOT NULL", *_filters(node, where, excluded)]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)} "
        f"FROM {node.name} AS n "
        f"WHERE {' AND '.join(conditions)} "
        f"ORDER BY ROUND({distance}, 4), n.{node.key}"
    )


def nearest_by_index(node: NodeTable, top: int) -> str:
    """Return a search through the vector index; the server takes no second sort key."""
    columns = [*_head(node), "ROUND(1 - s.distance, 4) AS Similarity", f"n.{node.text}"]
    return (
        f"SELECT TOP ({top}) WITH APPROXIMATE {', '.join(columns)} "
        f"FROM VECTOR_SEARCH(TABLE = {node.name} AS n, COLUMN = {node.vector}, "
        "SIMILAR_TO = @q, METRIC = 'cosine') AS s ORDER BY s.distance"
    )


def matching_nodes(
    node: NodeTable,
    function: SearchFunction,
    text: str,
    top: int,
    where: str | None,
    excluded: Ids,
    named_ids: Ids,
) -> str:
    """Return the statement of fulltext_search: nodes of an exact name first, then matches."""
    columns = ", ".join(node.searchable)
    source = f"{function}TABLE({node.name}, ({columns}), {literal(text)}) AS k"
    filters = _filters(node, where, excluded)
    if not len(named_ids):
        columns_shown = [*_head(node), "k.[RANK] AS Rank", f"n.{node.text}"]
        condition = f"WHERE {' AND '.join(filters)} " if filters else ""
        return (
            f"SELECT TOP ({top}) {', '.join(columns_shown)} "
            f"FROM {source} "
            f"JOIN {node.name} AS n ON n.{node.key} = k.[KEY] "
            f"{condition}ORDER BY k.[RANK] DESC, n.{node.key}"
        )
    is_named = f"n.{node.key} IN ({_id_list(named_ids)})"
    rank = f"CASE WHEN {is_named} THEN {EXACT_RANK} ELSE k.[RANK] END AS Rank"
    columns_shown = [*_head(node), rank, f"n.{node.text}"]
    conditions = [f"(k.[KEY] IS NOT NULL OR {is_named})", *filters]
    return (
        f"SELECT TOP ({top}) {', '.join(columns_shown)} "
        f"FROM {node.name} AS n "
        f"LEFT JOIN {source} ON k.[KEY] = n.{node.key} "
        f"WHERE {' AND '.join(conditions)} "
        f"ORDER BY CASE WHEN {is_named} THEN 0 ELSE 1 END, Rank DESC, n.{node.key}"
    )


def literal(text: str) -> str:
    """Return a T-SQL string literal.

    A backslash before a line break would join two lines, so a space is put between them.
    """
    return "N'" + CONTINUED.sub(" ", text).replace("'", "''") + "'"


def _filters(node: NodeTable, where: str | None, excluded: Ids) -> list[str]:
    filters = [f"({where})"] if where else []
    if len(excluded):
        filters.append(f"n.{node.key} NOT IN ({_id_list(excluded)})")
    return filters


def _head(node: NodeTable) -> list[str]:
    names = [node.key, node.label, *(column.name for column in node.extra)]
    return [f"n.{name}" for name in names]


def _id_list(ids: Ids) -> str:
    numbers: Iterable[int] = ids.tolist()
    return ", ".join(map(str, numbers))
