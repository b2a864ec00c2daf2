"""Full-text searches: those of other systems, and the text and arguments of CONTAINS."""

import re
from itertools import pairwise

from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.regex_rules import TEXT, regex_rule

PREDICATES = ("CONTAINS", "CONTAINSTABLE")
LEXEME = re.compile(r"""\s*("[^"]*"|'[^']+'|&&|\|\||&!|[(),&|!]|[^\s"(),&|!]+)""")
MARKS = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR", "&!": "AND NOT", "!": "NOT"}
LOGIC = frozenset({"AND", "OR", "NOT", "(", ")", "AND NOT"})
LEFT_ALONE = re.compile(r"\b(NEAR|FORMSOF|ISABOUT)\b|~", re.IGNORECASE)


def _columns(names: list[str]) -> str:
    names = [name.strip() for name in names]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _against(_statement: RefusedStatement, groups: list[str]) -> str | None:
    """Return the search in natural language; the modes of MySQL weigh and expand words."""
    if "BOOLEAN" in groups[3].upper() or "EXPANSION" in groups[3].upper():
        return None
    return f"FREETEXT({_columns(groups[1].split(','))}, {groups[2]})"


match_against = regex_rule(
    "match_against",
    "A search of MySQL is FREETEXT.\n\n"
    "    SELECT Id FROM Movie WHERE MATCH(Content) AGAINST('pirates')\n"
    "    -> SELECT Id FROM Movie WHERE FREETEXT(Content, 'pirates')",
    "T-SQL searches text with CONTAINS and FREETEXT.",
    (rf"\bMATCH\s*\(([^()]+)\)\s*AGAINST\s*\(\s*({TEXT})([^()]*)\)", _against),
)


def searched_text(statement: RefusedStatement) -> Correction | None:
    """Phrases and prefixes get double quotes; operators of other systems become words.

    SELECT Id FROM Movie WHERE CONTAINS(Content, 'space pirates && war*')
    -> SELECT Id FROM Movie WHERE CONTAINS(Content, '"space pirates" AND "war*"')
    """
    edits: list[Edit] = []
    for call in statement.calls(*PREDICATES):
        tokens = [statement.tokens[part.first] for part in call.arguments[1:] if len(part) == 1]
        text = next((token for token in tokens if token.kind == "string"), None)
        fixed = repair_condition(text.name) if text else None
        if text and fixed is not None:
            prefix = text.text[: text.text.index("'")]
            edits.append(Edit(text.start, text.end, f"{prefix}{_quoted(fixed)}"))
    return correct(
        edits, "CONTAINS accepts words joined by AND, OR and AND NOT, and phrases in double quotes."
    )


def repair_condition(condition: str) -> str | None:
    """Return a CONTAINS condition that can be read, or None if the text can be, or cannot.

    Terms side by side, with commas or signs, may be required or not: those are left.
    """
    if condition.count('"') % 2 or LEFT_ALONE.search(condition):
        return None
    lexemes: list[str] = LEXEME.findall(condition)
    parts: list[str] = []
    for lexeme in lexemes:
        _read(parts, lexeme)
    parts = [part if part in LOGIC or part[0] == '"' else _phrase_of_words(part) for part in parts]
    fixed = " ".join(parts).replace("( ", "(").replace(" )", ")")
    # T-SQL reads single marks, too.
    as_read = (x if x in ("&&", "||") else MARKS.get(x, x) for x in lexemes)
    is_same = _plain(fixed) == _plain(" ".join(as_read))
    is_ambiguous = any(lexeme[0] in ",+-" for lexeme in lexemes)
    return None if is_same or is_ambiguous or not _is_joined(parts) else fixed


def _read(parts: list[str], lexeme: str) -> None:
    """Add a lexeme to the parts of a condition; bare words in a row are one part."""
    word = MARKS.get(lexeme, lexeme.upper())
    before = parts[-1] if parts else "("
    if word == "NOT" and before == "AND":
        parts[-1] = "AND NOT"
    elif word in LOGIC:
        is_second = word == "NOT" and before not in LOGIC - {")"}
        parts.append("AND NOT" if is_second else word)
    elif lexeme[0] in "\"'":
        parts.append(f'"{lexeme[1:-1]}"')
    elif before in LOGIC or before[0] == '"':
        parts.append(lexeme)
    else:
        parts[-1] = f"{before} {lexeme}"


def _phrase_of_words(text: str) -> str:
    words = text.split()
    if len(words) == 1 and text.replace("-", "").isalnum():
        return text
    is_prefix = any(word.endswith("*") for word in words)
    return f'"{" ".join(word.rstrip("*") for word in words)}{"*" if is_prefix else ""}"'


def _plain(text: str) -> str:
    return " ".join(text.upper().replace("(", " ( ").replace(")", " ) ").split())


def _is_joined(parts: list[str]) -> bool:
    """Return whether operators are between terms, and terms between operators."""
    pairs = pairwise(["(", *parts, ")"])
    return all((a in LOGIC - {")"}) is not (b in LOGIC - {"("}) for a, b in pairs)
