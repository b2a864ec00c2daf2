"""Lists and values that lack a comma, parentheses or a name."""

from collections.abc import Iterator

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import Select, TokenRange, listed, past_parenthesis
from moviegraph.repair.selected import items_of
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.reserved import RESERVED

LITERALS = ("number", "string")


def missing_comma(statement: RefusedStatement) -> Correction | None:
    """Two qualified columns in a row are two items of the list."""
    edits: list[Edit] = []
    for select in statement.selects:
        for word in ("SELECT", "GROUP", "ORDER"):
            clause = select.clauses.get(word)
            for index in range(clause.first, clause.last - 5) if clause else ():
                if _qualified(statement, index) and _qualified(statement, index + 3):
                    end = statement.tokens[index + 2].end
                    edits.append(Edit(end, end, ","))
    return correct(edits, "The comma between two columns was missing.")


def _qualified(statement: RefusedStatement, index: int) -> bool:
    tokens = statement.tokens[index : index + 3]
    named = len(tokens) == 3 and tokens[0].is_name and tokens[2].is_name
    return named and tokens[1].text == "." and statement.upper(index - 1) != "."


def derived_alias(statement: RefusedStatement) -> Correction | None:
    """A subquery in FROM gets the alias that it needs."""
    edits: list[Edit] = []
    for source in statement.sources:
        first, last = source.range.first, source.range.last
        if source.alias or source.parts or statement.upper(first) != "(":
            continue
        if statement.upper(first + 1) != "SELECT" or statement.upper(last - 1) != ")":
            continue
        end = statement.tokens[last - 1].end
        edits.append(Edit(end, end, f" AS {_fresh(statement, len(edits) + 1)}"))
    return correct(edits, "A subquery in FROM has an alias.")


def _fresh(statement: RefusedStatement, number: int) -> str:
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    free = (f"d{n}" for n in range(1, len(taken) + number + 2) if f"d{n}" not in taken)
    return [name for name, _ in zip(free, range(number), strict=False)][-1]


def derived_name(statement: RefusedStatement) -> Correction | None:
    """A computed column of a CTE or subquery gets the name that it needs."""
    edits: list[Edit] = []
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    for select in _inner(statement):
        for number, item in enumerate(items_of(statement, select), start=1):
            if item.alias or item.has_star or _is_named(statement, item.value):
                continue
            name = next(n for n in (f"v{number}", f"w{number}", f"v{number}_") if n not in taken)
            end = statement.tokens[item.value.last - 1].end
            edits.append(Edit(end, end, f" AS {name}"))
    return correct(edits, "Each column of a CTE or subquery in FROM has a name.")


def _inner(statement: RefusedStatement) -> Iterator[Select]:
    """Yield the SELECTs of CTEs and of subqueries in FROM, first arms only."""
    opened = {source.range.first + 1 for source in statement.sources if not source.parts}
    for select in statement.selects:
        in_cte = (
            statement.upper(select.first - 1) == "(" and statement.upper(select.first - 2) == "AS"
        )
        named = statement.tokens[select.first - 3].is_name if in_cte and select.first > 2 else False
        if select.first in opened or (in_cte and named):
            yield select


def _is_named(statement: RefusedStatement, value: TokenRange) -> bool:
    equals = value.last - value.first > 2 and statement.upper(value.first + 1) == "="
    plain = all(
        token.is_name or token.text == "." for token in statement.tokens[value.first : value.last]
    )
    return equals or plain


def is_value(statement: RefusedStatement) -> Correction | None:
    """IS compares with NULL only: IS 1999 is = 1999."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.upper != "IS":
            continue
        negated = statement.upper(index + 1) == "NOT"
        value = statement.tokens[min(index + 1 + negated, len(statement.tokens) - 1)]
        if value.kind in LITERALS:
            sign = "<>" if negated else "="
            edits.append(Edit(token.start, statement.tokens[index + negated].end, sign))
    return correct(edits, "IS goes with NULL; values are compared by = and <>.")


def bare_list(statement: RefusedStatement) -> Correction | None:
    """IN 1, 2, 3 lacks its parentheses; so does IN 'a'."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.upper != "IN" or statement.tokens[index + 1].kind not in LITERALS:
            continue
        last = index + 2
        while statement.upper(last) == "," and last + 1 < len(statement.tokens):
            if statement.tokens[last + 1].kind not in LITERALS:
                break
            last += 2
        start, end = statement.start(index + 1), statement.tokens[last - 1].end
        edits += [Edit(start, start, "("), Edit(end, end, ")")]
    return correct(edits, "The list behind IN stands in parentheses.")


