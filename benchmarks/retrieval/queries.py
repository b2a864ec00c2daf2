"""The queries, and what each is to find."""

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "queries.jsonl"
KINDS = ("plot", "theme", "setting", "archetype", "similar", "exact", "typo")
SEED = 20


@dataclass(frozen=True, slots=True)
class Query:
    """One text, its kind, and its truth.

    The truth is the films of some names, or those with an edge to any node that each condition
    names, or that any of those in `either` names, or those that share edges with one film while
    they are in none of some series. What is `looked_at` was tried while the search was made, and
    is never held out. A `group` was written by itself, and is reported apart.
    """

    kind: str
    text: str
    films: tuple[str, ...] = ()
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    either: tuple[tuple[str, tuple[str, ...]], ...] = ()
    like: str | None = None
    without: tuple[str, ...] = ()
    looked_at: bool = False
    group: str | None = None


def read_queries(file: Path = FILE) -> list[Query]:
    """Read the queries, one to a line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_query(json.loads(line)) for line in lines]


def halves(queries: list[Query]) -> tuple[set[str], set[str]]:
    """Split the texts into those to look at and those held out, every kind in half."""
    chance = random.Random(SEED)
    looked_at = {each.text for each in queries if each.looked_at}
    for kind in KINDS:
        texts = sorted(each.text for each in queries if each.kind == kind and not each.looked_at)
        chance.shuffle(texts)
        looked_at.update(texts[: len(texts) // 2])
    return looked_at, {each.text for each in queries} - looked_at


def _query(given: dict[str, Any]) -> Query:
    return Query(
        kind=given["kind"],
        text=given["text"],
        films=tuple(given.get("films", ())),
        where=_conditions(given.get("where", ())),
        either=_conditions(given.get("either", ())),
        like=given.get("like"),
        without=tuple(given.get("without", ())),
        looked_at=given.get("looked_at", False),
        group=given.get("set"),
    )


def _conditions(given: Iterable[dict[str, Any]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((each["kind"], tuple(each["any"])) for each in given)
