"""Collations of SQL Server as DuckDB combines them: case, accents, and ICU's order."""

from collections.abc import Iterable

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, call, enclosed, text, unsupported
from moviegraph.errors import ExecutionError
from moviegraph.sql.types import TEXTS, sql_type

EQUAL = "NOCASE"  # tells the same texts apart as DEFAULT, at less cost
DEFAULT = "NOCASE.en"
BINARY = '"C"'
SENSITIVE = {
    "CI_AS": DEFAULT,
    "CI_AI": "NOCASE.NOACCENT.en",
    "CS_AS": "en",
    "CS_AI": "NOACCENT.en",
}
# Functions that search a text; they know the collation of the data only.
SEARCHING = frozenset({"CHARINDEX", "PATINDEX", "REPLACE", "TRANSLATE", "STRING_SPLIT"})


def collation(name: str) -> str:
    """Return DuckDB's collation for one of SQL Server."""
    if name.upper().endswith(("_BIN", "_BIN2")):
        return BINARY
    return SENSITIVE.get(name.upper()[-5:], DEFAULT)


def collated(made: Node, name: str = DEFAULT) -> Node:
    """Return a translated text under one of DuckDB's collations."""
    return exp.Paren(this=exp.Collate(this=enclosed(made), expression=exp.Var(this=name)))


def sort_key(made: Node) -> Node:
    """Return the place of a text in the order of the collation.

    DuckDB forgets COLLATE where a comparison has ANY or ALL.
    """
    return call("icu_sort_key", call("lower", made), text("en"))


def sortable(given: Node, made: Node) -> Node:
    """Return a translated value so that it sorts as a dictionary does, if it is a text."""
    if sql_type(given).name not in TEXTS or given.find(exp.Collate) is not None:
        return made
    return collated(made)


def explicit(node: Node) -> str:
    """Return the collation that a judged expression names, or the default."""
    found = node.find(exp.Collate)
    return DEFAULT if found is None else collation(found.expression.name)


def check_agreement(given: Iterable[Node]) -> None:
    """Refuse to compare texts that name different collations.

    Raises:
        ExecutionError: Two of the texts do.
    """
    plain = [each.unnest() for each in given]
    names = {each.expression.name.lower() for each in plain if isinstance(each, exp.Collate)}
    if len(names) > 1:
        raise ExecutionError(
            "Cannot resolve the collation conflict between two texts.",
            code="conversion_failed",
            hint="Name one collation for both sides.",
        )


def check_searched(name: str, given: tuple[Node, ...]) -> None:
    """Refuse to search under another collation than that of the data.

    Raises:
        ExecutionError: One of the arguments names such a collation.
    """
    if name in SEARCHING and any(explicit(each) != DEFAULT for each in given):
        raise unsupported(f"{name} under that collation", "Drop COLLATE, or compare with LIKE.")
