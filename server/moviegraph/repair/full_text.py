"""Full-text searches: those of other systems, and the text and arguments of CONTAINS."""

import re
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct, tree_rule
from moviegraph.repair.names import fold_identifier
from moviegraph.repair.rewrites import NAME, PARENTHESES, TEXT, rewrite
from moviegraph.repair.statement_tree import StatementTree
from moviegraph.sql.syntax_tree import nodes_of

WHY = "T-SQL searches text with CONTAINS and FREETEXT."
TERM = re.compile(r'([+-]?)("[^"]+"|[^\s"]+)')
TABLES_RANKED = frozenset({"CONTAINSTABLE", "FREETEXTTABLE"})
KEYS = frozenset("id key docid rowid nodeid keyid documentid pk".split())
RANKS = frozenset("rank score relevance ranking weight rankscore searchrank textrank".split())
PREDICATES = ("CONTAINS", "CONTAINSTABLE")
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
METHODS = {"CONTAINS": "%{}%", "INCLUDES": "%{}%", "STARTSWITH": "{}%", "ENDSWITH": "%{}"}
SEARCH = r"\b(?:CONTAINS|FREETEXT)(?:TABLE\s*\(\s*[\w.]+\s*,|\s*\()\s*"
"""A search up to its columns; a ranked one names its table first."""
COLUMNS = rf"{SEARCH}(?:{PARENTHESES}|[\w.*]+)\s*,\s*"
NEGATED = re.compile(r"\s*(?:NOT\b|!)\s*(\"[^\"]+\"|[^\s\"()&|!,]+)\s*", re.IGNORECASE)


def _is_column(statement: RefusedStatement, name: str) -> bool:
    column = name.rpartition(".")[2].strip('[]"')
    return any(node.column(column) for node in statement.contract.nodes)


def _columns(names: list[str]) -> str:
    names = [name.strip() for name in names]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _content(literal: str) -> str:
    return literal[literal.index("'") + 1 : -1].replace("''", "'")


def _bare(name: str) -> str:
    return _content(name) if name.endswith("'") else name.strip('[]"')


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _against(_statement: RefusedStatement, groups: list[str]) -> str | None:
    columns, text, mode = groups[1], _content(groups[2]), groups[3].upper()
    is_boolean = "BOOLEAN" in mode
    condition = _boolean(text) if is_boolean else text
    if condition is None or "EXPANSION" in mode:
        return None
    name = "CONTAINS" if is_boolean else "FREETEXT"
    return f"{name}({_columns(columns.split(','))}, {_quoted(condition)})"


def _matched_column(statement: RefusedStatement, groups: list[str]) -> str | None:
    name = groups[1]
    node = statement.contract.node(statement.table_aliases.get(name.lower(), ""))
    if node is not None:
        return (
            f"CONTAINS({_columns([f'{name}.{column}' for column in node.searchable])}, {groups[2]})"
        )
    return f"CONTAINS({name}, {groups[2]})" if _is_column(statement, name) else None


def _matched_source(statement: RefusedStatement, groups: list[str]) -> str | None:
    return None if _is_column(statement, groups[1]) else _matched_column(statement, groups)


def _either_column(_statement: RefusedStatement, groups: list[str]) -> str:
    names = re.split(r"\s+OR\s+", groups[2], flags=re.IGNORECASE)
    return f"{groups[1]}{_columns(names)}"


def _infix(_statement: RefusedStatement, groups: list[str]) -> str:
    phrase = _content(groups[2])
    return f"CONTAINS({groups[1]}, {_quoted(_term(phrase))})"


def _method(_statement: RefusedStatement, groups: list[str]) -> str | None:
    form = METHODS[groups[2].upper().replace("_", "")]
    text = _content(groups[3])
    is_pattern = set("%_[") & set(text)
    return None if is_pattern else f"{groups[1]} LIKE {_quoted(form.format(text))}"


