"""Full-text searches: those of other systems, and the text and arguments of CONTAINS."""

import re
from dataclasses import dataclass
from itertools import pairwise

from moviegraph.repair.context import CalledFunction, Correction, Edit, RefusedStatement, correct
from moviegraph.repair.names import fold_name
from moviegraph.repair.tokens import TokenRange, listed, past_parenthesis

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
TABLES_RANKED = frozenset({"CONTAINSTABLE", "FREETEXTTABLE"})
KEYS = frozenset("id key docid rowid nodeid keyid documentid pk".split())
RANKS = frozenset("rank score relevance ranking weight rankscore searchrank textrank".split())
PREDICATES = ("CONTAINS", "CONTAINSTABLE")
ALL = (*PREDICATES, "FREETEXT", "FREETEXTTABLE")
LEXEME = re.compile(r"""\s*("[^"]*"|'[^']+'|&&|\|\||&!|[(),&|!]|[^\s"(),&|!]+)""")
MARKS = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR", "&!": "AND NOT", "!": "NOT"}
LOGIC = frozenset({"AND", "OR", "NOT", "(", ")", "AND NOT"})
LAST_OPERATOR = re.compile(r"(?:\s+(?:AND NOT|AND|OR)|\s*(?:&&|\|\||[&|]))\s*\Z", re.IGNORECASE)
SIGNED = {
    "-": re.compile(r"(?<=\s)(-)(?=[\w\"])"),
    "+": re.compile(r"(?:(?<=\s)|\A)(\+)(?=[\w\"])"),
}
SIGNED_TERM = re.compile(r"\bAND\s+-(?=[\w\"])", re.IGNORECASE)
MARKED = re.compile(r"&&|\|\|")
INFIX_NEAR = re.compile(r'("[^"]+"|\w+)\s+(?:NEAR|W|WITHIN)/(\d+)\s+("[^"]+"|\w+)', re.IGNORECASE)
LEFT_ALONE = re.compile(r"\b(NEAR|FORMSOF|ISABOUT)\b|~", re.IGNORECASE)


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
    """a.Content CONTAINS 'x' is CONTAINS(a.Content, '"x"'); a.Content.contains('x') is LIKE."""
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
        found = f"CONTAINS({name}, '\"{escaped}\"')"
        condition = f"{name} LIKE '{shape.format(escaped)}'" if method else found
        edits.append(Edit(statement.start(left.first), end, condition))
    return correct(edits, "CONTAINS is called with a column and a text; a part of a text is LIKE.")


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


