"""Forms of other dialects, and of older T-SQL, that need no syntax tree."""

import re

from moviegraph.repair.comparison import known_names
from moviegraph.repair.context import (
    CalledFunction,
    Correction,
    Edit,
    RefusedStatement,
    apply,
    correct,
    flat,
)
from moviegraph.repair.tokens import TokenRange, past_parenthesis

FOR_XML = re.compile(r"FOR\s+XML\s+PATH\s*\(\s*N?''\s*\)(?:\s*,\s*TYPE)?", re.IGNORECASE)
XML_VALUE = re.compile(r"|\.\s*value\s*\([^()]*(?:\([^()]*\))?[^()]*\)", re.IGNORECASE)
SHAPING = frozenset("TOP DISTINCT GROUP HAVING UNION EXCEPT INTERSECT OFFSET".split())
"""Words with which the rows of a list are others than those of its FROM and WHERE."""
COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())


def double_quoted_text(statement: RefusedStatement) -> Correction | None:
    """A value in double quotes that names nothing is a text, as in MySQL.

    SELECT Id FROM Movie WHERE Name = "Alien" -> SELECT Id FROM Movie WHERE Name = 'Alien'
    """
    edits = [
        Edit(token.start, token.end, "'" + token.name.replace("'", "''") + "'")
        for index, token in enumerate(statement.tokens)
        if token.kind == "name" and token.text[0] == '"' and _is_value(statement, index)
    ]
    return correct(edits, "Strings are in single quotes; double quotes delimit names.")


def _is_value(statement: RefusedStatement, index: int) -> bool:
    """Return whether a delimited name is where a value is expected, and names nothing."""
    if statement.upper(index - 1) not in BEFORE_TEXT or statement.upper(index + 1) == ".":
        return False
    name = statement.tokens[index].name.lower()
    return name not in known_names(statement.contract) | statement.aliases


def escaped_apostrophe(statement: RefusedStatement) -> Correction | None:
    r"""A backslash before an apostrophe is a doubled one, if only so every text ends.

    SELECT Id FROM Movie WHERE Name = 'Schindler\\'s List'
    -> SELECT Id FROM Movie WHERE Name = 'Schindler''s List'
    """
    if statement.readable or "\\'" not in statement.sql:
        return None
    edits = [Edit(m.start(), m.end(), "''") for m in re.finditer(r"\\'", statement.sql)]
    repaired = RefusedStatement(apply(statement.sql, tuple(edits)), statement.contract)
    reason = "An apostrophe inside a string is doubled."
    return correct(edits, reason) if repaired.readable else None


def xml_list(statement: RefusedStatement) -> Correction | None:
    """A list joined by STUFF and FOR XML PATH('') is STRING_AGG.

    SELECT STUFF((SELECT ', ' + Name FROM Genre ORDER BY Name FOR XML PATH('')), 1, 2, '') AS n
    -> SELECT (SELECT STRING_AGG(Name, ', ') WITHIN GROUP (ORDER BY Name) FROM Genre) AS n
    """
    edits: list[Edit] = []
    for call in statement.calls("STUFF"):
        text = _joined_list(statement, call)
        if text is not None:
            edits.append(statement.over(call, text))
    return correct(edits, "STRING_AGG joins texts; T-SQL once did so by FOR XML.")


def _joined_list(statement: RefusedStatement, call: CalledFunction) -> str | None:
    """Return the SELECT of a list without its first separator, or None if it may be another."""
    if len(call.arguments) != 4 or statement.upper(call.arguments[0].first) != "(":
        return None
    listing, *rest = call.arguments
    end = past_parenthesis(statement.tokens, listing.first) - 1
    inner = flat(statement, TokenRange(listing.first + 1, end))
    words = [statement.upper(index) for index in inner]
    after = statement.text(TokenRange(end + 1, listing.last))
    if not {"FROM", "FOR"} <= set(words) or not XML_VALUE.fullmatch(after):
        return None
    source, stop = words.index("FROM"), words.index("FOR")
    order = words.index("ORDER") if "ORDER" in words else stop
    xml = statement.sql[statement.start(inner[stop]) : statement.start(end)]
    separator = statement.tokens[inner[1]]
    first_size_text = [statement.text(part) for part in rest]
    alias = source - 2 if words[source - 2] == "AS" else source
    is_list = (
        words[0] == "SELECT"
        and words[2] == "+"
        and source > 3
        and separator.kind == "string"
        and first_size_text == ["1", str(len(separator.name)), "''"]
        and FOR_XML.fullmatch(xml.strip())
        and not SHAPING & set(words)
        and "," not in words[:source]
        and (alias == source or statement.tokens[inner[alias + 1]].name == "text()")
    )
    if not is_list:
        return None
    value, rows, keys = (
        statement.sql[statement.start(inner[first]) : statement.start(inner[last])].strip()
        for first, last in ((3, alias), (source, order), (order, stop))
    )
    within = f" WITHIN GROUP ({keys})" if keys else ""
    return f"(SELECT STRING_AGG({value}, {separator.text}){within} {rows})"
