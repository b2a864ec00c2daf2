"""The shape of contract.toml: which keys it may hold, of which types."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from moviegraph.contract.model import (
    Alias,
    Cleaning,
    Column,
    ColumnType,
    EdgeTable,
    Glossary,
    Identifier,
    Keyword,
    Limits,
    NodeTable,
    Pair,
    Synonym,
    nearest,
)


class TomlTable(BaseModel):
    """A table of the file; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ColumnShape(TomlTable):
    """`[nodes.NAME.columns]`: one column."""

    type: ColumnType
    nullable: bool = True
    searchable: bool = False
    description: str = Field(min_length=1)
    field: str | None = Field(default=None, min_length=1)


class CleaningShape(TomlTable):
    """`[nodes.NAME.clean]`: sentences that loading leaves out, and words that keep one."""

    drop: list[str] = Field(min_length=1)
    keep: list[str] = []

    def cleaning(self) -> Cleaning:
        """Return what is boilerplate."""
        return Cleaning(drop=tuple(self.drop), keep=tuple(self.keep))


class NodeShape(TomlTable):
    """`[nodes.NAME]`."""

    description: str = Field(min_length=1)
    columns: dict[Identifier, ColumnShape]
    key: Identifier = "Id"
    label: Identifier = "Name"
    text: Identifier = "Content"
    vector: Identifier = "Embedding"
    named_within: list[Identifier] | None = None
    common_nouns: bool = False
    disambiguated_by: Identifier | None = None
    name_suffixes: list[str] = []
    expected_nodes: Annotated[tuple[int, int] | None, Field(strict=False)] = None
    clean: CleaningShape | None = None

    @model_validator(mode="after")
    def _is_range(self) -> Self:
        if self.expected_nodes and not 0 <= self.expected_nodes[0] <= self.expected_nodes[1]:
            raise PydanticCustomError(
                "expected_nodes", "expected_nodes is a lowest and a highest number: [100, 5000]"
            )
        return self

    def table(self, name: str, page: str) -> NodeTable:
        """Return the node table of that name."""
        columns = tuple(Column(name=key, **dict(column)) for key, column in self.columns.items())
        return NodeTable(
            name=name,
            description=self.description,
            columns=columns,
            page=page,
            key=self.key,
            label=self.label,
            text=self.text,
            vector=self.vector,
            named_within=None if self.named_within is None else tuple(self.named_within),
            common_nouns=self.common_nouns,
            disambiguated_by=self.disambiguated_by,
            name_suffixes=tuple(self.name_suffixes),
            expected_nodes=self.expected_nodes,
            clean=self.clean and self.clean.cleaning(),
        )


class EdgeShape(TomlTable):
    """`[edges.NAME]`: `from` and `to`, or `connects` with several pairs of them."""

    from_table: Identifier | None = Field(default=None, alias="from")
    to_table: Identifier | None = Field(default=None, alias="to")
    connects: list[Annotated[list[Identifier], Field(min_length=2, max_length=2)]] = []
    meaning: str = Field(min_length=1)
    in_text: bool = False

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


class LimitsShape(TomlTable):
    """`[limits]`."""

    top: int = Field(default=20, ge=1)
    top_expanded: int = Field(default=60, ge=1)
    inner_top: int = Field(default=1000, ge=1)
    hub_cut: int = Field(default=250, ge=2)


OBSOLETE = ("unavailable", "relatives")


class GlossaryShape(TomlTable):
    """`[glossary]`: aliases as `KIND."Name" = [other names]`, the rest as `TABLE = [words]`."""

    abbreviations: dict[str, str] = {}
    aliases: dict[str, dict[str, list[str]]] = {}
    tables: dict[str, list[str]] = {}
    keywords: dict[str, list[str]] = {}
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
            keywords=_keywords(self.keywords),
            obsolete=tuple(key for key in OBSOLETE if getattr(self, key) is not None),
        )


def _keywords(words_by_table: dict[str, list[str]]) -> tuple[Keyword, ...]:
    return tuple(
        Keyword(word=word, table=table) for table, words in words_by_table.items() for word in words
    )


class ContractShape(TomlTable):
    """The whole of contract.toml."""

    name: Identifier
    title: str = Field(min_length=1)
    version: str = Field(min_length=1)
    description: str = Field(min_length=1)
    schema_name: Identifier = Field(default="dbo", alias="schema")
    language: str = Field(default="en", min_length=2, max_length=40)
    not_held: str = Field(default="", max_length=300)
    limits: LimitsShape = LimitsShape()
    nodes: dict[Identifier, NodeShape] = Field(min_length=1)
    edges: dict[Identifier, EdgeShape] = Field(min_length=1)
    glossary: GlossaryShape = GlossaryShape()

    def read_limits(self) -> Limits:
        """Return the limits."""
        return Limits(**dict(self.limits))


def advice_for(path: Sequence[int | str]) -> str:
    """Return what may be written instead of an unknown key at a path of contract.toml."""
    known, key = _known_keys(path[:-1]), str(path[-1])
    close = nearest(key, known, 1)
    return f"did you mean '{close[0]}'?" if close else f"known keys: {', '.join(known)}"


def _known_keys(path: Sequence[int | str]) -> tuple[str, ...]:
    shape: type[TomlTable] = ContractShape
    for part in path:
        fields = {field.alias or name: field for name, field in shape.model_fields.items()}
        if str(part) in fields:
            shape = next(_shapes_in(fields[str(part)].annotation), shape)
    return tuple(field.alias or name for name, field in shape.model_fields.items())


def _shapes_in(annotation: Any) -> Iterator[type[TomlTable]]:
    if isinstance(annotation, type) and issubclass(annotation, TomlTable):
        yield annotation
    for argument in get_args(annotation):
        yield from _shapes_in(argument)
