"""SQL Server joins a line of a literal that ends in a backslash with the next: none is sent."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from fakes.recording_engine import RecordingEngine
from fakes.sessions import call, column
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.errors import MoviegraphError
from moviegraph.query import readonly_sql
from moviegraph.query.rows import Rows
from moviegraph.query.session import Session
from moviegraph.search import fulltext, hybrid, semantic
from moviegraph.search.traverse import traverse
from moviegraph.sql.lexer import regions

LINE_CONTINUATIONS = ("\\\n", "\\\r")
RunQuery = Callable[[Session, str], Rows]


def words(mode: str) -> RunQuery:
    return lambda session, text: fulltext.search(session, call(), query=text, mode=mode)


def quoted(text: str) -> str:
    return "N'" + text.replace("'", "''") + "'"


def where(session: Session, text: str) -> Rows:
    condition = f"Name <> {quoted(text)} AND Content NOT LIKE {quoted(text)}"
    return semantic.search(session, call(), query="rebels", where=condition)


def sql(session: Session, text: str) -> Rows:
    return readonly_sql.run(
        session, call(), sql=f"SELECT Id FROM Movie WHERE Name = {quoted(text)}"
    )


TOOLS: dict[str, RunQuery] = {
    "words": words("auto"),
    "contains": words("contains"),
    "free text": words("freetext"),
    "hybrid": lambda session, text: hybrid.search(session, call(), query=text, keywords=text),
    "start": lambda session, text: traverse(
        session, call(), start=[text, "Star Wars"], to_kind="Theme"
    ),
    "start query": lambda session, text: traverse(
        session, call(), start_query=text, to_kind="Theme"
    ),
}
TEXTS = st.lists(
    st.sampled_from(["\\", "\n", "\r\n", "\\\n", "\\\r\n", "'", '"', " ", "Alien", "rebels", "a*"]),
    min_size=1,
    max_size=8,
).map("".join)


def strings(statement: str) -> list[str]:
    return [statement[r.start : r.end] for r in regions(statement) if r.kind == "string"]


@pytest.mark.slow("fuzzing")
@pytest.mark.parametrize("ask", [*(pytest.param(a, id=n) for n, a in TOOLS.items()), where, sql])
@given(text=TEXTS)
def test_no_literal_has_a_line_that_ends_in_a_backslash(
    films: Session, ask: RunQuery, text: str
) -> None:
    engine = RecordingEngine(films.engine)
    try:
        ask(replace(films, engine=engine), text)
    except MoviegraphError as error:
        assert error.code != "syntax" or ask in (where, sql), error.message
    for statement in engine.executed:
        assert not any(
            pair in string for pair in LINE_CONTINUATIONS for string in strings(statement)
        )


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tool", ["words", "free text", "hybrid"])
def test_a_tool_reads_lines_that_end_in_a_backslash(
    films: Session, tool: str, line_end: str
) -> None:
    session = replace(films, engine=RecordingEngine(films.engine))
    result = TOOLS[tool](session, f"rebels \\{line_end}swamp")
    assert column(result, "Id")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_statement_with_such_a_literal_is_refused_with_a_fix(
    films: Session, line_end: str
) -> None:
    for ask in (where, sql):
        with pytest.raises(MoviegraphError, match=r"CHAR\(10\)"):
            ask(films, f"a\\{line_end}b")