def _joined_texts(_statement: RefusedStatement, groups: list[str]) -> str:
    parts = re.findall(r"N?'(?:[^']|'')*'|\w+", groups[2])
    terms = [_phrase(_content(part)) if part.endswith("'") else part.upper() for part in parts]
    return f"{groups[1]}{_quoted(' '.join(terms))})"


def _phrase(text: str) -> str:
    return text if '"' in text else f'"{text.strip()}"'


def _enclosed(statement: RefusedStatement, groups: list[str]) -> str | None:
    names = _bare(groups[2]).split(",")
    is_text = groups[2].endswith("'")
    if not all(_is_column(statement, name.strip()) for name in names):
        return None
    return f"{groups[1]}{_columns(names)}" if is_text or len(names) > 1 else None


def _ranked_table(statement: RefusedStatement, groups: list[str]) -> str | None:
    function, table, columns = groups[1:]
    name = _bare(table)
    name = (
        name if statement.contract.node(name) else statement.table_aliases.get(name.lower()) or name
    )
    columns = re.sub(r"N?'(\w+)'", r"\1", re.sub(r"\b\w+\.(?=\w)", "", columns))
    text = f"{function}({name}, {columns},"
    return None if text == "".join(groups[0].split()).replace(",", ", ", 1) else text


def _unquoted(statement: RefusedStatement, groups: list[str]) -> str | None:
    words = groups[2].split()
    if any(_is_column(statement, word) for word in words):
        return None
    return f"{groups[1]}{_quoted(_term(groups[2]) if len(words) > 1 else groups[2])}"


def _text_first(statement: RefusedStatement, groups: list[str]) -> str | None:
    names = groups[3].strip("()").split(",")
    are_columns = all(_is_column(statement, name.strip()) for name in names)
    return f"{groups[1]}{groups[3]}, {groups[2]})" if are_columns else None


def _listed_columns(statement: RefusedStatement, groups: list[str]) -> str | None:
    are_columns = all(_is_column(statement, name.strip()) for name in groups[2].split(","))
    return f"{groups[1]}({groups[2]}), {groups[3]})" if are_columns else None


def _negated(_statement: RefusedStatement, groups: list[str]) -> str | None:
    match = NEGATED.fullmatch(_content(groups[2]))
    return f"NOT {groups[1]}{_quoted(match[1])})" if match else None


match_against = rewrite(
    "match_against",
    "MATCH(a, b) AGAINST('text') is FREETEXT((a, b), 'text'); in boolean mode CONTAINS.",
    WHY,
    (rf"\bMATCH\s*\(([^()]+)\)\s*AGAINST\s*\(\s*({TEXT})([^()]*)\)", _against),
)


