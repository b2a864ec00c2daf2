import re
from pathlib import Path

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import PLACEHOLDER, fill, placeholders
from moviegraph.contract.model import Contract
from moviegraph.errors import ContractError
from moviegraph.settings import content_folder
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

BOX = load_contract()
TOY = load_contract(Path(__file__).parents[2] / "toy" / "contract")
PROMPTS = sorted(
    path for path in content_folder("prompts").glob("*.md") if path.stem != "instructions"
)
FENCE = re.compile(r"```sql\n(.*?)```", re.DOTALL)
ARGUMENT = re.compile(r"argument: (\w+) \| (?:required|optional) \| \S.*")


def statements(contract: Contract) -> list[tuple[str, str]]:
    examples = [(example.id, example.sql) for example in contract.examples]
    for table in (*contract.nodes, *contract.edges):
        examples += [(table.name, sql) for sql in FENCE.findall(table.page)]
    return examples


def front_matter(path: Path) -> tuple[list[str], str]:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return front.splitlines(), body


CASES = [
    pytest.param(contract, sql, id=f"{contract.name}-{name}")
    for contract in (BOX, TOY)
    for name, sql in statements(contract)
]


@pytest.mark.parametrize(("contract", "sql"), CASES)
def test_every_statement_of_the_content_passes_the_guard_unchanged(
    contract: Contract, sql: str
) -> None:
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed), decision
    assert decision.notes == ()


def test_people_are_offered_two_prompts() -> None:
    assert [path.stem for path in PROMPTS] == ["research", "similar_to"]


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_a_prompt_uses_its_arguments_and_nothing_unknown(path: Path) -> None:
    front, body = front_matter(path)
    front_matter_keys = {line.split(": ", 1)[0] for line in front}
    arguments = [match[1] for line in front if (match := ARGUMENT.fullmatch(line))]
    used = set(PLACEHOLDER.findall(body))
    assert front_matter_keys == {"name", "title", "description", "argument"}
    assert f"name: {path.stem}" in front
    assert arguments
    assert set(arguments) <= used
    assert used <= {*arguments, *placeholders(BOX), "today"}


@pytest.mark.parametrize("contract", [BOX, TOY], ids=["box", "toy"])
def test_the_instructions_fit_and_speak_of_the_contract_served(contract: Contract) -> None:
    path = content_folder("prompts") / "instructions.md"
    text = fill(path.read_text(encoding="utf-8"), placeholders(contract))
    assert len(text) < 2000
    assert contract.nodes[0].name in text
    assert contract.edges[-1].name in text


def test_what_a_value_holds_is_not_filled_again() -> None:
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}} x"


def test_a_placeholder_without_value_is_refused() -> None:
    with pytest.raises(ContractError, match="nothing"):
        fill("{{nothing}}", {})
