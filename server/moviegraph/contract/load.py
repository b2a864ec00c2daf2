"""Reads a contract folder: contract.toml, tables/*.md and examples/*.sql, cross-checked."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from moviegraph.content import content_folder
from moviegraph.contract.check import problems
from moviegraph.contract.examples import read_example
from moviegraph.contract.model import Contract, Example, nearest
from moviegraph.contract.shape import ContractShape
from moviegraph.errors import ContractError

SOURCE = "contract.toml"
MOST_NAMED = 5


def load_contract(folder: Path | None = None) -> Contract:
    """Return the contract in a folder, by default the one that ships with the package.

    Raises:
        ContractError: A file is missing or wrong; the message names file and key.
    """
    folder = folder or content_folder("schema_docs")
    shape = _shape(_toml(folder))
    pages = _pages(folder, (*shape.nodes, *shape.edges))
    contract = Contract(
        name=shape.name,
        title=shape.title,
        version=shape.version,
        description=shape.description.strip(),
        schema_name=shape.schema_name,
        language=shape.language,
        not_held=" ".join(shape.not_held.split()),
        nodes=tuple(each.table(name, pages[name]) for name, each in shape.nodes.items()),
        edges=tuple(each.table(name, pages[name]) for name, each in shape.edges.items()),
        limits=shape.read_limits(),
        glossary=shape.glossary.glossary(),
        examples=_examples(folder),
    )
    _refuse(problems(contract))
    return contract


def _toml(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise ContractError(
            f"No contract folder at {folder}.",
            hint="Name a folder that holds contract.toml, tables/ and examples/.",
        )
    text = _read(folder, SOURCE)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{SOURCE}: not valid TOML: {error}") from error


def _shape(data: dict[str, Any]) -> ContractShape:
    try:
        return ContractShape.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
        _refuse(f"{SOURCE}: {_place(each['loc'])}{_message(each)}" for each in found)
        raise AssertionError from error


def _message(error: ErrorDetails) -> str:
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


def _pages(folder: Path, tables: tuple[str, ...]) -> dict[str, str]:
    pages = {
        path.stem: _read(folder, f"tables/{path.name}") for path in _list(folder, "tables/*.md")
    }
    missing = [name for name in tables if name not in pages]
    extra = [name for name in pages if name not in tables]
    _refuse(
        [f"tables/{name}.md: missing; every table has a page" for name in missing]
        + [f"tables/{name}.md: no table has that name{_perhaps(name, tables)}" for name in extra]
        + [f"tables/{name}.md: empty" for name, text in pages.items() if not text.strip()]
    )
    return pages


def _examples(folder: Path) -> tuple[Example, ...]:
    names = [f"examples/{path.name}" for path in _list(folder, "examples/*.sql")]
    return tuple(read_example(name, _read(folder, name)) for name in names)


def _list(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=lambda path: path.name)


def _read(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise ContractError(f"{name}: missing in {folder}") from error
    except UnicodeDecodeError as error:
        raise ContractError(f"{name}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise ContractError(f"{name}: cannot be read: {error.strerror}") from error


def _perhaps(name: str, known: tuple[str, ...]) -> str:
    close = nearest(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _refuse(found: Iterable[str]) -> None:
    lines = list(found)
    if lines:
        more = f"\n(and {len(lines) - MOST_NAMED} more)" if len(lines) > MOST_NAMED else ""
        raise ContractError("\n".join(lines[:MOST_NAMED]) + more)