column_match = rewrite(
    "column_match",
    "Content MATCH 'planet', as SQLite writes it, is CONTAINS(Content, 'planet').",
    WHY,
    (rf"(?<![\w.])({NAME})\s+MATCH\s+({TEXT})", _matched_column),
    (rf"\bCONTAINS\s*\(\s*(\w+)\s*,\s*({TEXT})\s*\)", _matched_source),
)
infix_contains = rewrite(
    "infix_contains",
    "a.Content CONTAINS 'x' is CONTAINS(a.Content, '\"x\"'); a.Content.contains('x') is LIKE.",
    "CONTAINS takes a column and a search condition; LIKE finds a substring.",
    (
        rf"(?<![\w.])(?!(?:WHERE|AND|OR|NOT|ON|WHEN)\b)({NAME})\s+CONTAINS\s+({TEXT})",
        _infix,
    ),
    (
        rf"(?<![\w.])({NAME})\.(CONTAINS|INCLUDES|STARTS_?WITH|ENDS_?WITH)\s*\(\s*({TEXT})\s*\)",
        _method,
    ),
)
leading_not = rewrite(
    "leading_not",
    "CONTAINS(c, 'NOT x') is NOT CONTAINS(c, 'x').",
    "A CONTAINS condition cannot start with NOT; negate the predicate instead.",
    (rf"(?<!NOT )(\bCONTAINS\s*\((?:{PARENTHESES}|[\w.*]+)\s*,\s*)({TEXT})\s*\)", _negated),
)
joined_texts = rewrite(
    "joined_texts",
    "CONTAINS(a, 'x' OR 'y') is CONTAINS(a, '\"x\" OR \"y\"').",
    "The search condition is one string.",
    (
        (
            rf"({COLUMNS})"
            rf"({TEXT}(?:\s+(?:AND\s+NOT|AND|OR)\s+{TEXT})+)\s*\)"
        ),
        _joined_texts,
    ),
)
enclosed_columns = rewrite(
    "enclosed_columns",
    "Search columns in square brackets, in a string or joined by OR belong in parentheses.",
    "Multiple columns are enclosed in parentheses.",
    (rf"({SEARCH})({NAME}(?:\s+OR\s+{NAME})+)(?=\s*,)", _either_column),
    (rf"({SEARCH})(_+|{TEXT})(?=\s*,\s*(?:{TEXT}|\w+\s*\)))", _enclosed),
)
ranked_table = rewrite(
    "ranked_table",
    "CONTAINSTABLE takes the bare names of a table and of its columns: no alias, no quotes.",
    "A ranked search names a table and its columns, without alias or quotes.",
    (
        (
            rf"\b((?:CONTAINS|FREETEXT)TABLE)\s*\(\s*({TEXT}|\w+)\s*,\s*"
            rf"({PARENTHESES}|{TEXT}|[\w.]+)\s*,"
        ),
        _ranked_table,
    ),
)
unquoted_text = rewrite(
    "unquoted_text",
    "CONTAINS(Content, pirates) lacks the quotes around its condition.",
    "The search condition is a string in single quotes.",
    (
        (
            rf"({COLUMNS})"
            r"([^\W\d]\w*(?:\s+\w+)*)(?=\s*[,)])"
        ),
        _unquoted,
    ),
)
argument_order = rewrite(
    "argument_order",
    "The columns come first, multiple ones in parentheses, then the condition.",
    "Its form is CONTAINS((a, b), 'text').",
    (rf"({SEARCH})({TEXT})\s*,\s*({PARENTHESES}|{NAME})\s*\)", _text_first),
    (rf"({SEARCH})((?:{NAME}\s*,\s*)+{NAME})\s*,\s*({TEXT})\s*\)", _listed_columns),
)


def _boolean(text: str) -> str | None:
    """Return the condition for +must -not "phrase" prefix*; without a + any of the words."""
    if set("()<>~@") & set(text):
        return None
    terms = [(sign, _term(word)) for sign, word in TERM.findall(text)]
    must = [term for sign, term in terms if sign == "+"]
    term_texts = must or [term for sign, term in terms if not sign]
    barred = [term for sign, term in terms if sign == "-"]
    if not term_texts or (must and len(must) + len(barred) < len(terms)):
        return None
    condition_text = (" AND " if must else " OR ").join(term_texts)
    condition_text = (
        f"({condition_text})" if barred and not must and len(term_texts) > 1 else condition_text
    )
    return "".join([condition_text, *(f" AND NOT {term}" for term in barred)])


def _term(word: str) -> str:
    return f'"{word.strip(chr(34))}"'


@tree_rule("The columns of a ranked search are called [KEY] and RANK.")
def ranked_column(tree: StatementTree) -> None:
    """A ranked search has [KEY] and RANK: k.Id is the one, k.score the other.

    A $node_id compared with [KEY] is the key of its node.
    """
    tables = {fold_identifier(node.name) for node in tree.contract.nodes}
    for column in nodes_of(tree.root, exp.Column):
        item = tree.item(column.table, column) if column.table else None
        if not isinstance(item, exp.Table) or item.this.name.lstrip("_") not in TABLES_RANKED:
            continue
        word = fold_identifier(column.name).removesuffix("value")
        if word in RANKS and word != "rank":
            column.set("this", exp.to_identifier("RANK"))
        elif word != "key" and (word in KEYS or word.removesuffix("id") in tables):
            column.set("this", exp.to_identifier("KEY", quoted=True))
        test = column.parent
        for side in (test.this, test.expression) if isinstance(test, exp.EQ) else ():
            is_pseudo = isinstance(side, exp.Column) and side.name.lower() == "$node_id"
            node = tree.node_of(side.table, side) if is_pseudo else None
            if node is not None:
                side.set("this", exp.to_identifier(node.key))


