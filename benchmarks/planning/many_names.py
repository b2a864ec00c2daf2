"""How long names are looked up among many, and what their index takes."""

import random
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from moviegraph.contract.loader import load_contract
from moviegraph.engines.retrieval_primitives import GraphReader, Step
from moviegraph.search.entity_index import GraphNames, name_key, name_words, runs, without_articles

LOOKUPS = 200
SYLLABLES = [f"{first}{vowel}" for first in "bdfklmnrstv" for vowel in "aeio"]


def measure(count: int) -> dict[str, Any]:
    """Return time and size of an index of so many names, spread over the kinds of the contract."""
    contract, draw = load_contract(), random.Random(20)
    kinds = [node.name for node in contract.nodes]
    names = {kind: [_name(draw) for _ in range(count // len(kinds))] for kind in kinds}

    def read(kind: str) -> list[tuple[int, str, Step]]:
        return [(key, name, "equal") for key, name in enumerate(names[kind])]

    reader = cast("GraphReader", SimpleNamespace(names=read))
    counts = {kind: len(names[kind]) for kind in kinds}
    built, index = _timed(lambda: GraphNames(contract, reader, counts))
    asked = [draw.choice(names["Movie"]) for _ in range(LOOKUPS)]
    exact, _ = _timed(
        lambda: [index.index.find(_runs(f"films like {name} or so")) for name in asked]
    )
    slips = [
        name_key(name_words(name))[:-3] + "x" + name_key(name_words(name))[-2:] for name in asked
    ]
    spelled, near = _timed(lambda: [index.spellings.nearest(slip) for slip in slips])
    return {
        "names": count,
        "built_ms": round(built, 1),
        "megabytes": round(index.nbytes / 1e6, 1),
        "question_ms": round(exact / LOOKUPS, 3),
        "slip_ms": round(spelled / LOOKUPS, 3),
        "slips_found": sum(each is not None for each in near),
        "slips": LOOKUPS,
    }


def _runs(question: str) -> list[tuple[str, ...]]:
    words = name_words(question)
    return [without_articles(words[start:end]) for start, end in runs(len(words), 7)]


def _name(draw: random.Random) -> str:
    words = [
        "".join(draw.choices(SYLLABLES, k=draw.randint(2, 4))) for _ in range(draw.randint(1, 3))
    ]
    return " ".join(words).title()


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return 1000 * (time.process_time() - began), result
