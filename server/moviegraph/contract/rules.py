"""Fills rules.md, what a planner must know, with the names and limits of a contract."""

from pathlib import Path

from moviegraph.contract.model import Contract
from moviegraph.contract.placeholders import fill, names


def rules_markdown(contract: Contract) -> str:
    """Return dialect rules, row limits, shapes of results and errors, and the codes."""
    template = (Path(__file__).parent / "rules.md").read_text(encoding="utf-8")
    return fill(template, names(contract))
