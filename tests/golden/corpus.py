"""Reads the golden statements: each begins with a header of `-- key: value` lines."""

from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
KEYS: tuple[str, ...] = ("-- name: ", "-- class: ", "-- code: ")


@dataclass(frozen=True)
class Case:
    """One statement: its name and class, and for an attack the code it is refused with."""

    name: str
    group: str
    sql: str
    code: str = ""


def cases(corpus: str) -> list[Case]:
    """Return the cases of `honest`, `originals` or `attacks`."""
    text = (FOLDER / f"{corpus}.sql").read_bytes().decode().replace("\r\n", "\n")
    blocks = ("\n" + text).split("\n" + KEYS[0])[1:]
    return [_case(KEYS[0] + block) for block in blocks]


def params(corpus: str) -> list[object]:
    """Return the cases as parameters of a test."""
    return [pytest.param(case, id=f"{case.group}: {case.name}") for case in cases(corpus)]


def _case(block: str) -> Case:
    lines = block.split("\n")
    header: dict[str, str] = dict.fromkeys(KEYS, "")
    while lines and lines[0].startswith(KEYS):
        key = next(key for key in KEYS if lines[0].startswith(key))
        header[key] = lines.pop(0).removeprefix(key)
    return Case(header[KEYS[0]], header[KEYS[1]], "\n".join(lines).rstrip("\n"), header[KEYS[2]])