def ranked_column(statement: RefusedStatement) -> Correction | None:
    """A ranked search has [KEY] and RANK: k.Id is the one, and k.score the other."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if not token.is_name or statement.upper(index - 1) != "." or index < 2:
            continue
        source = statement.source_of(statement.tokens[index - 2].name, index)
        if source is None or statement.upper(source.range.first) not in TABLES_RANKED:
            continue
        word = fold_name(token.name).removesuffix("value")
        tables = {fold_name(node.name) for node in statement.contract.nodes}
        if word in RANKS and word != "rank":
            edits.append(Edit(token.start, token.end, "RANK"))
        elif word != "key" and (word in KEYS or word.removesuffix("id") in tables):
            edits.append(Edit(token.start, token.end, "[KEY]"))
    return correct(edits, "The columns of a ranked search are called [KEY] and RANK.")


def searched_text(statement: RefusedStatement) -> Correction | None:
    """Phrases and prefixes get double quotes; lists and a bare NOT get their operator."""
    edits: list[Edit] = []
    for call in statement.calls(*PREDICATES):
        for argument in call.arguments[1:]:
            token = statement.tokens[argument.first]
            if token.kind != "string" or argument.last - argument.first != 1:
                continue
            fixed = mended_condition(token.name)
            if fixed is not None:
                prefix = token.text[: token.text.index("'")]
                escaped = fixed.replace("'", "''")
                edits.append(Edit(token.start, token.end, f"{prefix}'{escaped}'"))
            break
    return correct(edits, "CONTAINS reads words joined by AND, OR, AND NOT, phrases in quotes.")


def _near(found: re.Match[str]) -> str:
    first, distance, last = found.groups()
    return f"NEAR(({first}, {last}), {distance})"


@dataclass(slots=True)
class _Condition:
    """The terms and operators of a condition as they are read."""

    parts: list[str]
    words: list[str]

    def term(self, text: str) -> None:
        """Take a finished term, joined to the one before."""
        self.flush()
        if self.parts and self.parts[-1] not in LOGIC - {")"}:
            self.parts.append("AND")
        self.parts.append(text)

    def flush(self) -> None:
        """Make one quoted phrase of the bare words read so far."""
        if not self.words:
            return
        words, self.words = self.words, []
        prefix = any(word.endswith("*") for word in words)
        simple = len(words) == 1 and not prefix and words[0].replace("-", "").isalnum()
        phrase = " ".join(word.rstrip("*") for word in words) + ("*" if prefix else "")
        self.term(words[0] if simple else f'"{phrase}"')

    def operator(self, word: str) -> None:
        """Take an operator; NOT behind a term is AND NOT."""
        self.flush()
        after_term = bool(self.parts) and self.parts[-1] not in LOGIC - {")"}
        if word == "NOT" and after_term:
            word = "AND NOT"
        elif word == "NOT" and self.parts and self.parts[-1] == "AND":
            self.parts[-1] = "AND NOT"
            return
        self.parts.append(word)


def mended_condition(given: str) -> str | None:
    """Return a CONTAINS condition that can be read, or None where the text can be, or cannot."""
    text = INFIX_NEAR.sub(_near, _ended(given))
    if text.count('"') % 2 or LEFT_ALONE.search(text):
        return None if text == given else text
    lexemes: list[str] = LEXEME.findall(text)
    condition = _Condition([], [])
    for lexeme in lexemes:
        _read(condition, lexeme)
    condition.flush()
    fixed = " ".join(condition.parts).replace("( ", "(").replace(" )", ")")
    same = _plain(fixed) == _plain(" ".join(MARKS.get(x, x) for x in lexemes))
    if _is_dangling(condition.parts) or (
        same and text == given.strip() and not MARKED.search(text)
    ):
        return None
    return fixed


def _ended(given: str) -> str:
    """Close what the text leaves open, and drop an operator at its end; + and - become words."""
    text = given.strip()
    if text.count('"') == 1 and text[0] == '"':
        text = f'{text}"'
    elif text.count('"') == 1 and text[-1] == '"':
        text = f'"{text}'
    if text.count('"') % 2 == 0 and text.count("(") > text.count(")"):
        text += ")" * (text.count("(") - text.count(")"))
    text = LAST_OPERATOR.sub("", text)
    text = SIGNED_TERM.sub("AND NOT ", text)
    outside = re.sub(r'"[^"]*"', lambda found: "x" * len(found.group()), text)
    for sign, word in (("-", "AND NOT"), ("+", "AND")):
        for index in reversed([found.start(1) for found in SIGNED[sign].finditer(outside)]):
            text = f"{text[:index]}{word} {text[index + 1 :]}"
            outside = f"{outside[:index]}{word} {outside[index + 1 :]}"
    return text.removeprefix("AND ") if given.startswith("+") else text


def _read(condition: _Condition, lexeme: str) -> None:
    upper = MARKS.get(lexeme, lexeme.upper())
    if lexeme == ",":
        condition.operator("OR")
    elif upper in LOGIC:
        condition.operator(upper)
    elif lexeme[0] in "\"'":
        condition.term(f'"{lexeme[1:-1]}"')
    else:
        condition.words.append(lexeme)


def _plain(text: str) -> str:
    return " ".join(text.upper().replace("(", " ( ").replace(")", " ) ").split())


def _is_dangling(parts: list[str]) -> bool:
    """Whether an operator lacks a side: such a text means nothing that could be kept."""
    ends = not parts or parts[0] in LOGIC - {"("} or parts[-1] in LOGIC - {")"}
    pairs = pairwise(parts)
    operators = LOGIC - {"(", ")"}
    return ends or any(a in operators and b in operators for a, b in pairs)


def leading_not(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(c, 'NOT x') is NOT CONTAINS(c, 'x')."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS"):
        text = statement.tokens[call.arguments[-1].first] if len(call.arguments) == 2 else None
        if text is None or text.kind != "string":
            continue
        found = re.fullmatch(
            r"\s*(?:NOT\b|!)\s*(\"[^\"]+\"|[^\s\"()&|!,]+)\s*", text.name, re.IGNORECASE
        )
        if found is None or statement.upper(call.index - 1) == "NOT":
            continue
        start = statement.start(call.index)
        escaped = found[1].replace("'", "''")
        edits += [Edit(start, start, "NOT "), Edit(text.start, text.end, f"'{escaped}'")]
    return correct(edits, "A condition of CONTAINS cannot begin with NOT; the predicate can.")


def unquoted_text(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(Content, pirates) lacks the quotes around its text."""
    edits: list[Edit] = []
    for call in statement.calls(*ALL):
        text_at = 2 if statement.upper(call.index).endswith("TABLE") else 1
        if len(call.arguments) <= text_at:
            continue
        argument = call.arguments[text_at]
        tokens = statement.tokens[argument.first : argument.last]
        if all(p.kind == "word" and not _is_column(statement, p.text) for p in tokens):
            words = " ".join(token.text for token in tokens)
            text = f'"{words}"' if " " in words else words
            start, end = statement.start(argument.first), statement.tokens[argument.last - 1].end
            edits.append(Edit(start, end, f"'{text}'"))
    return correct(edits, "The searched text is a string in single quotes.")


def _is_column(statement: RefusedStatement, name: str) -> bool:
    return any(node.column(name) for node in statement.contract.nodes) or name[0] in "@$"


def argument_order(statement: RefusedStatement) -> Correction | None:
    """The columns come first, several of them in parentheses, then the text."""
    edits: list[Edit] = []
    for call in statement.calls(*ALL):
        given = call.arguments[statement.upper(call.index).endswith("TABLE") :]
        if not given:
            continue
        kinds = [_kind(statement, argument) for argument in given]
        first = statement.start(given[0].first)
        end = statement.tokens[call.last - 2].end
        texts = [statement.text(argument) for argument in given]
        if kinds == ["text", "column"]:
            edits.append(Edit(first, end, f"{texts[1]}, {texts[0]}"))
        elif len(kinds) > 2 and kinds == ["column"] * (len(kinds) - 1) + ["text"]:
            edits.append(Edit(first, end, f"({', '.join(texts[:-1])}), {texts[-1]}"))
    return correct(edits, "Its form is CONTAINS((a, b), 'text').")


def _kind(statement: RefusedStatement, argument: TokenRange) -> str:
    tokens = statement.tokens[argument.first : argument.last]
    if len(tokens) == 1 and tokens[0].kind == "string":
        return "text"
    if len(tokens) > 2 and (tokens[0].text, tokens[-1].text) == ("(", ")"):
        inner = listed(statement.tokens, TokenRange(argument.first + 1, argument.last - 1))
        return "column" if all(_kind(statement, each) == "column" for each in inner) else "other"
    named = bool(tokens) and tokens[-1].is_name and _is_column(statement, tokens[-1].name)
    return "column" if named and len(tokens) in (1, 3) else "other"
