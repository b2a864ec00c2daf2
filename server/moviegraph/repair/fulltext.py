"""The text and the arguments of CONTAINS and its like."""

import re
from dataclasses import dataclass
from itertools import pairwise

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange, listed
from moviegraph.repair.context import RefusedStatement

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
