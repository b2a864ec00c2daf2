"""Full-text searches of other systems: MATCH ... AGAINST, @@ to_tsquery, MATCH of SQLite."""

import re

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange, past_parenthesis
from moviegraph.repair.context import CalledFunction, RefusedStatement

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


def match_against(statement: RefusedStatement) -> Correction | None:
    """MATCH(a, b) AGAINST('text') is FREETEXT((a, b), 'text'); in boolean mode CONTAINS."""
    edits: list[Edit] = []
    for call in statement.calls("MATCH"):
        index = call.last
        if not statement.words(index, "AGAINST", "(") or not call.arguments:
            continue
        text, last = statement.tokens[index + 2], past_parenthesis(statement.tokens, index + 1)
        words = [statement.upper(current) for current in range(index + 3, last - 1)]
        columns = _columns([statement.text(each) for each in call.arguments])
        said = _boolean(text.name) if "BOOLEAN" in words else text.name
        if text.kind != "string" or said is None or "EXPANSION" in words:
            continue
        name = "CONTAINS" if "BOOLEAN" in words else "FREETEXT"
        end = statement.tokens[last - 1].end
        edits.append(Edit(statement.start(call.index), end, f"{name}({columns}, {_quoted(said)})"))
    return correct(edits, WHY)


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


def text_query(statement: RefusedStatement) -> Correction | None:
    """to_tsvector(a) @@ to_tsquery('x & y') is CONTAINS(a, '"x" AND "y"')."""
    edits: list[Edit] = []
    for index in range(1, len(statement.tokens) - 2):
        if statement.upper(index) != "@@":
            continue
        call = next((c for c in statement.calls(*QUERIES) if c.index == index + 1), None)
        left = TokenRange(statement.operand_before(index), index)
        columns = _searched(statement, left)
        said = _asked(statement, call) if call else None
        if call is None or said is None or not columns:
            continue
        end = statement.tokens[call.last - 1].end
        text = f"CONTAINS({_columns(columns)}, {_quoted(said)})"
        edits.append(Edit(statement.start(left.first), end, text))
    return correct(edits, WHY)


def _searched(statement: RefusedStatement, left: TokenRange) -> list[str]:
    """Return the columns that a text vector is made of, with their aliases."""
    found: list[str] = []
    for index in range(left.first, left.last):
        token = statement.tokens[index]
        if not token.is_name or statement.upper(index + 1) in ("(", "."):
            continue
        if not any(node.column(token.name) for node in statement.contract.nodes):
            continue
        qualified = statement.upper(index - 1) == "." and index >= 2
        found.append(
            f"{statement.tokens[index - 2].text}.{token.text}" if qualified else token.text
        )
    return list(dict.fromkeys(found))


def _asked(statement: RefusedStatement, call: CalledFunction) -> str | None:
    token = statement.tokens[call.arguments[-1].first] if call.arguments else None
    if token is None or token.kind != "string":
        return None
    name, text = statement.upper(call.index), token.name.strip()
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


def column_match(statement: RefusedStatement) -> Correction | None:
    """Content MATCH 'planet', as SQLite writes it, is CONTAINS(Content, 'planet')."""
    edits: list[Edit] = []
    for index in range(1, len(statement.tokens) - 1):
        text = statement.tokens[index + 1]
        if statement.upper(index) != "MATCH" or text.kind != "string":
            continue
        left = TokenRange(statement.operand_before(index), index)
        name = statement.tokens[left.last - 1].name
        source = statement.source_of(name, index) if left.last - left.first == 1 else None
        node = statement.node_of(source)
        columns = [statement.text(left)]
        if node is not None:
            columns = [f"{name}.{c.name}" for c in node.columns if c.searchable]
        elif not any(each.column(name) for each in statement.contract.nodes):
            continue
        start, end = statement.start(left.first), text.end
        edits.append(Edit(start, end, f"CONTAINS({_columns(columns)}, {text.text})"))
    return correct(edits, WHY)


def ranked_table(statement: RefusedStatement) -> Correction | None:
    """CONTAINSTABLE takes the bare names of a table and of its columns: no alias, no quotes."""
    edits: list[Edit] = []
    form = statement.contract.nodes[0]
    why = f"Its form is CONTAINSTABLE({form.name}, ({', '.join(form.searchable)}), 'text')."
    for call in statement.calls(*TABLES):
        if len(call.arguments) < 2:
            continue
        named = call.arguments[0]
        first = statement.tokens[named.first]
        node = statement.node_of(statement.source_of(first.name, call.index))
        if named.last - named.first == 1 and first.kind == "string":
            edits.append(Edit(first.start, first.end, first.name))
        elif named.last - named.first == 1 and node and not statement.contract.node(first.name):
            edits.append(Edit(first.start, first.end, node.name))
        for index in range(call.arguments[1].first, call.arguments[1].last):
            token = statement.tokens[index]
            if token.kind == "string" and any(
                n.column(token.name) for n in statement.contract.nodes
            ):
                edits.append(Edit(token.start, token.end, token.name))
            elif statement.upper(index + 1) == "." and token.is_name:
                edits.append(Edit(token.start, statement.start(index + 2), ""))
    return correct(edits, why)


