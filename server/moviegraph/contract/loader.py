"""Reader of contracts: contract.toml, pages of tables and examples, cross-checked."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from moviegraph.contract.model import (
    Alias,
    Column,
    ColumnKeys,
    Contract,
    EdgeKeys,
    EdgeTable,
    Example,
    Glossary,
    Identifier,
    Keyword,
    Limits,
    NodeKeys,
    NodeTable,
    Pair,
    Shows,
    Synonym,
    TomlRecord,
    suggestion,
)
from moviegraph.contract.validation import find_problems
from moviegraph.errors import ContractError, SettingsError
from moviegraph.settings import Settings, content_folder


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


SOURCE = "contract.toml"
PATTERNS = (SOURCE, "tables/*.md", "examples/*.sql")
KEY = re.compile(rf"{re.escape(SOURCE)}: ([^:\s]+): ")
MAX_SHOWN = 50


def load_contract(folder: Path | None = None) -> Contract:
    """Return the contract in a folder, by default the one that ships with the package.

    Raises:
        ContractError: A file is missing or wrong; the message names file, line and key.
    """
    return contract_of(read_files(folder or content_folder("schema_docs")))


def read_files(folder: Path) -> dict[str, str]:
    """Return the texts of a contract's files by name. Raises ContractError."""
    if not folder.is_dir():
        raise ContractError(
            f"No contract folder at {folder}.",
            hint="Name a folder that contains contract.toml.",
        )
    if not (folder / SOURCE).is_file():
        raise ContractError(f"{SOURCE}: missing in {folder}")
    paths = [path for pattern in PATTERNS for path in sorted(folder.glob(pattern))]
    return {path.relative_to(folder).as_posix(): _read(folder, path) for path in paths}


def contract_of(files: Mapping[str, str]) -> Contract:
    """Return the contract that texts of files say, by their names.

    Raises:
        ContractError: Something in them is wrong; the message states every problem.
    """
    text = files.get(SOURCE, "")
    shape = _shape(text)
    pages = _pages(files, (*shape.nodes, *shape.edges))
    contract = Contract(
        name=shape.name,
        title=shape.title,
        version=shape.version,
        description=shape.description.strip(),
        schema_name=shape.schema_name,
        language=shape.language,
        not_held=" ".join(shape.not_held.split()),
        nodes=tuple(table.table(name, pages.get(name, "")) for name, table in shape.nodes.items()),
        edges=tuple(table.table(name, pages.get(name, "")) for name, table in shape.edges.items()),
        limits=shape.limits,
        glossary=shape.glossary.glossary(),
        examples=_examples(files),
        files=dict(files),
    )
    _refuse(_with_line(text, problem) for problem in find_problems(contract))
    return contract


def _shape(text: str) -> ContractShape:
    try:
        return ContractShape.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{SOURCE}: not valid TOML: {error}") from error
    except ValidationError as error:
        errors = error.errors(include_url=False)
        lines = (f"{SOURCE}: {_place(problem['loc'])}{_message(problem)}" for problem in errors)
        _refuse(_with_line(text, line) for line in lines)
        raise AssertionError from error


def _with_line(text: str, problem: str) -> str:
    """Return a problem with the line of its key, where contract.toml has one."""
    key = KEY.match(problem)
    number = line_of(line_numbers(text), key[1].split(".")) if key else None
    return problem if number is None else f"{SOURCE}, line {number}{problem[len(SOURCE) :]}"


