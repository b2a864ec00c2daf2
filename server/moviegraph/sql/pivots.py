"""PIVOT and UNPIVOT: what may stand in them, and the columns that come out."""

import re
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.sql.columns import annotate, embedding_output, unknown_column
from moviegraph.sql.derived import source_of
from moviegraph.sql.kinds import UNKNOWN, Kind, plain, settled
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Source, typed
from moviegraph.sql.types import NUMBERS, kind_of

AGGREGATES = frozenset("AVG COUNT COUNT_BIG MAX MIN STDEV STDEVP SUM VAR VARP".split())
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
SYSNAME = 128
PIVOT = "PIVOT (SUM(x) FOR y IN ([a], [b])) AS p"
UNPIVOT = "UNPIVOT (v FOR n IN ([a], [b])) AS u"


@dataclass(frozen=True, slots=True)
class Rotation:
    """A resolved PIVOT or UNPIVOT, for the engines.

    Attributes:
        source: The alias that is rotated.
        kept: The columns that stay.
        listed: The columns of the IN list.
        value: The column that is aggregated, or that comes to hold the values.
        key: The column whose values become columns, or that comes to hold their names.
        aggregate: The aggregate of a PIVOT; empty for UNPIVOT.
    """

    source: str
    kept: tuple[Field, ...]
    listed: tuple[Field, ...]
    value: Field
    key: Field
    aggregate: str


def rotations(item: exp.Expr) -> list[exp.Pivot]:
    """Return the PIVOT and UNPIVOT clauses of an item of FROM."""
    listed: list[exp.Pivot] = item.args.get("pivots") or []
    return listed


def check_pivot(node: exp.Pivot) -> None:
    """Check the form of one PIVOT or UNPIVOT. Raises RefusalError."""
    unpivot = bool(node.args.get("unpivot"))
    alias = node.args.get("alias")
    fields: list[exp.Expr] = node.args.get("fields") or []
    form = UNPIVOT if unpivot else PIVOT
    if alias is None or not alias.name or alias.columns:
        raise RefusalError("syntax", f"A PIVOT or UNPIVOT needs an alias, such as {form}.")
    listed = len(fields) == 1 and isinstance(fields[0], exp.In)
    names: list[exp.Expr] = fields[0].expressions if listed else []
    if not names or not all(isinstance(n, exp.Column) and not n.table for n in names):
        raise RefusalError(
            "syntax", f"The IN list names columns, in brackets, no values or subquery: {form}."
        )
    if len({name.name.lower() for name in names}) < len(names):
        raise RefusalError("syntax", "The IN list names a column twice; drop one.")
    heads: tuple[exp.Expr, ...] = (*node.expressions, fields[0].this)
    if not (_is_unpivot(heads) if unpivot else _is_pivot(heads)):
        raise RefusalError(
            "syntax",
            f"Its form is {form}."
            if unpivot
            else f"Its form is {PIVOT}, with one of {', '.join(sorted(AGGREGATES))} of one column.",
        )


def _is_pivot(heads: tuple[exp.Expr, ...]) -> bool:
    if len(heads) != 2:
        return False
    call, key = heads
    if not isinstance(call, exp.Anonymous) or call.name[2:] not in AGGREGATES:
        return False
    given = [*call.expressions, key]
    return len(given) == 2 and all(
        isinstance(each, exp.Column) and isinstance(each.this, exp.Identifier) for each in given
    )


def _is_unpivot(heads: tuple[exp.Expr, ...]) -> bool:
    return len(heads) == 2 and all(isinstance(each, exp.Identifier) for each in heads)


def rotated(source: Source, pivot: exp.Pivot) -> Source:
    """Return what a PIVOT or UNPIVOT makes of a source. Raises RefusalError."""
    return _unpivoted(source, pivot) if pivot.args.get("unpivot") else _pivoted(source, pivot)


def _pivoted(source: Source, pivot: exp.Pivot) -> Source:
    call, condition = pivot.expressions[0], pivot.args["fields"][0]
    value = _column(call.expressions[0], source)
    key = _column(condition.this, source)
    _check_value(value, counted=call.name[2:].startswith("COUNT"))
    _check_value(key, counted=False)
    kept = [f for f in source.fields.values() if f not in (value, key)]
    if any(f.type == "VECTOR" for f in kept):
        raise RefusalError(
            "embedding_output",
            "PIVOT groups by every other column, also by the embedding; pivot a derived table of "
            "the columns you need: FROM (SELECT Id, ... ) AS s PIVOT (...) AS p.",
        )
    result = kind_of(call)
    made = [typed(column.name, result) for column in condition.expressions]
    for column in condition.expressions:
        _check_converts(column.name, key)
        column.meta.update(type=result.family, kind=result)
    alias = str(pivot.args["alias"].name)
    found = source_of(alias, [*kept, *made], bounded=source.bounded or not kept)
    pivot.meta["rotation"] = Rotation(
        source.alias,
        tuple(kept),
        tuple(made),
        value,
        key,
        call.name[2:],
    )
    return found


def _unpivoted(source: Source, pivot: exp.Pivot) -> Source:
    condition = pivot.args["fields"][0]
    listed = [_column(column, source) for column in condition.expressions]
    for field in listed:
        _check_value(field, counted=False)
    _check_alike(listed)
    stays = [f for f in source.visible if f not in listed]
    value = typed(pivot.expressions[0].name, _kind(listed[0]))
    name = typed(condition.this.name, Kind("NVARCHAR", size=SYSNAME))
    alias = str(pivot.args["alias"].name)
    found = source_of(alias, [*stays, value, name], bounded=source.bounded)
    pivot.meta["rotation"] = Rotation(
        source.alias,
        tuple(stays),
        tuple(listed),
        value,
        name,
        "",
    )
    return found


def _kind(field: Field) -> Kind:
    return settled(field.kind or plain(field.type))


def _column(column: exp.Column, source: Source) -> Field:
    """Return the field that a column of a PIVOT names; the alias of the source falls away."""
    field = source.fields.get(column.name.lower())
    if field is None or (column.table and column.table.lower() != source.alias.lower()):
        raise unknown_column(column, [source])
    column.set("table", None)
    annotate(column, source, field)
    return field


def _check_value(field: Field, *, counted: bool) -> None:
    if field.type == "VECTOR":
        raise embedding_output("a PIVOT or UNPIVOT")
    if field.type == "NODE_ID" and not counted:
        raise RefusalError(
            "pseudo_column_output",
            f"{field.name} may be counted in a PIVOT, but not spread; use the key column.",
        )


def _check_converts(name: str, key: Field) -> None:
    if key.type in NUMBERS and not NUMBER.fullmatch(name.strip()):
        raise RefusalError(
            "wrong_arguments",
            f"[{name}] is no value of {key.name}, which is {key.type}; the IN list of a PIVOT "
            "names values of the column after FOR.",
        )


def _check_alike(listed: list[Field]) -> None:
    """SQL Server unpivots columns of one type and length."""
    first = listed[0]
    for field in listed[1:]:
        kinds = {_kind(first), _kind(field)} - {UNKNOWN}
        if len(kinds) > 1:
            raise RefusalError(
                "wrong_arguments",
                f"UNPIVOT needs columns of one type and length, and {first.name} and {field.name} "
                "differ; CAST both in a derived table, as in CAST(Name AS NVARCHAR(MAX)).",
            )
