"""Words and operators of other dialects."""

from moviegraph.contract.model import NodeTable
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.columns import column_meant
from moviegraph.sql.repair.conjuncts import branches, has_or
from moviegraph.sql.repair.like import liked
from moviegraph.sql.repair.outline import Range, Select, past_parenthesis

COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())
TRUTH = {"TRUE": "1", "FALSE": "0"}
NUMERIC = frozenset(
    "COUNT SUM AVG ROUND LEN YEAR MONTH DAY DATEPART DATEDIFF ABS FLOOR CEILING CHARINDEX".split()
)
OPERATORS = {"==": "=", "&&": "AND"}
TURNED = {("=", ">"): ">=", ("=", "<"): "<="}


def ilike(broken: Broken) -> Correction | None:
    """ILIKE is LIKE, which ignores case here; [ in its pattern is a sign like any other."""
    edits = [
        edit
        for at, p in enumerate(broken.pieces)
        if p.upper == "ILIKE"
        for edit in liked(broken, Edit(p.start, p.end, "LIKE"), at + 1)
    ]
    return corrected(edits, "LIKE already ignores case here.")


def turned_operator(broken: Broken) -> Correction | None:
    """=> and =< are >= and <=."""
    edits = [
        Edit(piece.start, broken.pieces[at + 1].end, TURNED[piece.text, broken.upper(at + 1)])
        for at, piece in enumerate(broken.pieces[:-1])
        if (piece.text, broken.upper(at + 1)) in TURNED and broken.pieces[at + 1].start == piece.end
    ]
    return corrected(edits, "The equals sign stands behind the angle.")


def escape_string(broken: Broken) -> Correction | None:
    """E'text' without a backslash in it is 'text'."""
    edits = [
        Edit(piece.start, piece.end, "")
        for at, piece in enumerate(broken.pieces[:-1])
        if piece.upper == "E"
        and broken.pieces[at + 1].kind == "string"
        and broken.pieces[at + 1].start == piece.end
        and "\\" not in broken.pieces[at + 1].text
    ]
    return corrected(edits, "T-SQL has no strings with a prefix E.")


def operators(broken: Broken) -> Correction | None:
    """== is =, && is AND, and MINUS between two queries is EXCEPT."""
    edits = [
        Edit(p.start, p.end, OPERATORS[p.text] if p.text == "==" else f" {OPERATORS[p.text]} ")
        for p in broken.pieces
        if p.kind == "mark" and p.text in OPERATORS
    ]
    edits += [
        Edit(p.start, p.end, "EXCEPT")
        for at, p in enumerate(broken.pieces)
        if p.upper == "MINUS" and broken.upper(at + 1) in ("SELECT", "(")
    ]
    return corrected(edits, "T-SQL writes this operator otherwise.")


def concatenation(broken: Broken) -> Correction | None:
    """|| joins texts: a number beside it is cast first, and so is what may be no text."""
    signs = [at for at, piece in enumerate(broken.pieces) if piece.upper == "||"]
    sides = [side for at in signs for side in _terms(broken, at)]
    if any({broken.upper(s.first - 1), broken.upper(s.last)} & {"+", "-", "/", "%"} for s in sides):
        return None
    sizes = {side: 30 for side in sides if is_number(broken, side) or _is_product(broken, side)}
    if not sizes and "||" in broken.message:
        sizes = {side: "MAX" for side in sides if _is_unknown(broken, side)}
    edits = [
        Edit(
            broken.start(side.first),
            broken.pieces[side.last - 1].end,
            f"CAST({broken.text(side)} AS NVARCHAR({size}))",
        )
        for side, size in sizes.items()
    ]
    return corrected(edits, "|| joins texts, so CAST makes a text of what may be none.")


def _is_unknown(broken: Broken, operand: Range) -> bool:
    """Whether an operand is a column that no table of the contract has."""
    last = broken.pieces[operand.last - 1] if operand.last <= len(broken.pieces) else None
    return last is not None and last.is_name and not _types(broken, operand, last.name)


