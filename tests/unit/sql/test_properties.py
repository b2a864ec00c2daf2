import re
from collections.abc import Callable
from random import Random

import pytest
from fakes.shop_graph import shop_contract
from golden.decisions import BOX, TOY
from golden.dialect import Writer
from golden.statements import JUNK, damaged_statements, mutated, statements, valid_statements
from hypothesis import example, given
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.tokenizer_core import TokenType

from moviegraph.contract.model import EDGE_PSEUDO_COLUMNS, NODE_PSEUDO_COLUMNS, Contract
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.guard import Where, judge
from moviegraph.sql.lexer import FOREIGN_WORDS
from moviegraph.sql.syntax_tree import annotations, conjuncts

SHOP = shop_contract()
PSEUDO = {*NODE_PSEUDO_COLUMNS, *EDGE_PSEUDO_COLUMNS}
LITERALS = (TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.IDENTIFIER)
TOP = re.compile(r"^(WITH .*\))?\s*\(*SELECT (DISTINCT )?TOP \d+ ", re.DOTALL)
FETCH = re.compile(r"FETCH NEXT \d+ ROWS ONLY(\)*| FOR JSON .*)$")


def check(decision: Allowed, contract: Contract) -> None:
    """Check what holds of every allowed statement, from the text and the tree."""
    _check_words(decision.sql)
    _check_cap(decision, contract)
    _check_tables(decision.tree, contract)
    _check_functions(decision.tree)
    _check_vectors(decision, contract)
    _check_paths(decision.tree)
    again = judge(decision.sql, contract)
    assert isinstance(again, Allowed), again
    assert again.sql == decision.sql


def _check_words(sql: str) -> None:
    assert sql.lstrip("(").startswith(("SELECT ", "WITH "))
    words = [t.text.upper() for t in TSQL().tokenize(sql) if t.token_type not in LITERALS]
    assert not {";", "--", "/*", "GO", "INTO", "OPTION", "EXEC"}.intersection(words)
    assert not (set(words) - {"CURRENT"}).intersection(FOREIGN_WORDS)


def _check_cap(decision: Allowed, contract: Contract) -> None:
    assert TOP.search(decision.sql) or FETCH.search(decision.sql), decision.sql
    assert decision.cap <= contract.limits.top


def _check_tables(tree: exp.Expr, contract: Contract) -> None:
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Anonymous | exp.OpenJSON):
            continue
        assert not table.args.get("catalog")
        if table.args.get("db") is None:
            assert table.name.lower() in ctes
        else:
            assert table.args["db"].name == contract.schema_name
            assert table.name in contract.table_names


def _check_functions(tree: exp.Expr) -> None:
    own = (
        exp.Cast,
        exp.TryCast,
        exp.Convert,
        exp.Case,
        exp.Anonymous,
        exp.Exists,
        exp.If,
        exp.Any,
        exp.Collate,
        exp.OpenJSON,
    )
    marks = {"MATCH", "LANGUAGE"}
    for function in tree.find_all(exp.Func):
        if isinstance(function, exp.Anonymous):
            assert function.name[2:] in {*FUNCTIONS, *marks}
        else:
            assert isinstance(function, (*own, exp.And, exp.Or)), type(function)


def _check_paths(tree: exp.Expr) -> None:
    """A FOR PATH source is read only along its path."""
    tables = list(tree.find_all(exp.Table))
    plain = {table.alias_or_name for table in tables if table.args.get("version") is None}
    repeated = {table.alias_or_name for table in tables} - plain
    for column in tree.find_all(exp.Column):
        if annotations(column).alias in repeated:
            along = column.find_ancestor(exp.WithinGroup)
            assert along is not None
            assert along.expression.find(exp.Ordered).this.name == "__GRAPH_PATH"


