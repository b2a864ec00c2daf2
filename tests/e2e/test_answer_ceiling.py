"""The answer of a plan stays under 25,000 tokens for any graph."""

import json
import random
import string
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from fakes.limits import limits
from fakes.scripted_engine import ScriptedEngine
from fakes.sessions import scripted_session
from mcp import Client
from mcp.types import TextContent

from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.server import create_server
from moviegraph.settings import Settings

CEILING = 25_000


def characters(first: int, beyond: int) -> str:
    return "".join(chr(code) for code in range(first, beyond))


# Tokens that a character of random text took with vocabularies of 100,000 and 200,000 words.
ALPHABETS = (
    pytest.param(string.ascii_letters + string.digits + "+/", 0.65, id="base 64"),
    pytest.param(string.ascii_uppercase, 0.55, id="capitals"),
    pytest.param(string.punctuation, 0.62, id="punctuation"),
    pytest.param('"\\\n\t', 0.5, id="what JSON escapes"),
    pytest.param(characters(0x01, 0x20), 0.5, id="control characters"),
    pytest.param(characters(0x410, 0x450), 0.95, id="Cyrillic"),
    pytest.param(characters(0x4E00, 0x9FA0), 1.9, id="Han"),
    pytest.param(characters(0xAC00, 0xD7A0), 2.1, id="Hangul"),
    pytest.param(characters(0x0F40, 0x0F48), 3.0, id="Tibetan"),
    pytest.param(characters(0x1F300, 0x1F5FF), 3.1, id="pictures"),
    pytest.param(characters(0x20000, 0x20400), 4.0, id="rare Han"),
)


class Hostile(ScriptedEngine):
    """Gives sixty rows of long cells, and long names, whatever is asked."""

    def __init__(self, make: Callable[[int], str], columns: int) -> None:
        super().__init__(None)
        self.make = make
        self.cell = make(20_000)
        self.columns = ("Id", *(f"{make(60)}{at}" for at in range(columns - 1)))

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        if "AS [n]" in statement.allowed.sql:
            names = [(key, self.make(200), 0.5) for key in range(1, 700)]
            return ResultSet(("Id", "Name", "Similarity"), names)
        first = random.Random(statement.allowed.sql).randrange(600)
        cells = [self.cell] * (len(self.columns) - 1)
        return ResultSet(self.columns, [(first + row, *cells) for row in range(60)])


@pytest.mark.slow("long")
@pytest.mark.parametrize("columns", [pytest.param(2, id="two"), pytest.param(40, id="forty")])
@pytest.mark.parametrize(("alphabet", "tokens"), ALPHABETS)
async def test_the_answer_stays_under_its_ceiling_in_text_and_structure(
    alphabet: str, tokens: float, columns: int
) -> None:
    chance = random.Random(7)

    def make(length: int) -> str:
        return "".join(chance.choices(alphabet, k=length))

    session, _ = scripted_session(None)
    hostile = replace(session, engine=Hostile(make, columns), limits=limits(top=60))
    strategies = [
        {
            "id": f"{at:064}",
            "message_to_user": "x" * 2_000,
            "command": f"SELECT TOP 60 m.Id, m.Name FROM Movies AS m WHERE m.Id > {at}",
        }
        for at in range(10)
    ]
    async with Client(create_server(Settings(), session=hostile)) as client:
        result = await client.call_tool(
            "run_strategies", {"question": "x" * 2_000, "strategies": strategies}
        )
    (content,) = result.content
    assert isinstance(content, TextContent)
    outcome = cast("dict[str, Any]", result.structured_content)
    structure = json.dumps(outcome, ensure_ascii=False, separators=(",", ":"))

    assert [entry["status"] for entry in outcome["executions"]] == ["ok"] * 10
    assert outcome["fused"]["rows"]
    for text in (content.text, structure):
        strange = sum(character in alphabet for character in text if not character.isascii())
        plain = len(text) - strange
        most = max(0.65, tokens) * plain if strange == 0 else 0.65 * plain + tokens * strange
        assert most < CEILING