def _terms(broken: Broken, at: int) -> tuple[Range, Range]:
    """Return what || joins: products bind tighter in every dialect."""
    first, last = broken.operand_before(at), broken.operand_after(at)
    while first > 1 and broken.upper(first - 1) in ("*", "/", "%"):
        first = broken.operand_before(first - 1)
    while broken.upper(last) in ("*", "/", "%"):
        last = broken.operand_after(last)
    return Range(first, at), Range(at + 1, last)


def _is_product(broken: Broken, operand: Range) -> bool:
    depth = 0
    for at in range(operand.first, operand.last):
        depth += (broken.upper(at) == "(") - (broken.upper(at) == ")")
        if depth == 0 and broken.upper(at) in ("*", "/", "%"):
            return True
    return False


def is_number(broken: Broken, operand: Range) -> bool:
    """Whether an operand is a number, or a column of the contract that is no text."""
    last = broken.pieces[operand.last - 1] if operand.last <= len(broken.pieces) else None
    if last is None or last.kind == "string":
        return False
    if last.kind == "mark":
        return broken.upper(operand.first) in NUMERIC and broken.upper(operand.first + 1) == "("
    if last.kind == "number":
        return operand.last - operand.first == 1
    types = {kind.split("(")[0] for kind in _types(broken, operand, last.name)}
    return bool(types) and "NVARCHAR" not in types


def _types(broken: Broken, operand: Range, name: str) -> set[str]:
    """Return the types that a column may have: of its table where that is known, else of any."""
    source = None
    if broken.upper(operand.last - 2) == ".":
        source = broken.source_of(broken.pieces[operand.last - 3].name, operand.first)
    node = broken.node_of(source)
    found = [node] if node else broken.contract.nodes
    columns = (each.column(column_meant(each, name) or name) for each in found)
    return {column.type for column in columns if column is not None}


