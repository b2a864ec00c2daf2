"""Reader of contracts: contract.toml, pages of tables and examples, cross-checked."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from moviegraph.contract.model import Contract, Example, TomlRecord, suggestion
from moviegraph.contract.published_tools import is_tool, published_tool
from moviegraph.contract.samples import NO_SAMPLES, Samples
from moviegraph.contract.validation import SOURCE, find_problems
from moviegraph.errors import ContractError, SettingsError
from moviegraph.names import closest_names
from moviegraph.settings import Settings, content_folder

PATTERNS = (SOURCE, "tables/*.md", "examples/*.sql")
KEY = re.compile(rf"{re.escape(SOURCE)}: ([^:\s]+): ")
CARRIED = "contract"
EXAMPLE_KEYS = ("question", "query", "shows")
KNOWN_KEYS = tuple(
    str(field.validation_alias or name)
    for record in TomlRecord.__subclasses__()
    for name, field in record.model_fields.items()
)
EXPECTED_NAME = "a name of letters, digits and underscores, at most 64"


def load_contract(folder: Path | None = None) -> Contract:
    """Return the contract in a folder, by default the one that ships with the package.

    Raises:
        ContractError: A file is missing or wrong; the message names file, line and key.
    """
    folder = folder or content_folder("schema_docs")
    if not folder.is_dir():
        raise ContractError(
            f"No contract folder at {folder}.",
            hint="Name a folder that contains contract.toml.",
        )
    if not (folder / SOURCE).is_file():
        raise ContractError(f"{SOURCE}: missing in {folder}")
    paths = [path for pattern in PATTERNS for path in sorted(folder.glob(pattern))]
    names = (path.relative_to(folder).as_posix() for path in paths)
    return contract_of({name: _read(folder / name, name) for name in names})


def contract_of(files: Mapping[str, str]) -> Contract:
    """Return the contract in the texts of files, by their names.

    Raises:
        ContractError: Something in them is wrong; the message states every problem.
    """
    contract = _parse(files.get(SOURCE, ""))
    pages = _pages(files, contract.table_names)
    updates = {
        "examples": _examples(files),
        "tools": tuple(
            published_tool(name, text)
            for name, text in files.items()
            if name.startswith("examples/") and is_tool(text)
        ),
        "files": dict(files),
        **{
            key: tuple(
                table.model_copy(update={"page": pages.get(table.name, "")}) for table in tables
            )
            for key, tables in (("nodes", contract.nodes), ("edges", contract.edges))
        },
    }
    contract = contract.model_copy(update=updates)
    _refuse(_with_line(files[SOURCE], problem) for problem in find_problems(contract))
    return contract


def _parse(text: str) -> Contract:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{SOURCE}: not valid TOML: {error}") from error
    try:
        return Contract.model_validate(document)
    except ValidationError as error:
        problems = [
            {**problem, "loc": tuple(_toml_path(document, problem["loc"]))}
            for problem in error.errors(include_url=False)
        ]
        _refuse(_with_line(text, _describe(SOURCE, problem)) for problem in problems)
        raise AssertionError from error


def _toml_path(document: Any, location: Sequence[int | str]) -> Iterator[int | str]:
    """Yield the keys of a location in a contract that contract.toml has, and the last one."""
    for previous, part in zip(("", *location), location, strict=False):
        if previous in ("nodes", "edges", "columns"):
            part = list(document)[int(part)]  # in the order of the keys
        try:
            document = document[part]
        except (IndexError, KeyError, TypeError):
            if part != location[-1]:
                continue
        yield part


def _with_line(text: str, problem: str) -> str:
    """Return a problem with the line of its key, where contract.toml has one."""
    key = KEY.match(problem)
    number = line_of(line_numbers(text), key[1].split(".")) if key else None
    return problem if number is None else f"{SOURCE}, line {number}{problem[len(SOURCE) :]}"


def _describe(source: str, error: Mapping[str, Any]) -> str:
    location = error["loc"]
    message: str = error["msg"]
    if error["type"] == "extra_forbidden":
        nearest = closest_names(location[-1], KNOWN_KEYS, 1)
        advice = f"did you mean '{nearest[0]}'?" if nearest else "remove it"
        message = f"unknown key '{location[-1]}'; {advice}"
    elif error["type"] in ("tuple_type", "model_type", "dict_type"):
        is_table = error["type"] != "tuple_type" or location[-1] in ("nodes", "edges", "columns")
        message = "expected a table" if is_table else "expected a list"
    elif error["type"] == "too_short":
        message = "missing or empty"
    elif error["type"] == "string_pattern_mismatch":
        message = f"{error['input']!r} is not {EXPECTED_NAME}"
    return ": ".join(part for part in (source, ".".join(map(str, location)), message) if part)


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
    problems: list[str] = []
    for name, text in files.items():
        if name.startswith("examples/") and not is_tool(text):
            try:
                examples.append(_example(name, text))
            except ContractError as error:
                problems.append(error.message)
    _refuse(problems)
    return tuple(examples)


def _example(file: str, text: str) -> Example:
    """Return the example in a file, with its stem, without a leading number, as its id."""
    lines = text.strip().splitlines()
    header = list(takewhile(lambda line: line.startswith("--"), lines))
    values: dict[str, str] = {}
    for number, line in enumerate(header, start=1):
        match = re.fullmatch(r"--\s*(\w+)\s*:\s*(.*?)\s*", line)
        if match is None:
            raise ContractError(f"{file}, line {number}: expected `-- key: value`")
        key, value = match.groups()
        if key not in EXAMPLE_KEYS:
            advice = suggestion(key, EXAMPLE_KEYS)
            raise ContractError(f"{file}, line {number}: unknown key '{key}'; {advice}")
        if key in values:
            raise ContractError(f"{file}, line {number}: {key}: duplicate key")
        values[key] = value
    sql = "\n".join(lines[len(header) :]).strip()
    if not sql:
        raise ContractError(f"{file}: no statement after the comment lines")
    stem = file.rsplit("/", 1)[-1].removesuffix(".sql")
    shows = tuple(word.strip() for word in values.get("shows", "").split(",") if word.strip())
    record = {**values, "id": re.sub(r"^\d+[_-]?", "", stem), "shows": shows, "sql": sql}
    try:
        return Example.model_validate(record)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        raise ContractError("\n".join(_describe(file, dict(p)) for p in problems)) from error


def _read(path: Path, name: str) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ContractError(f"{name}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise ContractError(f"{name}: unreadable: {error.strerror}") from error


def _refuse(problems: Iterable[str]) -> None:
    if lines := list(problems):
        raise ContractError("\n".join(lines))


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
    if settings.contract is not None:
        carried = None
    elif settings.engine == "embedded" and settings.graph is not None:
        carried = folder_contract(settings.graph)
    contract = carried or load_contract(settings.contract)
    top = settings.top or contract.limits.top
    expanded = settings.top_expanded or max(contract.limits.top_expanded, top)
    if expanded < top:
        raise SettingsError(
            f"MOVIEGRAPH_TOP_EXPANDED is {expanded}, less than MOVIEGRAPH_TOP, {top}.",
            hint="Set it to at least MOVIEGRAPH_TOP.",
        )
    limits = contract.limits.model_copy(update={"top": top, "top_expanded": expanded})
    contract = contract.model_copy(update={"limits": limits})
    if settings.engine == "embedded":
        return contract.with_samples(folder_samples(settings.graph_folder, contract))
    return contract


def folder_samples(folder: Path, contract: Contract) -> Samples:
    """Return the samples in the manifest of a graph folder; none where no graph of it can be read.

    Opening the graph reports what is wrong with a manifest.
    """
    try:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
        is_of_contract = manifest["contract_hash"] == contract.hash
        stored = manifest["statistics"]["samples"] if is_of_contract else None
        return Samples.from_record(stored) if stored else NO_SAMPLES
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NO_SAMPLES


def folder_contract(folder: Path) -> Contract | None:
    """Return the contract that a graph folder carries, or None if it has none.

    Raises:
        ContractError: It carries one that is not valid.
    """
    if not (folder / CARRIED / SOURCE).is_file():
        return None
    try:
        return load_contract(folder / CARRIED)
    except ContractError as error:
        raise ContractError(
            f"The contract in {folder / CARRIED} is not valid: {error.message}",
            hint="Correct that file, or name another contract with --contract FOLDER.",
        ) from error


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
