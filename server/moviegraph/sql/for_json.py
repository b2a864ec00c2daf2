"""FOR JSON: its options, and what its columns may be called."""

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field


def check_option(node: exp.QueryOption) -> None:
    """Refuse what is no option of FOR JSON."""
    if node.find_ancestor(exp.ForClause) is None:
        raise RefusalError("not_allowed", "Query hints are not allowed.")
    value = node.this
    if isinstance(value, exp.XMLKeyValueOption):
        name = value.name.upper()
        literal = value.expression
        if name != "ROOT" or not (literal is None or isinstance(literal, exp.Literal)):
            raise RefusalError("not_allowed", f"{name} is no option of FOR JSON.")
        return
    name = value.name.upper() if isinstance(value, exp.Expr) else str(value).upper()
    if name not in ("PATH", "AUTO", "INCLUDE_NULL_VALUES", "WITHOUT_ARRAY_WRAPPER", "ROOT"):
        raise RefusalError(
            "not_allowed",
            f"FOR JSON {name} is not part of the dialect; write FOR JSON PATH or AUTO, with "
            "ROOT('x'), INCLUDE_NULL_VALUES or WITHOUT_ARRAY_WRAPPER.",
        )


def check_for(node: exp.ForClause) -> None:
    """Refuse another clause than FOR JSON, and options that exclude one another."""
    if str(node.args.get("kind", "")).upper() != "JSON":
        raise RefusalError("unsupported", "Only FOR JSON is part of the dialect; use STRING_AGG.")
    words = option_words(node)
    if "ROOT" in words and "WITHOUT_ARRAY_WRAPPER" in words:
        raise RefusalError("syntax", "FOR JSON takes ROOT or WITHOUT_ARRAY_WRAPPER, not both.")
    if "PATH" not in words and "AUTO" not in words:
        raise RefusalError("syntax", "FOR JSON is followed by PATH or AUTO.")
    select = node.parent
    if "AUTO" in words and isinstance(select, exp.Select) and select.args.get("from_") is None:
        raise RefusalError("syntax", "FOR JSON AUTO needs a FROM; write FOR JSON PATH.")


def option_words(node: exp.ForClause) -> frozenset[str]:
    """Return the options of a clause, in upper case."""
    return frozenset(_word(option.this) for option in node.expressions)


def _word(option: exp.Expr) -> str:
    named = option.this if isinstance(option, exp.XMLKeyValueOption) else option
    return str(named.name).upper()


def check_names(select: exp.Select, fields: tuple[Field, ...]) -> None:
    """Refuse a column of FOR JSON without a name, and two that would be one property.

    AUTO writes the columns of each table into an object of their own.
    """
    auto = "AUTO" in option_words(select.args["for_"])
    seen: set[tuple[str, str]] = set()
    for item, field in zip(select.expressions, fields, strict=True):
        if not field.name:
            raise RefusalError("syntax", "Every column of FOR JSON needs a name: expression AS x.")
        key = (level_of(item) if auto else "", field.name)
        if key in seen:
            raise RefusalError(
                "syntax", f"FOR JSON would write two properties {field.name}; rename one."
            )
        seen.add(key)


def level_of(item: exp.Expr) -> str:
    """Return the alias whose object AUTO writes a column into; empty for a computed one."""
    inner = item.unalias()
    return str(inner.meta.get("alias") or "") if isinstance(inner, exp.Column) else ""