def truth_values(broken: Broken) -> Correction | None:
    """TRUE and FALSE are 1 and 0, and a condition of their own 1 = 1 and 1 = 0."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper not in TRUTH:
            continue
        value = TRUTH[piece.upper]
        before = broken.upper(at - 1)
        if before == "IS":
            edits += [Edit(broken.start(at - 1), piece.end, f"= {value}")]
        elif before in ("WHERE", "AND", "OR", "ON", "HAVING") and _ends(broken, at + 1):
            edits.append(Edit(piece.start, piece.end, f"1 = {value}"))
        elif before in COMPARING | {"(", ",", "THEN", "ELSE", "SELECT"}:
            edits.append(Edit(piece.start, piece.end, value))
    return corrected(edits, "T-SQL has no TRUE or FALSE; a BIT is 1 or 0.")


def _ends(broken: Broken, at: int) -> bool:
    return broken.upper(at) in ("", ")", "AND", "OR", "GROUP", "ORDER", "HAVING", ";")


def compared_predicate(broken: Broken) -> Correction | None:
    """CONTAINS(...) = 1 is CONTAINS(...), and = 0 its negation."""
    edits: list[Edit] = []
    for call in broken.calls("CONTAINS", "FREETEXT", "EXISTS"):
        if broken.upper(call.last) not in ("=", "==") or call.last + 1 >= len(broken.pieces):
            continue
        value = broken.pieces[call.last + 1]
        wanted = TRUTH.get(value.upper, value.text)
        if wanted not in ("0", "1"):
            continue
        end = broken.pieces[call.last - 1].end
        edits.append(Edit(end, value.end, ""))
        if wanted == "0":
            start = broken.start(call.at)
            edits.append(Edit(start, start, "NOT "))
    return corrected(edits, "CONTAINS, FREETEXT and EXISTS are conditions, not values.")


def double_quoted_text(broken: Broken) -> Correction | None:
    """What stands in double quotes where a value belongs, and names nothing, is a text."""
    edits = [
        Edit(piece.start, piece.end, "'" + piece.name.replace("'", "''") + "'")
        for at, piece in enumerate(broken.pieces)
        if piece.kind == "name" and piece.text[0] == '"' and _is_text(broken, at)
    ]
    return corrected(edits, "Text stands in single quotes; double quotes delimit names.")


def _is_text(broken: Broken, at: int) -> bool:
    if broken.upper(at - 1) not in BEFORE_TEXT or broken.upper(at + 1) == ".":
        return False
    return not _is_known(broken, broken.pieces[at].name.lower())


def _is_known(broken: Broken, name: str) -> bool:
    columns = {c.name.lower() for node in broken.contract.nodes for c in node.columns}
    tables = {table.lower() for table in broken.contract.table_names}
    return name in columns | tables | broken.aliases


def limit_offset(broken: Broken) -> Correction | None:
    """LIMIT n OFFSET m is OFFSET m ROWS FETCH NEXT n ROWS ONLY; without an offset it is TOP n."""
    edits: list[Edit] = []
    for select in broken.selects:
        at = _limit_at(broken, select)
        if at is not None:
            edits += _paged(broken, select, at)
    return corrected(edits, "T-SQL has no LIMIT; it has TOP, and OFFSET with FETCH.")


def _limit_at(broken: Broken, select: Select) -> int | None:
    words = ("LIMIT", "OFFSET")
    found = [select.clauses[word].first - 1 for word in words if word in select.clauses]
    return min((at for at in found if broken.upper(at) in words), default=None)


def _paged(broken: Broken, select: Select, at: int) -> list[Edit]:
    """Read LIMIT n [OFFSET m], LIMIT m, n or OFFSET m LIMIT n up to the end of the SELECT."""
    tail = [p for p in broken.pieces[at : select.last] if p.upper not in ("ROWS", "ROW")]
    words = [p.text.upper() if p.kind == "number" else p.upper for p in tail]
    numbers = [p.text for p in tail if p.kind == "number"]
    shape = ["n" if p.kind == "number" else p.upper for p in tail]
    if shape == ["LIMIT", "n", "OFFSET", "n"]:
        count, offset = numbers
    elif shape in (["LIMIT", "n", ",", "n"], ["OFFSET", "n", "LIMIT", "n"]):
        offset, count = numbers
    elif shape == ["LIMIT", "n"] and select.depth and broken.upper(select.first + 1) != "TOP":
        count, offset = numbers[0], "0"
    else:
        return []
    end = broken.pieces[select.last - 1].end
    if offset == "0":
        return [*_top(broken, select, count), Edit(broken.start(at), end, "")]
    order = "" if "ORDER" in select.clauses else "ORDER BY 1 "
    paged = f"{order}OFFSET {offset} ROWS FETCH NEXT {count} ROWS ONLY"
    return [Edit(broken.start(at), end, paged)] if words else []


def _top(broken: Broken, select: Select, count: str) -> list[Edit]:
    at = select.first
    if broken.upper(at + 1) in ("DISTINCT", "ALL"):
        at += 1
    end = broken.pieces[at].end
    return [Edit(end, end, f" TOP {count}")]


def fetch_first(broken: Broken) -> Correction | None:
    """FETCH FIRST n ROWS ONLY without an OFFSET is TOP n."""
    edits: list[Edit] = []
    for select in broken.selects:
        clause = select.clauses.get("FETCH")
        if clause is None or "OFFSET" in select.clauses or select.arm:
            continue
        words = [p.upper for p in broken.pieces[clause.first : clause.last] if p.kind == "word"]
        numbers = [p.text for p in broken.pieces[clause.first : clause.last] if p.kind == "number"]
        numbers = numbers or ["1"]
        if len(numbers) == 1 and set(words) <= {"FIRST", "NEXT", "ROW", "ROWS", "ONLY"}:
            end = broken.pieces[clause.last - 1].end
            edits += _top(broken, select, numbers[0])
            edits.append(Edit(broken.start(clause.first - 1), end, ""))
    return corrected(edits, "FETCH needs an OFFSET; TOP says the same.")


def dual(broken: Broken) -> Correction | None:
    """FROM DUAL is no FROM at all."""
    edits = [
        Edit(broken.pieces[at - 1].end, broken.pieces[at + 1].end, "")
        for at in range(1, len(broken.pieces) - 1)
        if broken.words(at, "FROM", "DUAL") and broken.upper(at + 2) not in (",", "JOIN", ".")
    ]
    return corrected(edits, "A SELECT of values needs no FROM.")


def row_number_limit(broken: Broken) -> Correction | None:
    """WHERE ROWNUM <= n without an ORDER BY is TOP n."""
    for select in broken.selects:
        where = select.clauses.get("WHERE")
        if where is None or select.clauses.keys() & {"ORDER", "GROUP", "HAVING"}:
            continue
        parts = [] if has_or(broken, where) else branches(broken, where, "AND")
        limits = [part for part in parts if broken.upper(part.first) == "ROWNUM"]
        if len(limits) != 1 or limits[0].last - limits[0].first != 3:
            continue
        sign, number = broken.pieces[limits[0].first + 1 : limits[0].last]
        if sign.text not in ("<=", "<") or not number.text.isdigit():
            continue
        count = int(number.text) - (sign.text == "<")
        rest = " AND ".join(broken.text(part) for part in parts if part is not limits[0])
        start, end = broken.pieces[where.first - 2].end, broken.pieces[where.last - 1].end
        edits = [*_top(broken, select, str(count)), Edit(start, end, rest and f" WHERE {rest}")]
        return corrected(edits, "T-SQL has no ROWNUM; it has TOP.")
    return None


def star_without(broken: Broken) -> Correction | None:
    """SELECT * EXCEPT (a) lists the other columns of the one table, vectors left out."""
    edits: list[Edit] = []
    for select in broken.selects:
        at = select.clauses["SELECT"].first
        sources = [broken.node_of(source) for source in select.sources]
        node = sources[0] if len(sources) == 1 else None
        if broken.upper(at) != "*" or broken.upper(at + 1) not in ("EXCEPT", "EXCLUDE"):
            continue
        if broken.upper(at + 2) != "(" or broken.upper(at + 3) == "SELECT":
            continue
        last = past_parenthesis(broken.pieces, at + 2)
        out = {piece.name.lower() for piece in broken.pieces[at + 3 : last - 1] if piece.is_name}
        node = node or _only_node(broken, last)
        if node is not None:
            kept = [c.name for c in node.columns if c.name.lower() not in out]
            named = [name for name in kept if name != node.vector]
            start, end = broken.start(at), broken.pieces[last - 1].end
            edits.append(Edit(start, end, ", ".join(named)))
    return corrected(edits, "T-SQL lists the columns that are wanted.")


def _only_node(broken: Broken, at: int) -> NodeTable | None:
    """Return the table behind FROM where nothing is joined to it."""
    if broken.upper(at) != "FROM" or at + 1 >= len(broken.pieces):
        return None
    joined = {broken.upper(here) for here in range(at, len(broken.pieces))} & {",", "JOIN"}
    return None if joined else broken.contract.node(broken.pieces[at + 1].name)


def nulls_order(broken: Broken) -> Correction | None:
    """NULLS FIRST and LAST: T-SQL sorts NULL lowest, so half of them say what happens anyway."""
    edits: list[Edit] = []
    for at in range(1, len(broken.pieces) - 1):
        if broken.upper(at) != "NULLS" or broken.upper(at + 1) not in ("FIRST", "LAST"):
            continue
        last = broken.upper(at + 1) == "LAST"
        descends = broken.upper(at - 1) == "DESC"
        end = broken.pieces[at + 1].end
        edits.append(Edit(broken.pieces[at - 1].end, end, ""))
        if last != descends:
            named = at - 1 if broken.upper(at - 1) in ("ASC", "DESC") else at
            operand = Range(broken.operand_before(named), named)
            if broken.upper(operand.first - 1) not in ("BY", ","):
                return None
            place = broken.start(operand.first)
            one, other = ("1", "0") if last else ("0", "1")
            text = f"CASE WHEN {broken.text(operand)} IS NULL THEN {one} ELSE {other} END, "
            edits.append(Edit(place, place, text))
    return corrected(edits, "T-SQL has no NULLS FIRST or LAST; NULL sorts lowest.")
