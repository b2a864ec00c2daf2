"""Checks of the text and its tokens before anything recursive runs: sizes, characters, keywords."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.contract.statement_limits import MAX_CHARACTERS, MAX_NESTING, MAX_STRING, MAX_TOKENS
from moviegraph.errors import Span
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.functions import NEAREST
from moviegraph.sql.lexer import (
    COLON,
    LITERALS,
    QUOTED,
    RESERVED,
    STATEMENT_WORDS,
    STRINGS,
    TWO_WORD_TYPES,
    TWO_WORDS,
    Region,
    TokenCursor,
    check_lines,
    keyword_text,
    regions,
    tokenize,
)

MAX_PREFIXES = 8
MAX_NAME = 128
FENCE = re.compile(r"\A\s*```[A-Za-z-]*[ \t]*\r?\n")
BATCH_END = re.compile(r"(?:^|\n)[ \t]*GO[ \t]*(?=\r?\n|\Z)", re.IGNORECASE)
TRAILING_COMMA = re.compile(
    r",(?=\s+(?:FROM|WHERE|GROUP|HAVING|ORDER|UNION|EXCEPT|INTERSECT)\b)", re.IGNORECASE
)
PLACEHOLDER = re.compile(r"%(?=q\b)|(?<![\w)\]]):(?=q\b)", re.IGNORECASE)
UNREADABLE = re.compile("[\0\ud800-\udfff]")
NOT_PLAIN = re.compile(r"[^ -~\t\n\r]")
OPERATORS = frozenset("( ) { } , . : ; + - * / % & | ^ ~ @ = <> != < > <= >= ! -> ||".split())
UNFINISHED = TWO_WORDS.union(
    "SELECT FROM WHERE AND OR NOT ON JOIN HAVING WHEN THEN ELSE BETWEEN IN LIKE , = <> < >".split()
)
BRACES = (
    "Braces are allowed only after what SHORTEST_PATH repeats, as {1,3}; call the function itself."
)
DOUBLED = {
    "//": "T-SQL has no //: whole numbers divided by / give a whole number, others need "
    "FLOOR(a / b); a comment begins with --.",
    "**": "T-SQL has no **; write POWER(x, n).",
}
LONE = {"#": "A comment begins with --, not with #; exclusive or is ^."}
FOREIGN_TOKENS = {
    "::": "T-SQL has no ::; write CAST(x AS type).",
    "==": "T-SQL compares with a single =.",
    "<=>": "T-SQL has no <=>; write VECTOR_DISTANCE('cosine', t.Embedding, @q) for embeddings, and "
    "IS NOT DISTINCT FROM for other values.",
    "&&": "T-SQL has no &&; write AND.",
    "~~": "T-SQL has no ~~; write LIKE.",
    "->>": "T-SQL reads JSON with JSON_VALUE(x, '$.key'), not with ->>.",
    "#": "Temporary tables cannot be read; use a CTE: WITH x AS (SELECT ...).",
    "?": LITERALS,
    "`": "Write names in brackets, [like this], not between backticks.",
    "\\": "A backslash is not part of the dialect outside a string.",
}
TABLE_HINTS = frozenset(
    """
    FORCESCAN FORCESEEK HOLDLOCK INDEX NOEXPAND NOLOCK NOWAIT PAGLOCK READCOMMITTED
    READCOMMITTEDLOCK READPAST READUNCOMMITTED REPEATABLEREAD ROWLOCK SERIALIZABLE SNAPSHOT TABLOCK
    TABLOCKX UPDLOCK XLOCK
    """.split()
)
BEFORE_DISTINCT = frozenset({"SELECT", "(", "IS", "NOT"})
BEFORE_LIST = frozenset({"SELECT", "FROM", "GROUP BY", "ORDER BY", "PARTITION BY", "("})
NO_NAME = frozenset({"FROM", "WHERE", "GROUP BY", "ORDER BY", "UNION", "FOR", "TOP", "HAVING"})
AFTER_WITH = frozenset({"(", "TIES", "ROLLUP", "CUBE"})


@dataclass(frozen=True, slots=True)
class CheckedInput:
    """Text of the same length as the input, comments and habits blanked, with its tokens."""

    sql: str
    tokens: list[Token]
    notes: tuple[str, ...]


def check_input(sql: str) -> CheckedInput:
    """Check sizes, characters and the first word; blank comments and faithful habits.

    Raises RefusalError.
    """
    _check_size(sql)
    text, notes = _drop_fence(sql)
    parts = list(regions(text))
    _check_characters(text, parts)
    text, more = _blank_comments(text, parts)
    tokens = tokenize(text, parts)
    _check_names(text, tokens)
    _check_start(tokens)
    _check_tokens(tokens)
    _check_single(tokens)
    _check_end(tokens)
    return CheckedInput(text, tokens, (*notes, *more))


def _check_size(sql: str) -> None:
    if len(sql) > MAX_CHARACTERS:
        raise RefusalError(
            "too_large",
            f"The statement has {len(sql):,} characters; at most {MAX_CHARACTERS:,} are read. "
            "Shorten it, or run it in steps.",
        )
    if not sql.strip():
        raise DialectError("The statement is empty; write one SELECT.")


def _drop_fence(sql: str) -> tuple[str, list[str]]:
    text = FENCE.sub(lambda match: " " * len(match.group()), sql)
    body = text.rstrip()
    if body.endswith("```"):
        text = body[:-3].ljust(len(text))
    return text, ["The code fence around the statement was dropped."] if text != sql else []


def _check_characters(sql: str, parts: list[Region]) -> None:
    broken = UNREADABLE.search(sql)
    if broken:
        raise DialectError(
            "NUL and half characters (surrogates) are not read; remove them.", broken.span()
        )
    for part in parts:
        if part.kind in ("string", "name"):
            check_lines(sql, part)
        if part.kind not in ("code", "name"):
            continue
        foreign = NOT_PLAIN.search(sql, part.start, part.end)
        if foreign:
            raise DialectError(
                f"The character {foreign.group()!a} at position {foreign.start() + 1} is outside a "
                "string; only plain ASCII is read there. Check for curly quotes or invisible "
                "blanks.",
                foreign.span(),
            )


def _blank_comments(sql: str, parts: list[Region]) -> tuple[str, list[str]]:
    """Replace insignificant parts by spaces, keeping every position, with notes on special ones."""
    notes: list[str] = []
    pieces: list[str] = []
    for number, part in enumerate(parts):
        piece = sql[part.start : part.end]
        if part.kind == "comment":
            pieces.append(" " * len(piece))
        elif part.kind == "code":
            pieces.append(_read_habits(piece, notes, first=number == 0))
        else:
            pieces.append(piece)
    text = "".join(pieces)
    return _drop_batch_end(text, parts, notes), notes


def _read_habits(code: str, notes: list[str], *, first: bool) -> str:
    text = code
    if "`" in text and text.count("`") % 2 == 0:
        halves = iter("[]" * text.count("`"))
        text = re.sub("`", lambda _: next(halves), text)
        notes.append("Backticks were read as brackets.")
    if PLACEHOLDER.search(text):
        text = PLACEHOLDER.sub("@", text)
        notes.append("The embedding of the query text is @q.")
    if first and text.lstrip().startswith(";"):
        text = text.replace(";", " ", 1)
    if TRAILING_COMMA.search(text):
        text = TRAILING_COMMA.sub(" ", text)
        notes.append("A trailing comma was dropped.")
    return text


def _drop_batch_end(text: str, parts: list[Region], notes: list[str]) -> str:
    """Blank a GO that is the last thing; anywhere else it stays, and is refused."""
    separators = list(BATCH_END.finditer(text))
    if (
        not separators
        or text[separators[-1].end() :].strip()
        or not text[: separators[-1].start()].strip()
    ):
        return text
    last = separators[-1]
    if any(p.kind != "code" and p.start < last.end() and last.start() < p.end for p in parts):
        return text
    notes.append("GO at the end was dropped: one statement is one batch.")
    return text[: last.start()] + " " * len(last.group()) + text[last.end() :]


def _check_names(text: str, tokens: list[Token]) -> None:
    for token in tokens:
        if token.token_type is TokenType.IDENTIFIER and text[token.start] not in '["':
            raise DialectError(
                f"{token.text} begins with a digit; as a name, write it in brackets.",
                (token.start, token.end + 1),
            )


def _check_tokens(tokens: list[Token]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise RefusalError(
            "too_large",
            f"The statement has {len(tokens):,} tokens; at most {MAX_TOKENS:,} are read. "
            "Shorten it, or run it in steps.",
        )
    _check_doubled(tokens)
    _check_dots(tokens)
    _check_braces(tokens)
    depth = prefixes = 0
    text = ""
    for token in tokens:
        _check_binary(token, text)
        text = keyword_text(token)
        quoted = token.token_type in QUOTED
        _check_token(token, text, quoted)
        if not quoted:
            depth += (text in ("(", "CASE")) - (text in (")", "END"))
        prefixes = prefixes + 1 if not quoted and text in ("NOT", "-", "~", "+") else 0
        if depth > MAX_NESTING or prefixes > MAX_PREFIXES:
            raise RefusalError(
                "too_large",
                f"Parentheses, CASE and prefix operators nest deeper than {MAX_NESTING} "
                f"(prefixes: {MAX_PREFIXES}). Use a CTE to flatten the statement.",
                (token.start, token.end + 1),
            )


def _check_binary(token: Token, before: str) -> None:
    if token.token_type is TokenType.HEX_STRING and before != "LANGUAGE":
        span = (token.start, token.end + 1)
        raise DialectError("Binary literals are not read; write a number.", span)


def _check_token(token: Token, text: str, quoted: bool) -> None:
    span = (token.start, token.end + 1)
    if not quoted:
        _check_symbol(text, span)
    if len(text) > MAX_NAME and token.token_type not in STRINGS:
        raise RefusalError(
            "too_large",
            f"A name or number has at most {MAX_NAME} characters; this one has {len(text):,}.",
            span,
        )
    if text.startswith("__") or text in ("SYSTEM_TIME", ""):
        if token.token_type not in STRINGS:
            problem = f"The name {token.text} cannot be used here" if text else "This name is empty"
            raise DialectError(f"{problem}; write another, such as x.", span)
    elif token.token_type in STRINGS and len(text) > MAX_STRING:
        raise RefusalError(
            "too_large",
            f"A string literal may have {MAX_STRING:,} characters; shorten this one.",
            span,
        )


def _check_symbol(text: str, span: Span) -> None:
    """Refuse operators and keywords that only other dialects have."""
    first = text[:1]
    if first.isalnum() or first in ("_", "$", "."):
        if first != "." and " " in text and text not in TWO_WORDS | TWO_WORD_TYPES:
            raise DialectError(f"{text} is not part of a T-SQL SELECT.", span)
    elif text not in OPERATORS:
        hint = FOREIGN_TOKENS.get(text) or FOREIGN_TOKENS.get(first)
        raise DialectError(hint or f"{text} is not an operator of T-SQL.", span)


def _check_doubled(tokens: list[Token]) -> None:
    """Refuse operators of other dialects that are read as one of T-SQL's twice, and a lone #."""
    for first, second in pairwise(tokens):
        if first.token_type in QUOTED:
            continue
        adjacent = first.end + 1 == second.start
        message = DOUBLED.get(first.text + second.text) if adjacent else LONE.get(first.text)
        if message:
            raise DialectError(message, (first.start, (second if adjacent else first).end + 1))


