"""Full-text searches of other systems: MATCH ... AGAINST, @@ to_tsquery, MATCH of SQLite."""

import re

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range, past_parenthesis

WHY = "T-SQL searches texts by CONTAINS and FREETEXT."
TERM = re.compile(r'([+-]?)("[^"]+"|[^\s"]+)')
QUERIES = ("TO_TSQUERY", "PLAINTO_TSQUERY", "PHRASETO_TSQUERY", "WEBSEARCH_TO_TSQUERY")
TEXT_METHODS = {
    **dict.fromkeys(("CONTAINS", "INCLUDES"), "%{}%"),
    **dict.fromkeys(("STARTSWITH", "STARTS_WITH"), "{}%"),
    **dict.fromkeys(("ENDSWITH", "ENDS_WITH"), "%{}"),
}
WHERE_WORDS = frozenset({"WHERE", "AND", "OR", "NOT", "(", "ON", "WHEN"})
TABLES = ("CONTAINSTABLE", "FREETEXTTABLE")


def match_against(broken: Broken) -> Correction | None:
    """MATCH(a, b) AGAINST('text') is FREETEXT((a, b), 'text'); in boolean mode CONTAINS."""
    edits: list[Edit] = []
    for call in broken.calls("MATCH"):
        at = call.last
        if not broken.words(at, "AGAINST", "(") or not call.arguments:
            continue
        text, last = broken.pieces[at + 2], past_parenthesis(broken.pieces, at + 1)
        words = [broken.upper(here) for here in range(at + 3, last - 1)]
        columns = _columns([broken.text(each) for each in call.arguments])
        said = _boolean(text.name) if "BOOLEAN" in words else text.name
        if text.kind != "string" or said is None or "EXPANSION" in words:
            continue
        name = "CONTAINS" if "BOOLEAN" in words else "FREETEXT"
        end = broken.pieces[last - 1].end
        edits.append(Edit(broken.start(call.at), end, f"{name}({columns}, {_quoted(said)})"))
    return corrected(edits, WHY)


