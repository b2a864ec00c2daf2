"""How many tables a statement reads once its common table expressions are written out."""

from collections.abc import Iterator

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import children, nodes

MOST_TABLES = 256


def check_expansion(tree: exp.Query) -> None:
    """Refuse common table expressions that read each other too often.

    A database writes one out wherever it is read, so a chain in which each reads the one before it
    twice doubles with every link; planning one of 12 links takes minutes.

    Raises RefusalError.
    """
    given = tree.args.get("with_")
    if given is None:
        return
    sizes: dict[str, int] = {}
    for each in given.expressions:
        sizes[each.alias.lower()] = max(1, _size(each.this, sizes))
    read = sum(_size(part, sizes) for part in children(tree) if part is not given)
    written = max(read, *sizes.values())
    if written > MOST_TABLES:
        raise RefusalError(
            "too_large",
            "A database writes a common table expression out wherever it is read, and these come "
            f"to {written:,} tables so; {MOST_TABLES} are the most. Let each read the one before "
            "it once: aggregate it, or use window functions, instead of joining it to itself.",
        )


def _size(query: exp.Expr, sizes: dict[str, int]) -> int:
    return sum(sizes.get(name, 1) for name in _tables(query))


def _tables(query: exp.Expr) -> Iterator[str]:
    """Yield the names in FROM; a name with a schema is no CTE."""
    for node in nodes(query):
        if isinstance(node, exp.Table):
            yield "" if node.args.get("db") else node.name.lower()