def _message(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown key '{error['loc'][-1]}'; {advice_for(error['loc'])}"
    if error["type"] != "string_pattern_mismatch":
        return error["msg"]
    expected = (
        "INT, BIGINT, FLOAT, BIT, DATE, NVARCHAR(n), NVARCHAR(MAX) or VECTOR"
        if error["loc"][-1] == "type"
        else "a name of letters, digits and underscores, at most 64"
    )
    return f"{error['input']!r} is not {expected}"


def _place(location: tuple[int | str, ...]) -> str:
    keys = [str(key) for key in location if key != "[key]"]
    return f"{'.'.join(keys)}: " if keys else ""


def _pages(files: Mapping[str, str], tables: tuple[str, ...]) -> dict[str, str]:
    names = (name for name in files if name.startswith("tables/"))
    pages = {name.removeprefix("tables/").removesuffix(".md"): files[name] for name in names}
    extra = [name for name in pages if name not in tables]
    _refuse(
        [f"tables/{name}.md: no table has that name; {suggestion(name, tables)}" for name in extra]
        + [f"tables/{name}.md: empty" for name, text in pages.items() if not text.strip()]
    )
    return pages


def _examples(files: Mapping[str, str]) -> tuple[Example, ...]:
    examples: list[Example] = []
    wrong: list[str] = []
    for name, text in files.items():
        if name.startswith("examples/"):
            try:
                examples.append(read_example(name, text))
            except ContractError as error:
                wrong.append(error.message)
    _refuse(wrong)
    return tuple(examples)


def _read(folder: Path, path: Path) -> str:
    name = path.relative_to(folder).as_posix()
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ContractError(f"{name}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise ContractError(f"{name}: unreadable: {error.strerror}") from error


def _refuse(problems: Iterable[str]) -> None:
    lines = list(problems)
    if lines:
        more = f"\n(and {len(lines) - MAX_SHOWN} more)" if len(lines) > MAX_SHOWN else ""
        raise ContractError("\n".join(lines[:MAX_SHOWN]) + more)


CARRIED = "contract"


def read_contract(settings: Settings, carried: Contract | None = None) -> Contract:
    """Return the contract to serve, with the operator's row limits in it.

    It is the one that is set, else the one that the graph carries, else the one in the package.

    Args:
        settings: The values in force.
        carried: What a database carries; that of a graph folder is read here.

    Raises:
        ContractError: A file of it is missing or wrong.
        SettingsError: The limits contradict each other.
    """
    contract = _select_contract(settings, carried)
    top = settings.top or contract.limits.top
    expanded = settings.top_expanded or max(contract.limits.top_expanded, top)
    if expanded < top:
        raise SettingsError(
            f"MOVIEGRAPH_TOP_EXPANDED is {expanded}, less than MOVIEGRAPH_TOP, {top}.",
            hint="Set it to at least MOVIEGRAPH_TOP.",
        )
    limits = contract.limits.model_copy(update={"top": top, "top_expanded": expanded})
    return contract.model_copy(update={"limits": limits})


def folder_contract(folder: Path) -> Contract | None:
    """Return the contract that a graph folder carries, or None: older graphs carry none.

    Raises:
        ContractError: It carries one that is damaged.
    """
    if not (folder / CARRIED / SOURCE).is_file():
        return None
    try:
        return load_contract(folder / CARRIED)
    except ContractError as error:
        raise ContractError(
            f"The contract in {folder / CARRIED} is damaged: {error.message}",
            hint="Name the contract with --contract FOLDER, or load the data again.",
        ) from error


def _select_contract(settings: Settings, carried: Contract | None) -> Contract:
    if settings.contract is None and settings.engine == "embedded" and settings.graph is not None:
        carried = folder_contract(settings.graph)
    if settings.contract is None and carried is not None:
        return carried
    return load_contract(settings.contract)


EXAMPLE_KEYS = ("question", "query", "shows")
SHOWS: tuple[str, ...] = get_args(Shows)


def read_example(file: str, text: str) -> Example:
    """Return the example in a file's text.

    Raises:
        ContractError: The front matter is broken; the message names file, key and line.
    """
    front, sql = _split(file, text)
    shows = tuple(word for part in front.get("shows", "").split(",") if (word := part.strip()))
    unknown = next((word for word in shows if word not in SHOWS), None)
    if unknown is not None:
        raise ContractError(
            f"{file}: shows: unknown value '{unknown}'; {suggestion(unknown, SHOWS)}"
        )
    if not front.get("question"):
        raise ContractError(f"{file}: question: missing; start the file with `-- question: ...`")
    if not shows:
        raise ContractError(
            f"{file}: shows: missing; add `-- shows: ...`, any of {', '.join(SHOWS)}"
        )
    _check_query(file, front.get("query"), sql)
    record: dict[str, Any] = {
        "id": example_id(file),
        "question": front["question"],
        "query": front.get("query"),
        "shows": shows,
        "sql": sql,
    }
    try:
        return Example(**record)
    except ValidationError as error:
        raise ContractError(
            f"{file}: use only letters, digits and underscores in the file name"
        ) from error


def example_id(file: str) -> str:
    """Return the id that a file name gives: its stem without a leading number."""
    stem = file.rsplit("/", 1)[-1].removesuffix(".sql")
    return re.sub(r"^\d+[_-]?", "", stem)


def _split(file: str, text: str) -> tuple[dict[str, str], str]:
    lines = text.strip().splitlines()
    front: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.startswith("--"):
            return front, "\n".join(lines[number - 1 :]).strip()
        key, value = _entry(file, number, line)
        if key in front:
            raise ContractError(f"{file}, line {number}: {key}: duplicate key")
        front[key] = value
    raise ContractError(f"{file}: no statement after the comment lines")


def _entry(file: str, number: int, line: str) -> tuple[str, str]:
    match = re.fullmatch(r"--\s*(\w+)\s*:\s*(.*?)\s*", line)
    if match is None:
        raise ContractError(f"{file}, line {number}: expected `-- key: value`")
    key, value = match[1], match[2]
    if key not in EXAMPLE_KEYS:
        raise ContractError(
            f"{file}, line {number}: unknown key '{key}'; {suggestion(key, EXAMPLE_KEYS)}"
        )
    return key, value


def _check_query(file: str, query: str | None, sql: str) -> None:
    uses = re.search(r"@q\b", sql, re.IGNORECASE) is not None
    if uses and not query:
        raise ContractError(f"{file}: query: missing, but the statement uses @q")
    if query is not None and not uses:
        raise ContractError(f"{file}: query: not allowed, because the statement does not use @q")


HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
ASSIGNMENT = re.compile(r"\s*((?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'|\s*\.\s*)+?)\s*=")
PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)")
TomlPath = tuple[str, ...]


def line_numbers(text: str) -> dict[TomlPath, int]:
    """Return the line of each table and key that starts a line, by its dotted path.

    The members of an array of tables have their index in the path: ("unavailable", "0", "words").
    """
    lines: dict[TomlPath, int] = {}
    table: TomlPath = ()
    counts: dict[TomlPath, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(line):
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, str(counts[table]))
            lines.setdefault(table, number)
        elif key := ASSIGNMENT.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def line_of(lines: Mapping[TomlPath, int], path: Sequence[str]) -> int | None:
    """Return the line of a key, or of the nearest table around it that has one."""
    for length in range(len(path), 0, -1):
        if (number := lines.get(tuple(path[:length]))) is not None:
            return number
    return None


def _parts(dotted: str) -> TomlPath:
    return tuple(next(part for part in match if part) for match in PART.findall(dotted))
