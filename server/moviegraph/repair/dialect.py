"""Words and operators of other dialects."""

from moviegraph.contract.model import NodeTable
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.columns import column_meant
from moviegraph.repair.conjuncts import branches, has_or
from moviegraph.repair.like import liked
from moviegraph.repair.outline import Select, TokenRange, past_parenthesis
from moviegraph.repair.context import RefusedStatement

COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())
TRUTH = {"TRUE": "1", "FALSE": "0"}
NUMERIC = frozenset(
    "COUNT SUM AVG ROUND LEN YEAR MONTH DAY DATEPART DATEDIFF ABS FLOOR CEILING CHARINDEX".split()
)
OPERATORS = {"==": "=", "&&": "AND"}
TURNED = {("=", ">"): ">=", ("=", "<"): "<="}


def ilike(statement: RefusedStatement) -> Correction | None:
    """ILIKE is LIKE, which ignores case here; [ in its pattern is a sign like any other."""
    edits = [
        edit
        for index, p in enumerate(statement.tokens)
        if p.upper == "ILIKE"
        for edit in liked(statement, Edit(p.start, p.end, "LIKE"), index + 1)
    ]
    return correct(edits, "LIKE already ignores case here.")


def turned_operator(statement: RefusedStatement) -> Correction | None:
    """=> and =< are >= and <=."""
    edits = [
        Edit(
            token.start,
            statement.tokens[index + 1].end,
            TURNED[token.text, statement.upper(index + 1)],
        )
        for index, token in enumerate(statement.tokens[:-1])
        if (token.text, statement.upper(index + 1)) in TURNED
        and statement.tokens[index + 1].start == token.end
    ]
    return correct(edits, "The equals sign stands behind the angle.")


def escape_string(statement: RefusedStatement) -> Correction | None:
    """E'text' without a backslash in it is 'text'."""
    edits = [
        Edit(token.start, token.end, "")
        for index, token in enumerate(statement.tokens[:-1])
        if token.upper == "E"
        and statement.tokens[index + 1].kind == "string"
        and statement.tokens[index + 1].start == token.end
        and "\\" not in statement.tokens[index + 1].text
    ]
    return correct(edits, "T-SQL has no strings with a prefix E.")


def operators(statement: RefusedStatement) -> Correction | None:
    """== is =, && is AND, and MINUS between two queries is EXCEPT."""
    edits = [
        Edit(p.start, p.end, OPERATORS[p.text] if p.text == "==" else f" {OPERATORS[p.text]} ")
        for p in statement.tokens
        if p.kind == "mark" and p.text in OPERATORS
    ]
    edits += [
        Edit(p.start, p.end, "EXCEPT")
        for index, p in enumerate(statement.tokens)
        if p.upper == "MINUS" and statement.upper(index + 1) in ("SELECT", "(")
    ]
    return correct(edits, "T-SQL writes this operator otherwise.")


def concatenation(statement: RefusedStatement) -> Correction | None:
    """|| joins texts: a number beside it is cast first, and so is what may be no text."""
    signs = [index for index, token in enumerate(statement.tokens) if token.upper == "||"]
    sides = [side for index in signs for side in _terms(statement, index)]
    if any(
        {statement.upper(s.first - 1), statement.upper(s.last)} & {"+", "-", "/", "%"}
        for s in sides
    ):
        return None
    sizes = {
        side: 30 for side in sides if is_number(statement, side) or _is_product(statement, side)
    }
    if not sizes and "||" in statement.message:
        sizes = {side: "MAX" for side in sides if _is_unknown(statement, side)}
    edits = [
        Edit(
            statement.start(side.first),
            statement.tokens[side.last - 1].end,
            f"CAST({statement.text(side)} AS NVARCHAR({size}))",
        )
        for side, size in sizes.items()
    ]
    return correct(edits, "|| joins texts, so CAST makes a text of what may be none.")


def _is_unknown(statement: RefusedStatement, operand: TokenRange) -> bool:
    """Whether an operand is a column that no table of the contract has."""
    last = statement.tokens[operand.last - 1] if operand.last <= len(statement.tokens) else None
    return last is not None and last.is_name and not _types(statement, operand, last.name)


