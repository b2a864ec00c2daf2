"""Words and operators of other dialects."""

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range, Select

COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())
TRUTH = {"TRUE": "1", "FALSE": "0"}
OPERATORS = {"==": "=", "&&": "AND"}


def ilike(broken: Broken) -> Correction | None:
    """ILIKE is LIKE, which ignores case here."""
    edits = [Edit(p.start, p.end, "LIKE") for p in broken.pieces if p.upper == "ILIKE"]
    return corrected(edits, "LIKE already ignores case here.")


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
    """|| is +; a number is cast first, because + would add."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.text != "||" or piece.kind != "mark":
            continue
        edits.append(Edit(piece.start, piece.end, "+"))
        for side in (
            Range(broken.operand_before(at), at),
            Range(at + 1, broken.operand_after(at)),
        ):
            if _is_number(broken, side):
                start, end = broken.start(side.first), broken.pieces[side.last - 1].end
                edits.append(Edit(start, end, f"CAST({broken.text(side)} AS NVARCHAR(30))"))
    return corrected(edits, "T-SQL joins strings with +.")


def _is_number(broken: Broken, operand: Range) -> bool:
    """Whether an operand is a number, or a column of the contract that is no text."""
    last = broken.pieces[operand.last - 1] if operand.last <= len(broken.pieces) else None
    if last is None or last.kind in ("string", "mark"):
        return False
    if last.kind == "number":
        return operand.last - operand.first == 1
    types = {
        column.type.split("(")[0]
        for node in broken.contract.nodes
        for column in node.columns
        if column.name.lower() == last.name.lower()
    }
    return bool(types) and "NVARCHAR" not in types


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
    for word in ("LIMIT", "OFFSET"):
        clause = select.clauses.get(word)
        if clause is not None and broken.upper(clause.first - 1) == word:
            return clause.first - 1
    return None


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
        if len(numbers) == 1 and set(words) <= {"FIRST", "NEXT", "ROW", "ROWS", "ONLY"}:
            end = broken.pieces[clause.last - 1].end
            edits += _top(broken, select, numbers[0])
            edits.append(Edit(broken.start(clause.first - 1), end, ""))
    return corrected(edits, "FETCH needs an OFFSET; TOP says the same.")


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
