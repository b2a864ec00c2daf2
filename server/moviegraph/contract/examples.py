"""Reads a few-shot example: front matter in SQL comment lines, then the statement."""

import re
from typing import Any, get_args

from pydantic import ValidationError

from moviegraph.contract.model import Example, Shows, nearest
from moviegraph.errors import ContractError

KEYS = ("question", "query", "shows")
SHOWS: tuple[str, ...] = get_args(Shows)


def read_example(file: str, text: str) -> Example:
    """Return the example in a file's text.

    Raises:
        ContractError: The front matter is broken; the message names file, key and line.
    """
    front, sql = _split(file, text)
    shows = _words(front.get("shows", ""))
    unknown = next((each for each in shows if each not in SHOWS), None)
    if unknown is not None:
        raise ContractError(f"{file}: shows: unknown value '{unknown}'; {_one_of(unknown, SHOWS)}")
    if not front.get("question"):
        raise ContractError(f"{file}: question: missing; start the file with `-- question: ...`")
    if not shows:
        raise ContractError(f"{file}: shows: missing; add `-- shows: ...`, any of {_list(SHOWS)}")
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
    found = re.fullmatch(r"--\s*(\w+)\s*:\s*(.*?)\s*", line)
    if found is None:
        raise ContractError(f"{file}, line {number}: expected `-- key: value`")
    key, value = found[1], found[2]
    if key not in KEYS:
        raise ContractError(f"{file}, line {number}: unknown key '{key}'; {_one_of(key, KEYS)}")
    return key, value


def _check_query(file: str, query: str | None, sql: str) -> None:
    uses = re.search(r"@q\b", sql, re.IGNORECASE) is not None
    if uses and not query:
        raise ContractError(f"{file}: query: missing, but the statement uses @q")
    if query is not None and not uses:
        raise ContractError(f"{file}: query: not allowed, because the statement does not use @q")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _one_of(word: str, known: tuple[str, ...]) -> str:
    close = nearest(word, known, 1)
    return f"did you mean '{close[0]}'?" if close else f"known: {_list(known)}"


def _list(known: tuple[str, ...]) -> str:
    return ", ".join(known)
