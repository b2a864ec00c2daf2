"""Reads the CONTAINS grammar: words, phrases, prefixes, AND/OR/NOT, NEAR, FORMSOF, ISABOUT."""

import re
from dataclasses import dataclass
from typing import TypeGuard

from moviegraph.errors import ExecutionError

EXAMPLES = {
    "phrase": "Put several words in double quotes: '\"star wars\"', or join them: 'star AND wars'.",
    "prefix": "A prefix needs double quotes: '\"pirat*\"'.",
    "near": "Its form is 'NEAR((pirate, ship), 5)', or 'pirate NEAR ship'.",
    "forms": "Its form is 'FORMSOF(INFLECTIONAL, run)'.",
    "about": "Its form is 'ISABOUT(pirate WEIGHT(0.8), ship WEIGHT(0.4))'.",
    "logic": "Join terms by AND, OR or AND NOT: 'pirate AND NOT comedy'.",
    "quote": "Close the double quote: '\"star wars\"'.",
}
LEXEME = re.compile(r'\s*(?:(?P<text>"[^"]*")|(?P<mark>&!|[(),&|!~])|(?P<word>[^\s"(),&|!~]+))')
WORD = re.compile(r"[^\W_]+")
RESERVED = frozenset({"AND", "OR", "NOT", "NEAR", "FORMSOF", "ISABOUT"})
DEEPEST = 24
MOST_OPERATORS = 200


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row; with `prefix` each of them is the beginning of a word."""

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Forms:
    """Any inflected form of any of the words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """Terms close to each other: at most `distance` other words between (None: any number)."""

    terms: tuple[Phrase, ...]
    distance: int | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Weighted:
    """Any of the terms; the weights enter the rank."""

    terms: tuple[tuple["Condition", float], ...]


@dataclass(frozen=True, slots=True)
class Both:
    """Left and right; with `negated`, left and not right."""

    left: "Condition"
    right: "Condition"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """Left or right."""

    left: "Condition"
    right: "Condition"


Condition = Phrase | Forms | Near | Weighted | Both | Either


def chain_of(condition: Both | Either) -> list[Condition]:
    """Return the operands of a chain of one operator; a tree of it would be too deep for FTS5."""
    operands = [condition.right]
    left = condition.left
    while _continues(left, condition):
        operands.append(left.right)
        left = left.left
    return [left, *reversed(operands)]