def _check_dots(tokens: list[Token]) -> None:
    """Refuse a dot that is not between two names: an omitted part means a default of the server."""
    for number, token in enumerate(tokens):
        if token.text != "." or token.token_type in QUOTED:
            continue
        before = tokens[number - 1] if number else token
        after = tokens[number + 1] if number + 1 < len(tokens) else token
        fraction = not _is_name(before) and after.token_type is TokenType.NUMBER
        if not fraction and not (_is_name(before) and (after.text == "*" or _begins_name(after))):
            raise DialectError(
                "A part of this name is empty; write Table, dbo.Table or alias.Column.",
                (token.start, token.end + 1),
            )


def _check_braces(tokens: list[Token]) -> None:
    """Braces hold the numbers of SHORTEST_PATH(a(-(e)->b){1,3}), and nothing else."""
    closing = -1
    for number, token in enumerate(tokens):
        if token.text == "{" and token.token_type not in QUOTED:
            closing = _quantifier_end(tokens, number)
        if token.text in ("{", "}") and token.token_type not in QUOTED and number > closing:
            raise DialectError(BRACES, (token.start, token.end + 1))


def _quantifier_end(tokens: list[Token], start: int) -> int:
    """Return where the braces that begin here close, or -1 if they are no quantifier."""
    texts = [token.text for token in tokens[start + 1 : start + 6]]
    if not start or tokens[start - 1].text != ")" or "}" not in texts:
        return -1
    end = texts.index("}")
    numbers = all(text == "," or text.isdigit() for text in texts[:end])
    return start + 1 + end if numbers else -1


