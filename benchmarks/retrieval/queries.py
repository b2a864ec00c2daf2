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


def _query(by_key: dict[str, Any]) -> Query:
    return Query(
        kind=by_key["kind"],
        text=by_key["text"],
        films=tuple(by_key.get("films", ())),
        where=_conditions(by_key.get("where", ())),
        either=_conditions(by_key.get("either", ())),
        like=by_key.get("like"),
        without=tuple(by_key.get("without", ())),
        looked_at=by_key.get("looked_at", False),
        group=by_key.get("set"),
    )


def _conditions(arguments: Iterable[dict[str, Any]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((each["kind"], tuple(each["any"])) for each in arguments)
