"""Checks of single functions whose arguments are more than values."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.series import series
from moviegraph.sql.vector_search import check_arguments


def _check_json_kind(node: exp.Anonymous) -> None:
    for kind in node.expressions[1:]:
        _check_kind(kind)


def _check_kind(kind: exp.Expr) -> None:
    if not (isinstance(kind, exp.Anonymous) and kind.name == "__JSON_KIND"):
        raise RefusalError(
            "wrong_arguments",
            "ISJSON takes VALUE, ARRAY, OBJECT or SCALAR, unquoted, as its second argument.",
        )


def _check_split(node: exp.Anonymous) -> None:
    """The separator is one character, and whether there are ordinals is a constant."""
    separator, ordinal = node.expressions[1], node.expressions[2:]
    if isinstance(separator, exp.Literal | exp.National) and len(separator.name) != 1:
        raise RefusalError("wrong_arguments", "STRING_SPLIT splits at one character.")
    if ordinal and not (isinstance(ordinal[0], exp.Null) or ordinal[0].name in ("0", "1")):
        raise RefusalError("wrong_arguments", "The third argument of STRING_SPLIT is 1 or 0.")


CALL_CHECKS: dict[str, Callable[[exp.Anonymous], object]] = {
    "GENERATE_SERIES": series,
    "ISJSON": _check_json_kind,
    "STRING_SPLIT": _check_split,
    "VECTOR_SEARCH": check_arguments,
}
