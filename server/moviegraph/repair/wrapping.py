"""Text around a statement, and settings before it."""

import re

from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.regex_rules import regex_rule
from moviegraph.sql.lexer import STATEMENT_WORDS

HARMLESS = re.compile(
    r"\s*(?:GO\b|EXPLAIN\b|USE\s+(?:\w+|\[[^\]]+\])|SET\s+(?:NOCOUNT|ANSI_NULLS|ANSI_WARNINGS|XACT_ABORT|"
    r"QUOTED_IDENTIFIER|ARITHABORT)\s+\w+|"
    r"SET\s+LANGUAGE\s+(?:us_)?english|SET\s+DATEFORMAT\s+mdy|"
    r"SET\s+TRANSACTION\s+ISOLATION\s+LEVEL\s+(?:\w+\s+)??\w+(?=\s*[;\n]))[ \t]*(?:;|(?=\s))",
    re.IGNORECASE,
)
FENCED = re.compile(r"```[A-Za-z-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
LABEL = re.compile(r"\A[^\n;]{0,200}:[ \t]*\r?\n?\s*(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
WHY = "Only the statement is run, without the text around it."


def code_fence(statement: RefusedStatement) -> Correction | None:
    r"""The one fenced block among prose is the statement.

    Here it is:\n```sql\nSELECT Id FROM Movie\n``` -> SELECT Id FROM Movie
    """
    blocks = list(FENCED.finditer(statement.sql))
    if len(blocks) != 1 or not statement.sql.replace(blocks[0].group(), "").strip():
        return None
    start, end = blocks[0].span(1)
    return correct((Edit(0, start, ""), Edit(end, len(statement.sql), "")), WHY)


def prose_before(statement: RefusedStatement) -> Correction | None:
    """A label before the statement is dropped.

    Here is the query: SELECT Id FROM Movie -> SELECT Id FROM Movie
    """
    match = LABEL.match(statement.sql)
    words = re.findall(r"\w+", match.group().upper()) if match else []
    if not match or (words and words[0] in STATEMENT_WORDS | {"SELECT", "WITH"}):
        return None
    return correct([Edit(0, match.end(), "")], WHY)


text_after = regex_rule(
    "text_after",
    "Prose after the semicolon is dropped, and BEGIN and END around the statement.\n\n"
    "    SELECT Id FROM Movie; This returns every film -> SELECT Id FROM Movie",
    WHY,
    (
        (
            r";\s*(?:THIS|THE|IT|NOTE|HERE|THESE)\b:?(?:\s+[^\W\d]+){2}"
            r"(?!.*\b(?:DROP|DELETE|INSERT|UPDATE|EXEC|ALTER)\b)[^;]*\Z"
        ),
        "",
    ),
    (r"\A\s*BEGIN\s+(?=SELECT\b|WITH\b)(.*?)\s*;?\s*\bEND\s*;?\s*\Z", "{1}"),
)
escaped_breaks = regex_rule(
    "escaped_breaks",
    "An escaped line break between words is a line break.\n\n"
    r"    SELECT Id\\nFROM Movie -> SELECT Id\nFROM Movie",
    r"\n and \t stood for line breaks and spaces.",
    (r"\\(?:R\\N|N|R|T)", "\n"),
)


def harmless_preamble(statement: RefusedStatement) -> Correction | None:
    """USE, GO and settings that change no result are dropped.

    USE films; SELECT Id FROM Movie -> SELECT Id FROM Movie
    """
    index = 0
    while (match := HARMLESS.match(statement.sql, index)) is not None:
        index = match.end()
    following = r"\s*(?:;\s*)?(?:SELECT|WITH)\b"
    if not index or not re.match(following, statement.sql[index:], re.IGNORECASE):
        return None
    reason = "Only the statement is run; the server chooses database and settings."
    return correct([Edit(0, index, "")], reason)