def searched_text(statement: RefusedStatement) -> Correction | None:
    """Phrases and prefixes get double quotes; lists and a bare NOT get their operator."""
    edits: list[Edit] = []
    for call in statement.calls(*PREDICATES):
        for argument in call.arguments[1:]:
            token = statement.tokens[argument.first]
            if token.kind != "string" or argument.last - argument.first != 1:
                continue
            fixed = repair_condition(token.name)
            if fixed is not None:
                prefix = token.text[: token.text.index("'")]
                escaped = fixed.replace("'", "''")
                edits.append(Edit(token.start, token.end, f"{prefix}'{escaped}'"))
            break
    return correct(
        edits, "CONTAINS accepts words joined by AND, OR and AND NOT, and phrases in double quotes."
    )


def _near(match: re.Match[str]) -> str:
    first, distance, last = match.groups()
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
        """Take an operator; NOT after a term is AND NOT."""
        self.flush()
        after_term = bool(self.parts) and self.parts[-1] not in LOGIC - {")"}
        if word == "NOT" and after_term:
            word = "AND NOT"
        elif word == "NOT" and self.parts and self.parts[-1] == "AND":
            self.parts[-1] = "AND NOT"
            return
        self.parts.append(word)


def repair_condition(condition_text: str) -> str | None:
    """Return a CONTAINS condition that can be read, or None where the text can be, or cannot."""
    text = INFIX_NEAR.sub(_near, _ended(condition_text))
    if text.count('"') % 2 or LEFT_ALONE.search(text):
        return None if text == condition_text else text
    lexemes: list[str] = LEXEME.findall(text)
    condition = _Condition([], [])
    for lexeme in lexemes:
        _read(condition, lexeme)
    condition.flush()
    fixed = " ".join(condition.parts).replace("( ", "(").replace(" )", ")")
    same = _plain(fixed) == _plain(" ".join(MARKS.get(x, x) for x in lexemes))
    if _is_dangling(condition.parts) or (
        same and text == condition_text.strip() and not MARKED.search(text)
    ):
        return None
    return fixed


def _ended(condition_text: str) -> str:
    """Close open quotes and parentheses, and drop an operator at its end; + and - become words."""
    text = condition_text.strip()
    if text.count('"') == 1 and text[0] == '"':
        text = f'{text}"'
    elif text.count('"') == 1 and text[-1] == '"':
        text = f'"{text}'
    if text.count('"') % 2 == 0 and text.count("(") > text.count(")"):
        text += ")" * (text.count("(") - text.count(")"))
    text = LAST_OPERATOR.sub("", text)
    text = SIGNED_TERM.sub("AND NOT ", text)
    outside = re.sub(r'"[^"]*"', lambda match: "x" * len(match.group()), text)
    for sign, word in (("-", "AND NOT"), ("+", "AND")):
        for index in reversed([match.start(1) for match in SIGNED[sign].finditer(outside)]):
            text = f"{text[:index]}{word} {text[index + 1 :]}"
            outside = f"{outside[:index]}{word} {outside[index + 1 :]}"
    return text.removeprefix("AND ") if condition_text.startswith("+") else text


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
    """Return whether an operator lacks a side: such a text means nothing that could be kept."""
    ends = not parts or parts[0] in LOGIC - {"("} or parts[-1] in LOGIC - {")"}
    pairs = pairwise(parts)
    operators = LOGIC - {"(", ")"}
    return ends or any(a in operators and b in operators for a, b in pairs)
