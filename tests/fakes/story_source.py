"""Two short stories, the scripted extraction from them, and readers of the loaded graph."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakes.sources import film

Run = Callable[..., int]
KEY = "sk-a-very-secret-key-0123456789"
ALIEN = "A crew wakes a creature in the dark of a ship. Ellen Ripley alone outlives it."
MOON = "Sam Bell, a lone miner on the far side of the Moon, doubts what he sees."
STORIES = [film(1, "Alien", ALIEN, year=1979), film(2, "Moon", MOON, year=2009)]
EXTRACTED = {
    "Alien": {
        "FEATURES_CHARACTER": [("Ellen Ripley", "Ellen Ripley alone")],
        "INCLUDES_THEME": [("Survival", "alone outlives it"), ("Loneliness", "Alone")],
        "SET_IN": [("Spaceship", "the dark of a ship")],
    },
    "Moon": {
        "FEATURES_CHARACTER": [("Sam Bell", "SAM  BELL")],
        "INCLUDES_THEME": [("loneliness", "a lone miner")],
        "SET_IN": [("The Moon", "the far side of the Moon")],
    },
}


def report_path(source_path: Path) -> Path:
    return source_path / "graph.extracted.jsonl"


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