def _columns(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _boolean(text: str) -> str | None:
    """Return the condition for +must -not "phrase" prefix*; without a + any of the words."""
    if set("()<>~@") & set(text):
        return None
    terms = [(sign, _term(word)) for sign, word in TERM.findall(text)]
    must = [term for sign, term in terms if sign == "+"]
    wanted = must or [term for sign, term in terms if not sign]
    barred = [term for sign, term in terms if sign == "-"]
    if not wanted or (must and len(must) + len(barred) < len(terms)):
        return None
    joined = (" AND " if must else " OR ").join(wanted)
    joined = f"({joined})" if barred and not must and len(wanted) > 1 else joined
    return "".join([joined, *(f" AND NOT {term}" for term in barred)])


def _term(word: str) -> str:
    return f'"{word.strip(chr(34))}"'


def text_query(broken: Broken) -> Correction | None:
    """to_tsvector(a) @@ to_tsquery('x & y') is CONTAINS(a, '"x" AND "y"')."""
    edits: list[Edit] = []
    for at in range(1, len(broken.pieces) - 2):
        if broken.upper(at) != "@@":
            continue
        call = next((c for c in broken.calls(*QUERIES) if c.at == at + 1), None)
        left = Range(broken.operand_before(at), at)
        columns = _searched(broken, left)
        said = _asked(broken, call) if call else None
        if call is None or said is None or not columns:
            continue
        end = broken.pieces[call.last - 1].end
        text = f"CONTAINS({_columns(columns)}, {_quoted(said)})"
        edits.append(Edit(broken.start(left.first), end, text))
    return corrected(edits, WHY)


def _searched(broken: Broken, left: Range) -> list[str]:
    """Return the columns that a text vector is made of, with their aliases."""
    found: list[str] = []
    for at in range(left.first, left.last):
        piece = broken.pieces[at]
        if not piece.is_name or broken.upper(at + 1) in ("(", "."):
            continue
        if not any(node.column(piece.name) for node in broken.contract.nodes):
            continue
        qualified = broken.upper(at - 1) == "." and at >= 2
        found.append(f"{broken.pieces[at - 2].text}.{piece.text}" if qualified else piece.text)
    return list(dict.fromkeys(found))


def _asked(broken: Broken, call: CalledFunction) -> str | None:
    piece = broken.pieces[call.arguments[-1].first] if call.arguments else None
    if piece is None or piece.kind != "string":
        return None
    name, text = broken.upper(call.at), piece.name.strip()
    words = re.findall(r"\w+", text)
    if not words:
        return None
    if name == "PHRASETO_TSQUERY":
        return f'"{" ".join(words)}"'
    if name == "PLAINTO_TSQUERY":
        return " AND ".join(f'"{word}"' for word in words)
    return _websearch(text) if name == "WEBSEARCH_TO_TSQUERY" else _tsquery(text)


def _tsquery(text: str) -> str | None:
    """Return the condition of x & y | !z, with prefixes x:* and phrases x <-> y."""
    text = re.sub(r"\s*<->\s*", " ", text)
    parts = re.findall(r"'[^']+'|[\w.-]+(?: +[\w.-]+)*(?::\*)?|[&|!()]", text)
    if "".join("".join(parts).split()) != "".join(text.split()):
        return None
    words = {"&": "AND", "|": "OR", "!": "NOT", "(": "(", ")": ")"}
    read = [words.get(part) or _prefixed(part.strip("'")) for part in parts]
    return " ".join(read).replace("( ", "(").replace(" )", ")")


def _prefixed(word: str) -> str:
    return f'"{word.removesuffix(":*")}*"' if word.endswith(":*") else f'"{word}"'


def _websearch(text: str) -> str | None:
    """Return the condition of words that must all occur, "phrases", -excluded ones and or."""
    said = ""
    for sign, word in TERM.findall(text):
        if word.lower() == "or" and said:
            said += " OR "
            continue
        joined = "" if not said or said.endswith(" OR ") else " AND "
        if sign == "-" and not joined:
            return None
        said += f"{joined}{'NOT ' if sign == '-' else ''}{_term(word)}"
    return None if said.endswith(" OR ") else said


def column_match(broken: Broken) -> Correction | None:
    """Content MATCH 'planet', as SQLite writes it, is CONTAINS(Content, 'planet')."""
    edits: list[Edit] = []
    for at in range(1, len(broken.pieces) - 1):
        text = broken.pieces[at + 1]
        if broken.upper(at) != "MATCH" or text.kind != "string":
            continue
        left = Range(broken.operand_before(at), at)
        name = broken.pieces[left.last - 1].name
        source = broken.source_of(name, at) if left.last - left.first == 1 else None
        node = broken.node_of(source)
        columns = [broken.text(left)]
        if node is not None:
            columns = [f"{name}.{c.name}" for c in node.columns if c.searchable]
        elif not any(each.column(name) for each in broken.contract.nodes):
            continue
        start, end = broken.start(left.first), text.end
        edits.append(Edit(start, end, f"CONTAINS({_columns(columns)}, {text.text})"))
    return corrected(edits, WHY)


def ranked_table(broken: Broken) -> Correction | None:
    """CONTAINSTABLE takes the bare names of a table and of its columns: no alias, no quotes."""
    edits: list[Edit] = []
    form = broken.contract.nodes[0]
    why = f"Its form is CONTAINSTABLE({form.name}, ({', '.join(form.searchable)}), 'text')."
    for call in broken.calls(*TABLES):
        if len(call.arguments) < 2:
            continue
        named = call.arguments[0]
        first = broken.pieces[named.first]
        node = broken.node_of(broken.source_of(first.name, call.at))
        if named.last - named.first == 1 and first.kind == "string":
            edits.append(Edit(first.start, first.end, first.name))
        elif named.last - named.first == 1 and node and not broken.contract.node(first.name):
            edits.append(Edit(first.start, first.end, node.name))
        for at in range(call.arguments[1].first, call.arguments[1].last):
            piece = broken.pieces[at]
            if piece.kind == "string" and any(n.column(piece.name) for n in broken.contract.nodes):
                edits.append(Edit(piece.start, piece.end, piece.name))
            elif broken.upper(at + 1) == "." and piece.is_name:
                edits.append(Edit(piece.start, broken.start(at + 2), ""))
    return corrected(edits, why)


def whole_table(broken: Broken) -> Correction | None:
    """CONTAINS(m, 'text') searches the columns of m that can be searched."""
    edits: list[Edit] = []
    for call in broken.calls("CONTAINS", "FREETEXT"):
        first = call.arguments[0] if len(call.arguments) == 2 else Range(0, 0)
        name = broken.pieces[first.first].name
        node = broken.node_of(broken.source_of(name, call.at))
        if first.last - first.first != 1 or node is None or node.column(name):
            continue
        columns = [f"{name}.{column.name}" for column in node.columns if column.searchable]
        start, end = broken.start(first.first), broken.pieces[first.last - 1].end
        edits.append(Edit(start, end, _columns(columns)))
    return corrected(edits, "A search names the columns that it reads.")


def doubled_quotes(broken: Broken) -> Correction | None:
    """CONTAINS(a, ''two words'') is a text in its own quotes: '"two words"'."""
    form = re.compile(
        r"\b(?:CONTAINS|FREETEXT)(?:TABLE)?\s*\([^']*?,\s*(''\s*([^'\"]+?)\s*'')\s*[,)]", re.I
    )
    edits = [
        Edit(found.start(1), found.end(1), f"'\"{found[2]}\"'")
        for found in form.finditer(broken.sql)
    ]
    return corrected(edits, "A text has one pair of quotes; a phrase in it double ones.")


def either_not(broken: Broken) -> Correction | None:
    """CONTAINS(c, 'x OR NOT y') is CONTAINS(c, 'x') OR NOT CONTAINS(c, 'y')."""
    edits: list[Edit] = []
    for call in broken.calls("CONTAINS"):
        piece = broken.pieces[call.arguments[-1].first] if len(call.arguments) == 2 else None
        if piece is None or piece.kind != "string":
            continue
        found = re.fullmatch(r"([^()]+?)\s+OR\s+NOT\s+(\"[^\"]+\"|\w+)", piece.name.strip(), re.I)
        if found is None or re.search(r"\bOR\s+NOT\b", found[1], re.I):
            continue
        columns = broken.text(call.arguments[0])
        parts = [f"CONTAINS({columns}, {_quoted(found[number])})" for number in (1, 2)]
        text = f"({parts[0]} OR NOT {parts[1]})"
        edits.append(broken.over(call, text))
    return corrected(edits, "OR NOT is no operator of CONTAINS; NOT stands before the predicate.")


def joined_texts(broken: Broken) -> Correction | None:
    """CONTAINS(a, 'x' OR 'y') is CONTAINS(a, '"x" OR "y"')."""
    edits: list[Edit] = []
    for call in broken.calls("CONTAINS", "CONTAINSTABLE"):
        held = call.arguments[-1] if len(call.arguments) > 1 else Range(0, 0)
        pieces = broken.pieces[held.first : held.last]
        texts = [piece for piece in pieces if piece.kind == "string"]
        words = [piece.upper for piece in pieces if piece.kind != "string"]
        if len(texts) < 2 or not words or set(words) - {"AND", "OR", "NOT", "(", ")"}:
            continue
        said = " ".join(_phrase(p.name) if p.kind == "string" else p.upper for p in pieces)
        start, end = pieces[0].start, pieces[-1].end
        edits.append(Edit(start, end, _quoted(said.replace("( ", "(").replace(" )", ")"))))
    return corrected(edits, "The whole condition is one text.")


def _phrase(text: str) -> str:
    return text if '"' in text else f'"{text.strip()}"'


def infix_contains(broken: Broken) -> Correction | None:
    """a.Content CONTAINS 'x', and a.Content.contains('x'), are LIKE '%x%'."""
    edits: list[Edit] = []
    for at in range(1, len(broken.pieces) - 1):
        shape = TEXT_METHODS.get(broken.upper(at))
        method = broken.upper(at - 1) == "." and broken.upper(at + 1) == "("
        text = broken.pieces[at + 1 + method] if at + 1 + method < len(broken.pieces) else None
        infix = broken.upper(at) == "CONTAINS" and broken.pieces[at - 1].is_name
        if shape is None or text is None or text.kind != "string" or not (method or infix):
            continue
        if set("%_[") & set(text.name) or broken.upper(at - 1) in WHERE_WORDS:
            continue
        left = Range(broken.operand_before(at - method), at - method)
        if method and broken.upper(at + 3) != ")":
            continue
        escaped = text.name.replace("'", "''")
        end = broken.pieces[at + 3].end if method else text.end
        name = broken.text(left)
        edits.append(Edit(broken.start(left.first), end, f"{name} LIKE '{shape.format(escaped)}'"))
    return corrected(edits, "T-SQL looks for a part of a text by LIKE.")


def enclosed_columns(broken: Broken) -> Correction | None:
    """The columns of a search in square brackets, or in a text, stand in round ones."""
    edits: list[Edit] = []
    for call in broken.calls("CONTAINS", "FREETEXT", *TABLES):
        first = call.arguments[broken.upper(call.at) in TABLES] if len(call.arguments) > 1 else None
        piece = broken.pieces[first.first] if first and first.last - first.first == 1 else None
        if (
            piece is None
            or piece.kind not in ("name", "string")
            or piece is broken.pieces[call.last - 2]
        ):
            continue
        names = [name.strip() for name in piece.name.split(",")]
        known = all(
            any(node.column(name.rpartition(".")[2]) for node in broken.contract.nodes)
            for name in names
        )
        if known and (len(names) > 1 or piece.kind == "string"):
            edits.append(Edit(piece.start, piece.end, _columns(names)))
    return corrected(edits, "Several columns stand in round brackets.")