def _is_name(token: Token) -> bool:
    return token.token_type is TokenType.IDENTIFIER or (
        _begins_name(token) and keyword_text(token) not in RESERVED | TWO_WORDS
    )


def _begins_name(token: Token) -> bool:
    if token.token_type in QUOTED:
        return token.token_type is TokenType.IDENTIFIER
    return token.text[:1].isalpha() or token.text[:1] in ("_", "$")


def _check_start(tokens: list[Token]) -> None:
    while tokens and tokens[-1].text == ";" and tokens[-1].token_type not in QUOTED:
        tokens.pop()
    if not tokens:
        raise DialectError("The statement is empty; write one SELECT.")
    first = tokens[0].text.upper()
    span = (tokens[0].start, tokens[0].end + 1)
    if first not in ("SELECT", "WITH", "("):
        problem = f"{first} is not allowed" if first in STATEMENT_WORDS else "This is not a SELECT"
        raise RefusalError(
            "not_select",
            f"{problem}: only one SELECT (or WITH ... SELECT) is run, and nothing can be changed. "
            "Ask for the rows you want to see.",
            span,
        )


def _check_single(tokens: list[Token]) -> None:
    for token in tokens:
        if token.text == ";" and token.token_type not in QUOTED:
            raise RefusalError(
                "multiple_statements",
                "One call runs one statement; send the statements one at a time.",
                (token.start, token.end + 1),
            )