def missing_end(statement: RefusedStatement) -> Correction | None:
    """A CASE that lacks its END gets it behind its last value."""
    opened: list[int] = []
    for index, token in enumerate(statement.tokens):
        if token.upper == "CASE":
            opened.append(index)
        elif token.upper == "END" and opened:
            opened.pop()
    if len(opened) != 1:
        return None
    for index in range(opened[0] + 1, len(statement.tokens)):
        if statement.upper(index) == "ELSE":
            last = statement.operand_after(index)
            if last < len(statement.tokens) and statement.upper(last) in ("AS", ",", "FROM", ")"):
                end = statement.tokens[last - 1].end
                return correct([Edit(end, end, " END")], "A CASE ends with END.")
    return None


def bracketed_list(statement: RefusedStatement) -> Correction | None:
    """IN [1, 2] and IN ['a', 'b'] take round brackets."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        held = statement.tokens[index + 1]
        if token.upper == "IN" and held.kind == "name" and held.text.startswith("["):
            inner = held.text[1:-1]
            if inner and not any(char in inner for char in "[](){};"):
                edits.append(Edit(held.start, held.end, f"({inner})"))
    return correct(edits, "The list behind IN stands in round brackets.")


def else_when(statement: RefusedStatement) -> Correction | None:
    """ELSE WHEN, ELSE IF and ELSEIF before a condition are a further WHEN of the CASE."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.upper == "ELSE" and statement.upper(index + 1) in ("WHEN", "IF"):
            called = statement.upper(index + 1) == "IF" and statement.upper(index + 2) == "("
            if not called or statement.upper(statement.operand_after(index + 1)) == "THEN":
                edits.append(Edit(token.start, statement.tokens[index + 1].end, "WHEN"))
        elif token.upper in ("ELSEIF", "ELSIF"):
            edits.append(Edit(token.start, token.end, "WHEN"))
    return correct(edits, "A CASE has WHEN for each of its conditions.")


def listed_and(statement: RefusedStatement) -> Correction | None:
    """SELECT a.X AND b.Y lists two columns: neither is a condition."""
    edits: list[Edit] = []
    for select in statement.selects:
        clause = select.clauses["SELECT"]
        for index in range(clause.first + 3, clause.last - 3):
            if (
                statement.upper(index) == "AND"
                and _qualified(statement, index - 3)
                and _qualified(statement, index + 1)
            ):
                before, behind = statement.upper(index - 4), statement.upper(index + 4)
                if before in ("SELECT", ",", "DISTINCT", "AND") and behind in (
                    "FROM",
                    ",",
                    "AND",
                    "AS",
                ):
                    edits.append(
                        Edit(statement.tokens[index - 1].end, statement.tokens[index].end, ",")
                    )
    return correct(edits, "Commas separate what is listed.")


def blank_alias(statement: RefusedStatement) -> Correction | None:
    """AS Film Title, two words up to a comma or FROM, is a name in brackets."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        last = index + 1
        while last < len(statement.tokens) and statement.tokens[last].kind == "word":
            if statement.upper(last) in RESERVED:
                break
            last += 1
        listed = any(
            index in s.clauses.get("SELECT", TokenRange(0, 0)) for s in statement.around(index)
        )
        if (
            token.upper == "AS"
            and last - index > 2
            and statement.upper(last) in (",", "FROM")
            and listed
        ):
            start, end = statement.start(index + 1), statement.tokens[last - 1].end
            edits.append(Edit(start, end, f"[{statement.sql[start:end]}]"))
    return correct(edits, "A name with a blank stands in brackets.")


def value_names(statement: RefusedStatement) -> Correction | None:
    """(VALUES (1), (2)) AS v has the columns column1, column2 only where they are named."""
    edits: list[Edit] = []
    for source in statement.sources:
        first, alias = source.range.first, source.alias_at
        if alias is None or not statement.words(first, "(", "VALUES", "("):
            continue
        if statement.upper(alias + 1) == "(":
            continue
        count = len(
            listed(
                statement.tokens,
                TokenRange(first + 3, past_parenthesis(statement.tokens, first + 2) - 1),
            )
        )
        names = [f"column{n}" for n in range(1, count + 1)]
        used = {token.name.lower() for token in statement.tokens if token.is_name}
        if used & set(names):
            end = statement.tokens[alias].end
            edits.append(Edit(end, end, f"({', '.join(names)})"))
    return correct(edits, "The columns of VALUES are named behind its alias.")