def whole_table(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(m, 'text') searches the columns of m that can be searched."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS", "FREETEXT"):
        first = call.arguments[0] if len(call.arguments) == 2 else TokenRange(0, 0)
        name = statement.tokens[first.first].name
        node = statement.node_of(statement.source_of(name, call.index))
        if first.last - first.first != 1 or node is None or node.column(name):
            continue
        columns = [f"{name}.{column.name}" for column in node.columns if column.searchable]
        start, end = statement.start(first.first), statement.tokens[first.last - 1].end
        edits.append(Edit(start, end, _columns(columns)))
    return correct(edits, "A search names the columns that it reads.")


def doubled_quotes(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(a, ''two words'') is a text in its own quotes: '"two words"'."""
    form = re.compile(
        r"\b(?:CONTAINS|FREETEXT)(?:TABLE)?\s*\([^']*?,\s*(''\s*([^'\"]+?)\s*'')\s*[,)]", re.I
    )
    edits = [
        Edit(found.start(1), found.end(1), f"'\"{found[2]}\"'")
        for found in form.finditer(statement.sql)
    ]
    return correct(edits, "A text has one pair of quotes; a phrase in it double ones.")


def either_not(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(c, 'x OR NOT y') is CONTAINS(c, 'x') OR NOT CONTAINS(c, 'y')."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS"):
        token = statement.tokens[call.arguments[-1].first] if len(call.arguments) == 2 else None
        if token is None or token.kind != "string":
            continue
        found = re.fullmatch(r"([^()]+?)\s+OR\s+NOT\s+(\"[^\"]+\"|\w+)", token.name.strip(), re.I)
        if found is None or re.search(r"\bOR\s+NOT\b", found[1], re.I):
            continue
        columns = statement.text(call.arguments[0])
        parts = [f"CONTAINS({columns}, {_quoted(found[number])})" for number in (1, 2)]
        text = f"({parts[0]} OR NOT {parts[1]})"
        edits.append(statement.over(call, text))
    return correct(edits, "OR NOT is no operator of CONTAINS; NOT stands before the predicate.")


def joined_texts(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(a, 'x' OR 'y') is CONTAINS(a, '"x" OR "y"')."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS", "CONTAINSTABLE"):
        held = call.arguments[-1] if len(call.arguments) > 1 else TokenRange(0, 0)
        tokens = statement.tokens[held.first : held.last]
        texts = [token for token in tokens if token.kind == "string"]
        words = [token.upper for token in tokens if token.kind != "string"]
        if len(texts) < 2 or not words or set(words) - {"AND", "OR", "NOT", "(", ")"}:
            continue
        said = " ".join(_phrase(p.name) if p.kind == "string" else p.upper for p in tokens)
        start, end = tokens[0].start, tokens[-1].end
        edits.append(Edit(start, end, _quoted(said.replace("( ", "(").replace(" )", ")"))))
    return correct(edits, "The whole condition is one text.")


def _phrase(text: str) -> str:
    return text if '"' in text else f'"{text.strip()}"'


def infix_contains(statement: RefusedStatement) -> Correction | None:
    """a.Content CONTAINS 'x', and a.Content.contains('x'), are LIKE '%x%'."""
    edits: list[Edit] = []
    for index in range(1, len(statement.tokens) - 1):
        shape = TEXT_METHODS.get(statement.upper(index))
        method = statement.upper(index - 1) == "." and statement.upper(index + 1) == "("
        text = (
            statement.tokens[index + 1 + method]
            if index + 1 + method < len(statement.tokens)
            else None
        )
        infix = statement.upper(index) == "CONTAINS" and statement.tokens[index - 1].is_name
        if shape is None or text is None or text.kind != "string" or not (method or infix):
            continue
        if set("%_[") & set(text.name) or statement.upper(index - 1) in WHERE_WORDS:
            continue
        left = TokenRange(statement.operand_before(index - method), index - method)
        if method and statement.upper(index + 3) != ")":
            continue
        escaped = text.name.replace("'", "''")
        end = statement.tokens[index + 3].end if method else text.end
        name = statement.text(left)
        edits.append(
            Edit(statement.start(left.first), end, f"{name} LIKE '{shape.format(escaped)}'")
        )
    return correct(edits, "T-SQL looks for a part of a text by LIKE.")


def enclosed_columns(statement: RefusedStatement) -> Correction | None:
    """The columns of a search in square brackets, or in a text, stand in round ones."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS", "FREETEXT", *TABLES):
        first = (
            call.arguments[statement.upper(call.index) in TABLES]
            if len(call.arguments) > 1
            else None
        )
        token = statement.tokens[first.first] if first and first.last - first.first == 1 else None
        if (
            token is None
            or token.kind not in ("name", "string")
            or token is statement.tokens[call.last - 2]
        ):
            continue
        names = [name.strip() for name in token.name.split(",")]
        known = all(
            any(node.column(name.rpartition(".")[2]) for node in statement.contract.nodes)
            for name in names
        )
        if known and (len(names) > 1 or token.kind == "string"):
            edits.append(Edit(token.start, token.end, _columns(names)))
    return correct(edits, "Several columns stand in round brackets.")