def _terms(statement: RefusedStatement, index: int) -> tuple[TokenRange, TokenRange]:
    """Return what || joins: products bind tighter in every dialect."""
    first, last = statement.operand_before(index), statement.operand_after(index)
    while first > 1 and statement.upper(first - 1) in ("*", "/", "%"):
        first = statement.operand_before(first - 1)
    while statement.upper(last) in ("*", "/", "%"):
        last = statement.operand_after(last)
    return TokenRange(first, index), TokenRange(index + 1, last)


def _is_product(statement: RefusedStatement, operand: TokenRange) -> bool:
    depth = 0
    for index in range(operand.first, operand.last):
        depth += (statement.upper(index) == "(") - (statement.upper(index) == ")")
        if depth == 0 and statement.upper(index) in ("*", "/", "%"):
            return True
    return False


def is_number(statement: RefusedStatement, operand: TokenRange) -> bool:
    """Whether an operand is a number, or a column of the contract that is no text."""
    last = statement.tokens[operand.last - 1] if operand.last <= len(statement.tokens) else None
    if last is None or last.kind == "string":
        return False
    if last.kind == "mark":
        return (
            statement.upper(operand.first) in NUMERIC and statement.upper(operand.first + 1) == "("
        )
    if last.kind == "number":
        return operand.last - operand.first == 1
    types = {kind.split("(")[0] for kind in _types(statement, operand, last.name)}
    return bool(types) and "NVARCHAR" not in types


def _types(statement: RefusedStatement, operand: TokenRange, name: str) -> set[str]:
    """Return the types that a column may have: of its table where that is known, else of any."""
    source = None
    if statement.upper(operand.last - 2) == ".":
        source = statement.source_of(statement.tokens[operand.last - 3].name, operand.first)
    node = statement.node_of(source)
    found = [node] if node else statement.contract.nodes
    columns = (each.column(column_meant(each, name) or name) for each in found)
    return {column.type for column in columns if column is not None}


