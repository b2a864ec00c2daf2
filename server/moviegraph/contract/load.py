"""Reads a contract: contract.toml, pages of tables and examples, cross-checked."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from moviegraph.content import content_folder
from moviegraph.contract.check import problems
from moviegraph.contract.examples import read_example
from moviegraph.contract.model import Contract, Example, nearest
from moviegraph.contract.shape import ContractShape, advice_for
from moviegraph.contract.toml_lines import line_numbers, line_of
from moviegraph.errors import ContractError

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
        nodes=tuple(each.table(name, pages.get(name, "")) for name, each in shape.nodes.items()),
        edges=tuple(each.table(name, pages.get(name, "")) for name, each in shape.edges.items()),
        limits=shape.read_limits(),
        glossary=shape.glossary.glossary(),
        examples=_examples(files),
        files=dict(files),
    )
    _refuse(_with_line(text, problem) for problem in problems(contract))
    return contract


def _shape(text: str) -> ContractShape:
    try:
        return ContractShape.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{SOURCE}: not valid TOML: {error}") from error
    except ValidationError as error:
        errors = error.errors(include_url=False)
        lines = (f"{SOURCE}: {_place(each['loc'])}{_message(each)}" for each in errors)
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
    wanted = (
        "INT, BIGINT, FLOAT, BIT, DATE, NVARCHAR(n), NVARCHAR(MAX) or VECTOR"
        if error["loc"][-1] == "type"
        else "a name of letters, digits and underscores, at most 64"
    )
    return f"{error['input']!r} is not {wanted}"


def _place(location: tuple[int | str, ...]) -> str:
    keys = [str(key) for key in location if key != "[key]"]
    return f"{'.'.join(keys)}: " if keys else ""


def _pages(files: Mapping[str, str], tables: tuple[str, ...]) -> dict[str, str]:
    names = (name for name in files if name.startswith("tables/"))
    pages = {name.removeprefix("tables/").removesuffix(".md"): files[name] for name in names}
    extra = [name for name in pages if name not in tables]
    _refuse(
        [f"tables/{name}.md: no table has that name{_perhaps(name, tables)}" for name in extra]
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


def _perhaps(name: str, known: tuple[str, ...]) -> str:
    close = nearest(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _refuse(problems: Iterable[str]) -> None:
    lines = list(problems)
    if lines:
        more = f"\n(and {len(lines) - MAX_SHOWN} more)" if len(lines) > MAX_SHOWN else ""
        raise ContractError("\n".join(lines[:MAX_SHOWN]) + more)
