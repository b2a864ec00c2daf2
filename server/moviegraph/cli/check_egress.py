"""What `moviegraph check` says of texts that leave this machine, and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moviegraph.cli.check_result import CheckResult, ok

if TYPE_CHECKING:
    from moviegraph.settings import Settings

NAME = "sent out"
EMBEDDED = "receives the text of every semantic search and question, and all text of a load"
REPAIRED = "receives statements to repair with their errors, the contract and earlier statements"
RANKED = ", and the question with names and text of records to rank"
ASKED = "; `ask` and `load --extract` also send it records"


def sent_lines(settings: Settings) -> Iterator[CheckResult]:
    """Say for each hosted model by name which texts it gets, or that nothing is sent."""
    sent = list(_sent(settings))
    if not sent:
        yield ok(NAME, "nothing: embedding and SQL repair run on this machine")
    for text in sent:
        yield ok(NAME, text)


def _sent(settings: Settings) -> Iterator[str]:
    if not settings.embedder.strip().lower().startswith("local"):
        where = _where("MOVIEGRAPH_EMBEDDER_BASE_URL", settings.embedder_base_url)
        yield f"{settings.embedder}{where} {EMBEDDED}"
    if settings.llm is not None:
        where = _where("MOVIEGRAPH_LLM_BASE_URL", settings.llm_base_url)
        yield f"{settings.llm}{where} {REPAIRED}{RANKED if settings.rerank else ''}{ASKED}"


def _where(variable: str, address: str | None) -> str:
    """Return that an address of the operator's is asked; the address itself may hold secrets."""
    return f" (at {variable})" if address else ""
