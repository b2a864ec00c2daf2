"""PIVOT as grouping with CASE, UNPIVOT as APPLY of VALUES: judged trees in, judged trees out."""

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, text
from moviegraph.sql.derived_tables import PivotSpec, pivots_of
from moviegraph.sql.scope import Field
from moviegraph.sql.types import NUMBERS

ROTATED = "rotated"


def unrotated(item: Node) -> exp.Subquery:
    """Return a judged item of FROM with its PIVOT and UNPIVOT clauses written out."""
    made = item.copy()
    made.set("joins", None)
    made.set("pivots", None)
    for pivot in pivots_of(item):
        rotation: PivotSpec = pivot.meta["rotation"]
        select = _grouped(made, rotation) if rotation.aggregate else _spread(made, rotation)
        made = exp.Subquery(this=select, alias=pivot.args["alias"].copy())
    assert isinstance(made, exp.Subquery)
    return made


def _column(alias: str, field: Field) -> exp.Column:
    named = exp.Identifier(this=field.name, quoted=not field.name.startswith("$"))
    made = exp.Column(this=named, table=exp.Identifier(this=alias, quoted=True))
    made.meta.update(type=field.type, kind=field.kind, alias=alias)
    return made


def _columns(alias: str, fields: tuple[Field, ...]) -> list[Node]:
    return [
        exp.alias_(_column(alias, field), field.name, quoted=True, copy=False) for field in fields
    ]


def _grouped(source: Node, rotation: PivotSpec) -> exp.Select:
    alias = rotation.source
    made = [
        exp.alias_(_aggregated(rotation, field.name), field.name, quoted=True, copy=False)
        for field in rotation.listed
    ]
    groups = [_column(alias, kept) for kept in rotation.kept]
    return exp.Select(
        expressions=[*_columns(alias, rotation.kept), *made],
        from_=exp.From(this=source),
        group=exp.Group(expressions=groups) if groups else None,
    )


def _aggregated(rotation: PivotSpec, name: str) -> exp.Anonymous:
    """Return the aggregate over the rows whose key is one value of the IN list."""
    key = _column(rotation.source, rotation.key)
    number = rotation.key.type in NUMBERS
    wanted = exp.Literal(this=name.strip(), is_string=False) if number else text(name)
    value = _column(rotation.source, rotation.value)
    chosen = exp.Case(ifs=[exp.If(this=exp.EQ(this=key, expression=wanted), true=value)])
    return exp.Anonymous(this=f"__{rotation.aggregate}", expressions=[chosen])


def _spread(source: Node, rotation: PivotSpec) -> exp.Select:
    names = rotation.value.name, rotation.key.name
    rows = [
        exp.Tuple(expressions=[_column(rotation.source, listed), text(listed.name)])
        for listed in rotation.listed
    ]
    alias = exp.TableAlias(
        this=exp.Identifier(this=ROTATED, quoted=True),
        columns=[exp.Identifier(this=name, quoted=True) for name in names],
    )
    values = exp.Subquery(this=exp.Values(expressions=rows))
    lateral = exp.Lateral(this=values, alias=alias, cross_apply=True)
    missing = exp.Is(this=_column(ROTATED, rotation.value), expression=exp.Null())
    return exp.Select(
        expressions=[
            *_columns(rotation.source, rotation.kept),
            *_columns(ROTATED, (rotation.value, rotation.key)),
        ],
        from_=exp.From(this=source),
        joins=[exp.Join(this=lateral)],
        where=exp.Where(this=exp.Not(this=missing)),
    )
