"""Reads the golden statements: each begins with a header of `-- key: value` lines."""

from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest

FOLDER = Path(__file__).parent
KEYS: tuple[str, ...] = (
    *("-- name: ", "-- class: ", "-- code: ", "-- unfixable: "),
    *("-- rules: ", "-- fresh: "),
)
INTENT_MARKER = "\n-- meant\n"


@dataclass(frozen=True)
class Case:
    """One statement: its name and class, and for an attack the code it is refused with.

    A broken one says what was meant, or why nothing can be made of it (`unfixable`); `rules` are
    those that mend it, `fresh` the set of statements written and measured before rules were
    changed for them.
    """

    name: str
    group: str
    sql: str
    code: str = ""
    meant: str = ""
    unfixable: str = ""
    rules: str = ""
    fresh: str = ""

    @property
    def held_out(self) -> bool:
        """Whether the case is not used for tuning: about a third, by the name's checksum."""
        return not self.fresh and crc32(self.name.encode()) % 3 == 0


def cases(corpus: str) -> list[Case]:
    """Return the cases of `honest`, `originals`, `attacks`, `broken` or `mended`."""
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
    sql, _, intended = "\n".join(lines).rstrip("\n").partition(INTENT_MARKER)
    name, group, code, unfixable, rules, fresh = (header[key] for key in KEYS)
    return Case(name, group, sql, code, intended, unfixable, rules, fresh)
