"""Calls for every framework, and words that must reach the model; without dependencies."""

from dataclasses import dataclass, field
from typing import Any

QUESTION = "Films like Alien, but funny"
BY_MEANING = (
    "SELECT TOP 5 Id, Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
)
BY_WORDS = "SELECT TOP 5 Id, Name FROM Movie WHERE CONTAINS(Content, 'spaceship')"
OLDEST = (
    "SELECT TOP 3 Name, ReleaseYear FROM Movie WHERE ReleaseYear < 1940 ORDER BY ReleaseYear, Name"
)


@dataclass(frozen=True)
class Call:
    """A call of a tool; all words must reach the model."""

    tool: str
    arguments: dict[str, Any]
    words: tuple[str, ...]
    fails: bool = False


@dataclass(frozen=True)
class Prompt:
    """A prompt, and words that it must contain."""

    name: str
    arguments: dict[str, str]
    words: tuple[str, ...]


@dataclass(frozen=True)
class CheckPlan:
    """All checks of a server."""

    tools: tuple[str, ...]
    calls: tuple[Call, ...]
    prompts: tuple[str, ...]
    prompt: Prompt
    resources: tuple[str, ...]
    read: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


CALLS = (
    Call(
        "get_planning_context",
        {"question": QUESTION},
        ("Comedy", "alias", "IN_GENRE", "not_held"),
    ),
    Call(
        "semantic_search",
        {"query": "a submarine in the war", "kind": "Movie", "top": 3},
        ("Similarity", "Das Boot", "execution_id"),
    ),
    Call(
        "fulltext_search",
        {"query": "Nostromo", "top": 3, "mode": "contains"},
        ("Rank", "Alien", "execution_id"),
    ),
    Call(
        "hybrid_search",
        {"query": "like Alien but not in space", "top": 3},
        ("SemanticRank", "Aliens", "execution_id"),
    ),
    Call(
        "graph_traverse",
        {"start": ["Alien"], "path": ["INCLUDES_THEME", "INCLUDES_THEME"], "top": 3},
        ("Theme: Survival", "Via", "execution_id"),
    ),
    Call("run_readonly_sql", {"sql": OLDEST}, ("The Cabinet of Dr. Caligari", "1920", "The Kid")),
    Call(
        "fix_sql",
        {"sql": "SELECT Name FROM Movie LIMIT 3"},
        ("SELECT TOP 3", "t_sql_form"),
    ),
    Call(
        "run_strategies",
        {
            "question": QUESTION,
            "strategies": [
                {
                    "id": "meaning",
                    "message_to_user": "By meaning",
                    "query": "a funny film about a monster in space",
                    "command": BY_MEANING,
                },
                {
                    "id": "words",
                    "message_to_user": "By words",
                    "query": "spaceship",
                    "command": BY_WORDS,
                },
            ],
        },
        ("meaning", "words", "fused", "FoundBy", "Alien"),
    ),
    Call(
        "expand_strategy",
        {"question": QUESTION, "top": 10},
        ("from_execution_id", "chosen_because", "added"),
    ),
    Call("get_records", {"kind": "Movie", "names": ["Alien"]}, ("Nostromo", "SET_IN", "1979")),
    Call(
        "run_readonly_sql",
        {"sql": "DROP TABLE Movie"},
        ("not_select", "only one SELECT"),
        fails=True,
    ),
    Call(
        "get_records",
        {"kind": "Movie", "names": ["Aliennn"]},
        ("not_found", "Alien"),
        fails=True,
    ),
)

PLAN = CheckPlan(
    tools=tuple(dict.fromkeys(call.tool for call in CALLS)),
    calls=CALLS,
    prompts=("research", "similar_to"),
    prompt=Prompt("research", {"question": QUESTION}, (QUESTION, "run_strategies")),
    resources=(
        "moviegraph://contract",
        "moviegraph://contract.json",
        "moviegraph://examples",
        "moviegraph://rules",
        "moviegraph://stats",
    ),
    read={
        "moviegraph://contract": ("INCLUDES_THEME", "Movie"),
        "moviegraph://stats": ("contract_hash", "embedded"),
        "moviegraph://tables/Theme": ("INCLUDES_THEME", "Theme"),
    },
)