def _check_end(tokens: list[Token]) -> None:
    """Refuse an unfinished end, where a parser would report an earlier position."""
    words = ["" if t.token_type in QUOTED else keyword_text(t) for t in tokens]
    span = (tokens[-1].start, tokens[-1].end + 1)
    if words[-1] in UNFINISHED:
        raise DialectError(
            f"The statement ends with {words[-1]}, which needs more after it; finish it, or drop "
            f"the {words[-1]}.",
            span,
        )
    open_ones = [at for at, word in enumerate(words) if word == "("]
    if len(open_ones) > words.count(")"):
        raise DialectError(
            f"An opened parenthesis is not closed: there are {len(open_ones)} ( and "
            f"{words.count(')')} ). Close it where its list or condition ends.",
            span,
        )


def check_place(reader: TokenCursor, word: str, depth: int) -> None:
    """Refuse the current word where T-SQL does not take it. Raises RefusalError."""
    if word == "SELECT":
        _check_select(reader, depth)
    for rule in KEYWORD_RULES.get(word, ()):
        if rule.is_misplaced(reader):
            raise reader.error(rule.message, rule.code)


def _check_select(reader: TokenCursor, depth: int) -> None:
    """SELECT is allowed only where one statement continues; elsewhere it begins another."""
    previous = reader.word(-1)
    if reader.at == 0 or previous in ("(", "UNION", "ALL", "EXCEPT", "INTERSECT"):
        return
    after_ctes = previous == ")" and depth == 0 and reader.tokens[0].text.upper() == "WITH"
    if after_ctes and not _queries_before(reader):
        return
    raise reader.error(
        "A second SELECT begins here. Join the two with UNION ALL, or send them one at a time.",
        "multiple_statements",
    )


def _queries_before(reader: TokenCursor) -> bool:
    """Whether a query has already begun outside all parentheses."""
    depth = 0
    for back in range(-reader.at, 0):
        text = reader.word(back)
        depth += (text == "(") - (text == ")")
        if depth == 0 and text in ("SELECT", "UNION", "EXCEPT", "INTERSECT"):
            return True
    return False


def _lacks_name(reader: TokenCursor) -> bool:
    """AS follows a value, a table or a name, and a name, type or CTE follows it."""
    following = reader.token(1)
    quoted = following is not None and following.token_type in QUOTED
    has_name = quoted or reader.word(1)[:1].isalpha() or reader.word(1)[:1] in ("(", "_")
    return not has_name or reader.word(1) in NO_NAME or reader.word(-1) in BEFORE_LIST | {","}