def _check_vectors(decision: Allowed, contract: Contract) -> None:
    vectors = {node.vector for node in contract.nodes}
    for output in decision.outputs:
        assert output.column not in vectors | PSEUDO
    for column in decision.tree.find_all(exp.Column):
        if annotations(column).type != "VECTOR":
            continue
        user = column.parent
        while isinstance(user, exp.Paren):
            user = user.parent
        if isinstance(user, exp.Alias):
            user = user.parent
        function_name = user.name if isinstance(user, exp.Anonymous) else type(user).__name__
        assert function_name in ("__VECTOR_DISTANCE", "Is", "Select"), decision.sql


CONTRACTS = [
    pytest.param(BOX, id="box"),
    pytest.param(TOY, id="toy"),
    pytest.param(SHOP, id="columns of edges"),
]


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("kind", [statements, valid_statements, damaged_statements])
@given(st.data())
def test_what_is_allowed_of_generated_statements_keeps_every_promise(
    kind: Callable[[Contract], st.SearchStrategy[str]], contract: Contract, data: st.DataObject
) -> None:
    decision = judge(data.draw(kind(contract)), contract)
    if isinstance(decision, Allowed):
        check(decision, contract)


@pytest.mark.slow("rate")
@pytest.mark.parametrize("contract", CONTRACTS)
def test_most_statements_of_the_dialect_are_allowed(contract: Contract) -> None:
    sqls = [Writer(Random(seed), contract).statement() for seed in range(200)]
    allowed = [sql for sql in sqls if isinstance(judge(sql, contract), Allowed)]
    assert len(allowed) >= 0.8 * len(sqls)


@given(mutated())
def test_what_is_allowed_of_mutated_statements_keeps_every_promise(sql: str) -> None:
    decision = judge(sql, BOX)
    if isinstance(decision, Allowed):
        check(decision, BOX)


@given(JUNK | st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    for sql in (text, f"SELECT {text}", f"SELECT Name FROM Movie WHERE {text}"):
        decision = judge(sql, BOX)
        assert isinstance(decision, Allowed | Refused)


@given(JUNK | mutated())
def test_no_where_reaches_out_of_its_parentheses(text: str) -> None:
    sql = "SELECT n.Id FROM Movie AS n ORDER BY n.Id"
    decision = judge(sql, BOX, where=Where(text, "Movie", "n"))
    if isinstance(decision, Refused):
        assert decision.code == "invalid_where"
        return
    check(decision, BOX)
    tree = decision.tree
    assert isinstance(tree, exp.Select)
    assert isinstance(tree.args["where"].this, exp.Paren)
    assert len(list(tree.find_all(exp.Select, exp.Table))) == 2


@given(JUNK | mutated())
@example("Amount > 1) OR (1 = 1")
@example("Amount > 1 OR Note = 'x'")
def test_no_condition_on_edges_reaches_out_of_its_parentheses(text: str) -> None:
    sql = (
        "SELECT s.Id, t.Id FROM Customer AS s, BOUGHT AS e, Product AS t WHERE MATCH(s-(e)->t) "
        "AND s.Id = 1"
    )
    decision = judge(sql, SHOP, where=Where(text, "BOUGHT", "e", "where_edge"))
    if isinstance(decision, Refused):
        assert decision.code == "invalid_where"
        return
    check(decision, SHOP)
    tree = decision.tree
    assert isinstance(tree, exp.Select)
    both = tree.args["where"].this
    assert isinstance(both, exp.And)
    assert [type(part) for part in conjuncts(both.this)] == [exp.Anonymous, exp.EQ]
    condition = both.expression
    assert isinstance(condition, exp.Paren)
    assert {annotations(column).alias for column in condition.find_all(exp.Column)} <= {"e"}
    assert len(list(tree.find_all(exp.Select, exp.Table))) == 4


@given(mutated())
def test_every_refusal_says_something(sql: str) -> None:
    decision = judge(sql, BOX)
    if isinstance(decision, Refused):
        assert re.fullmatch(r"[a-z_]+", decision.code)
        assert 15 < len(decision.message) < 1_200
        assert decision.span is None or 0 <= decision.span[0] < decision.span[1] <= len(sql)