def truth_values(statement: RefusedStatement) -> Correction | None:
    """TRUE and FALSE are 1 and 0, and a condition of their own 1 = 1 and 1 = 0."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper not in TRUTH:
            continue
        value = TRUTH[token.upper]
        before = statement.upper(index - 1)
        if before == "IS":
            edits += [Edit(statement.start(index - 1), token.end, f"= {value}")]
        elif before in ("WHERE", "AND", "OR", "ON", "HAVING") and _ends(statement, index + 1):
            edits.append(Edit(token.start, token.end, f"1 = {value}"))
        elif before in COMPARING | {"(", ",", "THEN", "ELSE", "SELECT"}:
            edits.append(Edit(token.start, token.end, value))
    return correct(edits, "T-SQL has no TRUE or FALSE; a BIT is 1 or 0.")


def _ends(statement: RefusedStatement, index: int) -> bool:
    return statement.upper(index) in ("", ")", "AND", "OR", "GROUP", "ORDER", "HAVING", ";")


def compared_predicate(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(...) = 1 is CONTAINS(...), and = 0 its negation."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS", "FREETEXT", "EXISTS"):
        if statement.upper(call.last) not in ("=", "==") or call.last + 1 >= len(statement.tokens):
            continue
        value = statement.tokens[call.last + 1]
        wanted = TRUTH.get(value.upper, value.text)
        if wanted not in ("0", "1"):
            continue
        end = statement.tokens[call.last - 1].end
        edits.append(Edit(end, value.end, ""))
        if wanted == "0":
            start = statement.start(call.index)
            edits.append(Edit(start, start, "NOT "))
    return correct(edits, "CONTAINS, FREETEXT and EXISTS are conditions, not values.")


def double_quoted_text(statement: RefusedStatement) -> Correction | None:
    """What stands in double quotes where a value belongs, and names nothing, is a text."""
    edits = [
        Edit(token.start, token.end, "'" + token.name.replace("'", "''") + "'")
        for index, token in enumerate(statement.tokens)
        if token.kind == "name" and token.text[0] == '"' and _is_text(statement, index)
    ]
    return correct(edits, "Text stands in single quotes; double quotes delimit names.")


def _is_text(statement: RefusedStatement, index: int) -> bool:
    if statement.upper(index - 1) not in BEFORE_TEXT or statement.upper(index + 1) == ".":
        return False
    return not _is_known(statement, statement.tokens[index].name.lower())


def _is_known(statement: RefusedStatement, name: str) -> bool:
    columns = {c.name.lower() for node in statement.contract.nodes for c in node.columns}
    tables = {table.lower() for table in statement.contract.table_names}
    return name in columns | tables | statement.aliases


def limit_offset(statement: RefusedStatement) -> Correction | None:
    """LIMIT n OFFSET m is OFFSET m ROWS FETCH NEXT n ROWS ONLY; without an offset it is TOP n."""
    edits: list[Edit] = []
    for select in statement.selects:
        index = _limit_at(statement, select)
        if index is not None:
            edits += _paged(statement, select, index)
    return correct(edits, "T-SQL has no LIMIT; it has TOP, and OFFSET with FETCH.")


def _limit_at(statement: RefusedStatement, select: Select) -> int | None:
    words = ("LIMIT", "OFFSET")
    found = [select.clauses[word].first - 1 for word in words if word in select.clauses]
    return min((index for index in found if statement.upper(index) in words), default=None)


def _paged(statement: RefusedStatement, select: Select, index: int) -> list[Edit]:
    """Read LIMIT n [OFFSET m], LIMIT m, n or OFFSET m LIMIT n up to the end of the SELECT."""
    tail = [p for p in statement.tokens[index : select.last] if p.upper not in ("ROWS", "ROW")]
    words = [p.text.upper() if p.kind == "number" else p.upper for p in tail]
    numbers = [p.text for p in tail if p.kind == "number"]
    shape = ["n" if p.kind == "number" else p.upper for p in tail]
    if shape == ["LIMIT", "n", "OFFSET", "n"]:
        count, offset = numbers
    elif shape in (["LIMIT", "n", ",", "n"], ["OFFSET", "n", "LIMIT", "n"]):
        offset, count = numbers
    elif shape == ["LIMIT", "n"] and select.depth and statement.upper(select.first + 1) != "TOP":
        count, offset = numbers[0], "0"
    else:
        return []
    end = statement.tokens[select.last - 1].end
    if offset == "0":
        return [*_top(statement, select, count), Edit(statement.start(index), end, "")]
    order = "" if "ORDER" in select.clauses else "ORDER BY 1 "
    paged = f"{order}OFFSET {offset} ROWS FETCH NEXT {count} ROWS ONLY"
    return [Edit(statement.start(index), end, paged)] if words else []


def _top(statement: RefusedStatement, select: Select, count: str) -> list[Edit]:
    index = select.first
    if statement.upper(index + 1) in ("DISTINCT", "ALL"):
        index += 1
    end = statement.tokens[index].end
    return [Edit(end, end, f" TOP {count}")]


def fetch_first(statement: RefusedStatement) -> Correction | None:
    """FETCH FIRST n ROWS ONLY without an OFFSET is TOP n."""
    edits: list[Edit] = []
    for select in statement.selects:
        clause = select.clauses.get("FETCH")
        if clause is None or "OFFSET" in select.clauses or select.arm:
            continue
        words = [p.upper for p in statement.tokens[clause.first : clause.last] if p.kind == "word"]
        numbers = [
            p.text for p in statement.tokens[clause.first : clause.last] if p.kind == "number"
        ]
        numbers = numbers or ["1"]
        if len(numbers) == 1 and set(words) <= {"FIRST", "NEXT", "ROW", "ROWS", "ONLY"}:
            end = statement.tokens[clause.last - 1].end
            edits += _top(statement, select, numbers[0])
            edits.append(Edit(statement.start(clause.first - 1), end, ""))
    return correct(edits, "FETCH needs an OFFSET; TOP says the same.")


def dual(statement: RefusedStatement) -> Correction | None:
    """FROM DUAL is no FROM at all."""
    edits = [
        Edit(statement.tokens[index - 1].end, statement.tokens[index + 1].end, "")
        for index in range(1, len(statement.tokens) - 1)
        if statement.words(index, "FROM", "DUAL")
        and statement.upper(index + 2) not in (",", "JOIN", ".")
    ]
    return correct(edits, "A SELECT of values needs no FROM.")


def row_number_limit(statement: RefusedStatement) -> Correction | None:
    """WHERE ROWNUM <= n without an ORDER BY is TOP n."""
    for select in statement.selects:
        where = select.clauses.get("WHERE")
        if where is None or select.clauses.keys() & {"ORDER", "GROUP", "HAVING"}:
            continue
        parts = [] if has_or(statement, where) else branches(statement, where, "AND")
        limits = [part for part in parts if statement.upper(part.first) == "ROWNUM"]
        if len(limits) != 1 or limits[0].last - limits[0].first != 3:
            continue
        sign, number = statement.tokens[limits[0].first + 1 : limits[0].last]
        if sign.text not in ("<=", "<") or not number.text.isdigit():
            continue
        count = int(number.text) - (sign.text == "<")
        rest = " AND ".join(statement.text(part) for part in parts if part is not limits[0])
        start, end = statement.tokens[where.first - 2].end, statement.tokens[where.last - 1].end
        edits = [*_top(statement, select, str(count)), Edit(start, end, rest and f" WHERE {rest}")]
        return correct(edits, "T-SQL has no ROWNUM; it has TOP.")
    return None


def star_without(statement: RefusedStatement) -> Correction | None:
    """SELECT * EXCEPT (a) lists the other columns of the one table, vectors left out."""
    edits: list[Edit] = []
    for select in statement.selects:
        index = select.clauses["SELECT"].first
        sources = [statement.node_of(source) for source in select.sources]
        node = sources[0] if len(sources) == 1 else None
        if statement.upper(index) != "*" or statement.upper(index + 1) not in ("EXCEPT", "EXCLUDE"):
            continue
        if statement.upper(index + 2) != "(" or statement.upper(index + 3) == "SELECT":
            continue
        last = past_parenthesis(statement.tokens, index + 2)
        out = {
            token.name.lower() for token in statement.tokens[index + 3 : last - 1] if token.is_name
        }
        node = node or _only_node(statement, last)
        if node is not None:
            kept = [c.name for c in node.columns if c.name.lower() not in out]
            named = [name for name in kept if name != node.vector]
            start, end = statement.start(index), statement.tokens[last - 1].end
            edits.append(Edit(start, end, ", ".join(named)))
    return correct(edits, "T-SQL lists the columns that are wanted.")


def _only_node(statement: RefusedStatement, index: int) -> NodeTable | None:
    """Return the table behind FROM where nothing is joined to it."""
    if statement.upper(index) != "FROM" or index + 1 >= len(statement.tokens):
        return None
    joined = {statement.upper(current) for current in range(index, len(statement.tokens))} & {
        ",",
        "JOIN",
    }
    return None if joined else statement.contract.node(statement.tokens[index + 1].name)


def nulls_order(statement: RefusedStatement) -> Correction | None:
    """NULLS FIRST and LAST: T-SQL sorts NULL lowest, so half of them say what happens anyway."""
    edits: list[Edit] = []
    for index in range(1, len(statement.tokens) - 1):
        if statement.upper(index) != "NULLS" or statement.upper(index + 1) not in ("FIRST", "LAST"):
            continue
        last = statement.upper(index + 1) == "LAST"
        descends = statement.upper(index - 1) == "DESC"
        end = statement.tokens[index + 1].end
        edits.append(Edit(statement.tokens[index - 1].end, end, ""))
        if last != descends:
            named = index - 1 if statement.upper(index - 1) in ("ASC", "DESC") else index
            operand = TokenRange(statement.operand_before(named), named)
            if statement.upper(operand.first - 1) not in ("BY", ","):
                return None
            place = statement.start(operand.first)
            one, other = ("1", "0") if last else ("0", "1")
            text = f"CASE WHEN {statement.text(operand)} IS NULL THEN {one} ELSE {other} END, "
            edits.append(Edit(place, place, text))
    return correct(edits, "T-SQL has no NULLS FIRST or LAST; NULL sorts lowest.")