def _lacks_number(reader: TokenCursor) -> bool:
    following = reader.token(1)
    number = following is not None and following.token_type is TokenType.NUMBER
    return not number and (reader.word(1) != "(" or reader.word(2) in ("-", ")"))


def _lacks_by(reader: TokenCursor) -> bool:
    within_group = reader.word() == "GROUP" and reader.word(-1) == "WITHIN"
    return not within_group and reader.word(-1) != "."


@dataclass(frozen=True, slots=True)
class KeywordRule:
    """Where a word is refused, and with which message."""

    message: str
    is_misplaced: Callable[[TokenCursor], bool] = lambda _: True
    code: str = "syntax"


APPROXIMATE_WORDS = ("APPROX", "APPROXIMATE")
ONE_DIRECTION = KeywordRule(
    "ASC or DESC is followed by another direction; keep one of them.",
    lambda reader: reader.word(1) in ("ASC", "DESC"),
)
KEYWORD_RULES: dict[str, tuple[KeywordRule, ...]] = {
    "AS": (KeywordRule("AS has no name here; write: expression AS x.", _lacks_name),),
    "ASC": (ONE_DIRECTION,),
    "DESC": (ONE_DIRECTION,),
    "FETCH": (
        KeywordRule(
            f"FETCH APPROXIMATE is not part of the dialect. {NEAREST}.",
            lambda reader: reader.word(1) in APPROXIMATE_WORDS,
            "not_allowed",
        ),
    ),
    "GROUP": (
        KeywordRule("GROUP is followed by BY: GROUP BY x. As a name, bracket it.", _lacks_by),
    ),
    "ORDER": (
        KeywordRule("ORDER is followed by BY: ORDER BY x. As a name, bracket it.", _lacks_by),
    ),
    "WITH": (
        KeywordRule(
            f"WITH APPROXIMATE is not part of the dialect. {NEAREST}.",
            lambda reader: reader.word(1) in APPROXIMATE_WORDS,
            "not_allowed",
        ),
        KeywordRule(
            "WITH ARRAY WRAPPER needs a value of type json, and JSON is text here: unfold the "
            "array with OPENJSON.",
            lambda reader: reader.word(1) == "ARRAY",
        ),
        KeywordRule(
            "CTEs are allowed only at the very beginning: WITH a AS (...), b AS (...) SELECT ...",
            lambda reader: bool(reader.at) and reader.word(1) not in AFTER_WITH,
        ),
    ),
    "ALL": (
        KeywordRule(
            "T-SQL has EXCEPT and INTERSECT without ALL; drop it.",
            lambda reader: reader.word(-1) in ("EXCEPT", "INTERSECT"),
        ),
    ),
    "DISTINCT": (
        KeywordRule(
            "DISTINCT comes right after SELECT: SELECT DISTINCT TOP 5 ...",
            lambda reader: reader.word(-1) not in BEFORE_DISTINCT,
        ),
    ),
    "TOP": (
        KeywordRule(
            "TOP takes a number of 0 or more: SELECT TOP 20 ...", _lacks_number, "not_allowed"
        ),
    ),
    "->": (
        KeywordRule(
            "An arrow is allowed only in MATCH: MATCH(m-(e)->t). JSON is read with JSON_VALUE."
        ),
    ),
    "!": (KeywordRule("T-SQL negates with NOT, and compares with <>."),),
    "FOR": (
        KeywordRule(
            "FOR is followed by JSON at the end of a SELECT, or by PATH after a table of "
            "SHORTEST_PATH.",
            lambda reader: reader.word(1) in ("SYSTEM", "TIMESTAMP", "VERSION"),
        ),
    ),
    ":": (KeywordRule(COLON),),
    "{": (KeywordRule(BRACES),),
    "(": (
        KeywordRule(
            "Table hints are not allowed. Drop them.",
            lambda reader: reader.word(1) in TABLE_HINTS and reader.word(2) in (")", ",", "("),
            "not_allowed",
        ),
    ),
    ",": (
        KeywordRule(
            "A comma has nothing before or after it; drop it.",
            lambda reader: reader.word(-1) in BEFORE_LIST or reader.word(1) in (",", ")"),
        ),
    ),
}