def _continues(left: Condition, chain: Both | Either) -> TypeGuard[Both | Either]:
    if isinstance(left, Both) and isinstance(chain, Both):
        return not left.negated
    return isinstance(left, Either) and isinstance(chain, Either)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case, split as the index splits them."""
    return tuple(WORD.findall(text.lower()))


def parse_contains(text: str) -> Condition:
    """Parse a CONTAINS condition.

    Raises:
        ExecutionError: Code `fulltext_syntax`, with the position and an example of the right form.
    """
    reader = _Reader(text)
    if reader.ended:
        raise reader.error("The full-text condition is empty", "phrase")
    condition = reader.either(0)
    if not reader.ended:
        raise reader.unexpected()
    return condition


@dataclass(frozen=True, slots=True)
class _Lexeme:
    text: str
    start: int
    end: int
    quoted: bool = False

    @property
    def upper(self) -> str:
        return "" if self.quoted else self.text.upper()


def _lexemes(text: str) -> list[_Lexeme]:
    found: list[_Lexeme] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = LEXEME.match(text, at)
        if match is None:  # only an unclosed quote is no lexeme
            start = text.index('"', at)
            raise _error(
                "The full-text condition has an unclosed double quote", "quote", start, end
            )
        kind = match.lastgroup or "word"
        start, at = match.start(kind), match.end()
        inner = match.group(kind)
        quoted = kind == "text"
        found.append(_Lexeme(inner[1:-1] if quoted else inner, start, at, quoted))
    return found


def _error(what: str, example: str, start: int, end: int) -> ExecutionError:
    return ExecutionError(
        f"{what}, at position {start + 1} of the text.",
        code="fulltext_syntax",
        hint=EXAMPLES[example],
        span=(start, end),
    )


class _Reader:
    """Recursive descent over the lexemes; AND NOT and AND bind closer than OR."""

    def __init__(self, text: str) -> None:
        self._lexemes = _lexemes(text)
        self._length = len(text)
        self._at = 0
        self._operators = 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._lexemes)

    def _next(self) -> str:
        return "" if self.ended else self._lexemes[self._at].upper

    def _take(self, text: str, example: str) -> None:
        if not self._take_if(text):
            raise self.error(f"{text!r} is expected", example)

    def _take_if(self, *texts: str) -> bool:
        found = not self.ended and self._next() in texts
        self._at += found
        return found

    def error(self, what: str, example: str) -> ExecutionError:
        if self.ended:
            return _error(f"{what}; the condition ends too early", example, *[self._length] * 2)
        lexeme = self._lexemes[self._at]
        return _error(what, example, lexeme.start, lexeme.end)

    def unexpected(self) -> ExecutionError:
        lexeme = self._lexemes[self._at]
        shown = lexeme.text[:40]
        is_word = lexeme.quoted or bool(WORD.match(lexeme.text))
        example = "phrase" if is_word and lexeme.upper not in RESERVED else "logic"
        return self.error(f"{shown!r} is not expected in the full-text condition", example)

    def either(self, depth: int) -> Condition:
        left = self._both(depth)
        while self._take_if("OR", "|"):
            self._count()
            left = Either(left, self._both(depth))
        return left

    def _both(self, depth: int) -> Condition:
        left = self._operand(depth)
        while self._next() in ("AND", "&", "&!"):
            self._count()
            negated = self._take_if("&!")
            if not negated:
                self._take_if("AND", "&")
                negated = self._take_if("NOT", "!")
            left = Both(left, self._operand(depth), negated)
        return left

    def _count(self) -> None:
        self._operators += 1
        if self._operators > MOST_OPERATORS:
            what = f"The full-text condition has more than {MOST_OPERATORS} operators"
            raise self.error(what, "logic")

    def _operand(self, depth: int) -> Condition:
        if depth > DEEPEST:
            raise self.error("The full-text condition is nested too deeply", "logic")
        if self._take_if("("):
            inner = self.either(depth + 1)
            self._take(")", "logic")
            return inner
        if self._next() == "FORMSOF":
            return self._forms()
        if self._next() == "ISABOUT":
            return self._about(depth)
        if self._next() == "NEAR":
            return self._near()
        return self._generic_near(self._term())

    def _term(self) -> Phrase:
        if self.ended or (self._next() in RESERVED) or self._next() in tuple("(),&|!~"):
            raise self.error("A word or a phrase is expected", "logic")
        lexeme = self._lexemes[self._at]
        prefix = lexeme.text.endswith("*")
        if prefix and not lexeme.quoted:
            raise self.error("An asterisk counts only inside double quotes", "prefix")
        self._at += 1
        return Phrase(words_of(lexeme.text), prefix)

    def _generic_near(self, first: Phrase) -> Condition:
        terms = [first]
        while self._take_if("NEAR", "~"):
            terms.append(self._term())
        return Near(tuple(terms)) if len(terms) > 1 else first

    def _near(self) -> Near:
        self._take("NEAR", "near")
        self._take("(", "near")
        nested = self._take_if("(")
        terms = [self._term()]
        while self._take_if(","):
            terms.append(self._term())
        self._take(")", "near")
        distance, ordered = self._limits() if nested else (None, False)
        if len(terms) < 2:
            raise self.error("NEAR takes two or more terms", "near")
        return Near(tuple(terms), distance, ordered)

    def _limits(self) -> tuple[int | None, bool]:
        distance, ordered = None, False
        if self._take_if(","):
            if not self._take_if("MAX"):
                distance = int(self._number(r"\d{1,9}", "near"))
            if self._take_if(","):
                ordered = self._next() == "TRUE"
                if not self._take_if("TRUE", "FALSE"):
                    raise self.error("TRUE or FALSE is expected", "near")
        self._take(")", "near")
        return distance, ordered

    def _forms(self) -> Condition:
        self._take("FORMSOF", "forms")
        self._take("(", "forms")
        if not self._take_if("INFLECTIONAL", "THESAURUS"):
            raise self.error("INFLECTIONAL is expected", "forms")
        found: Condition | None = None
        while self._take_if(","):
            self._count()
            term = self._term()
            one: Condition = Forms(term.words) if len(term.words) == 1 else term
            found = one if found is None else Either(found, one)
        self._take(")", "forms")
        if found is None:
            raise self.error("FORMSOF takes a word", "forms")
        return found

    def _about(self, depth: int) -> Weighted:
        self._take("ISABOUT", "about")
        self._take("(", "about")
        terms = [self._weighted(depth)]
        while self._take_if(","):
            terms.append(self._weighted(depth))
        self._take(")", "about")
        return Weighted(tuple(terms))

    def _weighted(self, depth: int) -> tuple[Condition, float]:
        term = self._operand(depth + 1)
        if not self._take_if("WEIGHT"):
            return term, 1.0
        self._take("(", "about")
        weight = float(self._number(r"[01]?(\.\d{1,9})?", "about"))
        self._take(")", "about")
        return term, weight

    def _number(self, form: str, example: str) -> str:
        if not re.fullmatch(form, self._next()) or not self._next():
            raise self.error("A number is expected", example)
        self._at += 1
        return self._lexemes[self._at - 1].text
