"""One-line access to guard decisions, with the built-in contract and the toy one."""

from pathlib import Path

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import RowLimits, Where, judge

BOX = load_contract()
TOY = load_contract(Path(__file__).parents[1] / "toy" / "contract")


def allowed(
    sql: str,
    contract: Contract = BOX,
    limits: RowLimits | None = None,
    *,
    where: Where | None = None,
) -> Allowed:
    """Judge a statement that is allowed."""
    decision = judge(sql, contract, limits, where=where)
    assert isinstance(decision, Allowed), decision
    return decision


def refused(
    sql: str,
    contract: Contract = BOX,
    limits: RowLimits | None = None,
    *,
    where: Where | None = None,
) -> Refused:
    """Judge a statement that is refused."""
    decision = judge(sql, contract, limits, where=where)
    assert isinstance(decision, Refused), decision.sql
    return decision
