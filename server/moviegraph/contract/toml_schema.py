"""The schema of contract.toml: its keys and their types."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self, get_args

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from moviegraph.contract.model import (
    Alias,
    Column,
    ColumnKeys,
    EdgeKeys,
    EdgeTable,
    Glossary,
    Identifier,
    Keyword,
    Limits,
    NodeKeys,
    NodeTable,
    Pair,
    Synonym,
    TomlRecord,
    suggestion,
)


class NodeShape(NodeKeys):
    """`[nodes.NAME]`."""

    columns: dict[Identifier, ColumnKeys]

    def table(self, name: str, page: str) -> NodeTable:
        """Return the node table of that name."""
        columns = tuple(Column(name=key, **dict(column)) for key, column in self.columns.items())
        remaining: dict[str, Any] = {key: value for key, value in self if key != "columns"}
        return NodeTable(name=name, columns=columns, page=page, **remaining)


EndNames = Annotated[list[Identifier], Field(min_length=2, max_length=2)]


class EdgeShape(EdgeKeys):
    """`[edges.NAME]`: `from` and `to`, or `connects` with multiple pairs of them."""

    from_table: Identifier | None = Field(default=None, alias="from")
    to_table: Identifier | None = Field(default=None, alias="to")
    connects: Annotated[tuple[EndNames, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _one_way_to_say_it(self) -> Self:
        is_given = (self.from_table is not None, self.to_table is not None)
        if is_given != (not self.connects, not self.connects):
            raise PydanticCustomError(
                "edge_ends",
                "set `from` and `to`, or, for multiple pairs of tables, only `connects`: "
                "connects = [['A', 'B'], ['C', 'D']]",
            )
        return self

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of node tables that it connects."""
        if self.from_table is not None and self.to_table is not None:
            return (Pair(from_table=self.from_table, to_table=self.to_table),)
        return tuple(Pair(from_table=start, to_table=end) for start, end in self.connects)

    def table(self, name: str, page: str) -> EdgeTable:
        """Return the edge table of that name."""
        return EdgeTable(
            name=name,
            pairs=self.pairs,
            meaning=self.meaning,
            in_text=self.in_text,
            page=page,
        )


OBSOLETE = ("unavailable", "relatives")


class GlossaryShape(TomlRecord):
    """`[glossary]`: aliases as `KIND."Name" = [other names]`, the rest as `TABLE = [words]`."""

    abbreviations: Mapping[str, str] = {}
    aliases: Mapping[str, Mapping[str, list[str]]] = {}
    tables: Mapping[str, list[str]] = {}
    keywords: Mapping[str, list[str]] = {}
    relatives: Any = None  # keys of older contracts, without effect
    unavailable: Any = None

    def glossary(self) -> Glossary:
        """Return the glossary, flattened."""
        return Glossary(
            abbreviations=dict(self.abbreviations),
            aliases=tuple(
                Alias(alias=alias, kind=kind, name=name)
                for kind, names in self.aliases.items()
                for name, aliases in names.items()
                for alias in aliases
            ),
            tables=tuple(
                Synonym(word=word, table=table)
                for table, words in self.tables.items()
                for word in words
            ),
            keywords=tuple(
                Keyword(word=word, table=table)
                for table, words in self.keywords.items()
                for word in words
            ),
            obsolete=tuple(key for key in OBSOLETE if getattr(self, key) is not None),
        )


class ContractShape(TomlRecord):
    """The content of contract.toml."""

    name: Identifier
    title: str = Field(min_length=1)
    version: str = Field(min_length=1)
    description: str = Field(min_length=1)
    schema_name: Identifier = Field(default="dbo", alias="schema")
    language: str = Field(default="en", min_length=2, max_length=40)
    not_held: str = Field(default="", max_length=300)
    limits: Limits = Limits()
    nodes: dict[Identifier, NodeShape] = Field(min_length=1)
    edges: dict[Identifier, EdgeShape] = Field(min_length=1)
    glossary: GlossaryShape = GlossaryShape()


def advice_for(path: Sequence[int | str]) -> str:
    """Return what may be written instead of an unknown key at a path of contract.toml."""
    return suggestion(str(path[-1]), _known_keys(path[:-1]), "known keys")


def _known_keys(path: Sequence[int | str]) -> tuple[str, ...]:
    shape: type[TomlRecord] = ContractShape
    for part in path:
        fields = {field.alias or name: field for name, field in shape.model_fields.items()}
        if str(part) in fields:
            shape = next(_shapes_in(fields[str(part)].annotation), shape)
    return tuple(field.alias or name for name, field in shape.model_fields.items())


def _shapes_in(annotation: Any) -> Iterator[type[TomlRecord]]:
    if isinstance(annotation, type) and issubclass(annotation, TomlRecord):
        yield annotation
    for argument in get_args(annotation):
        yield from _shapes_in(argument)
