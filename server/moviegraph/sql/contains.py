"""Reads the CONTAINS grammar: words, phrases, prefixes, AND/OR/NOT, NEAR, FORMSOF, ISABOUT."""

import re
from dataclasses import dataclass

from moviegraph.errors import ExecutionError
from moviegraph.sql.conditions import Condition, Either, Every, Kind, Near, Phrase, Weighted
from moviegraph.sql.words import WORD, heard_words, words_of

EXAMPLES = {
    "phrase": "Put several words in double quotes: '\"two words\"', or join them: 'two AND words'.",
    "prefix": "A prefix needs double quotes: '\"begin*\"'.",
    "near": "Its form is 'NEAR((one, other), 5)', or 'one NEAR other'.",
    "forms": "Its form is 'FORMSOF(INFLECTIONAL, run)'.",
    "about": "Its form is 'ISABOUT(one WEIGHT(0.8), other WEIGHT(0.4))'.",
    "logic": "Join terms by AND, OR or AND NOT: 'one AND NOT other'.",
    "quote": "Close the double quote: '\"two words\"'.",
    "long": "Search for the few words that matter.",
}
LEXEME = re.compile(r'\s*(?:(?P<text>"[^"]*")|(?P<mark>&!|[(),&|!~])|(?P<word>[^\s"(),&|!~]+))')
WEIGHT = re.compile(r"0|1|0?\.\d{1,9}|0\.\d{1,9}|1\.0{0,9}|0\.")
RESERVED = frozenset({"AND", "OR", "NOT", "NEAR", "FORMSOF", "ISABOUT"})
MARKS = frozenset("(),&|!~") | {"&!"}
LONGEST = 4_000
DEEPEST = 24
MOST_OPERATORS = 200
MOST_NEAR = 64
FARTHEST = 4_294_967_295


def parse_contains(text: str) -> Condition:
    """Parse a CONTAINS condition.

    Raises:
        ExecutionError: Code `fulltext_syntax`, with the position and an example of the right form.
    """
    check_length(text)
    reader = _Reader(text)
    if reader.ended:
        raise reader.error("The full-text condition is empty", "phrase")
    condition = reader.either(0)
    if not reader.ended:
        raise reader.unexpected()
    return condition


def check_length(text: str) -> None:
    """Check that a condition or free text is no longer than an NVARCHAR. Raises ExecutionError."""
    if len(text) > LONGEST:
        what = f"A full-text condition has at most {LONGEST:,} characters, not {len(text):,}"
        raise _error(what, "long", LONGEST, len(text))


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

    def _next(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._lexemes[at].upper if at < len(self._lexemes) else ""

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
        terms = [self._every(depth)]
        while self._take_if("OR", "|"):
            self._count()
            terms.append(self._every(depth))
        return terms[0] if len(terms) == 1 else Either(tuple(terms))

    def _every(self, depth: int) -> Condition:
        terms, without = [self._operand(depth)], list[Condition]()
        while self._next() in ("AND", "&", "&!"):
            self._count()
            negated = self._take_if("&!") or (self._take_if("AND", "&") and self._denied())
            (without if negated else terms).append(self._operand(depth))
        alone = len(terms) == 1 and not without
        return terms[0] if alone else Every(tuple(terms), tuple(without))

    def _denied(self) -> bool:
        """Whether NOT follows; it stands behind the word AND, never behind the mark."""
        return self._lexemes[self._at - 1].upper == "AND" and self._take_if("NOT")

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
        return self._about() if self._next() == "ISABOUT" else self._single()

    def _single(self) -> Condition:
        """Read what ISABOUT may weigh: a term, its forms, or terms near each other."""
        if self._next() == "FORMSOF":
            return self._forms()
        if self._next() == "NEAR":
            return self._near()
        return self._generic_near(self._term())

    def _term(self) -> Phrase:
        lexeme = self._simple()
        prefix = lexeme.text.endswith("*")
        if prefix and not lexeme.quoted:
            self._at -= 1
            raise self.error("An asterisk counts only inside double quotes", "prefix")
        return _phrase(lexeme.text, "prefix" if prefix else "exact")

    def _simple(self) -> _Lexeme:
        if self.ended or self._next() in RESERVED or self._next() in MARKS:
            raise self.error("A word or a phrase is expected", "logic")
        self._at += 1
        return self._lexemes[self._at - 1]

    def _generic_near(self, first: Phrase) -> Condition:
        terms = [first]
        while self._take_if("NEAR", "~"):
            terms.append(self._term())
        return self._checked_near(terms, None, ordered=False) if len(terms) > 1 else first

    def _near(self) -> Near:
        self._take("NEAR", "near")
        self._take("(", "near")
        nested = self._take_if("(")
        terms = [self._term()]
        while self._take_if(","):
            terms.append(self._term())
        self._take(")", "near")
        distance, ordered = self._limits() if nested else (None, False)
        return self._checked_near(terms, distance, ordered=ordered)

    def _checked_near(self, terms: list[Phrase], distance: int | None, *, ordered: bool) -> Near:
        if not 2 <= len(terms) <= MOST_NEAR:
            raise self.error(f"NEAR takes 2 to {MOST_NEAR} terms", "near")
        return Near(tuple(terms), distance, ordered)

    def _limits(self) -> tuple[int | None, bool]:
        distance, ordered = None, False
        if self._take_if(","):
            if not self._take_if("MAX"):
                distance = self._distance()
            if self._take_if(","):
                ordered = self._next() == "TRUE"
                if not self._take_if("TRUE", "FALSE"):
                    raise self.error("TRUE or FALSE is expected", "near")
        self._take(")", "near")
        return distance, ordered

    def _distance(self) -> int:
        text = self._next()
        if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) > FARTHEST:
            raise self.error(f"A distance from 0 to {FARTHEST}, or MAX, is expected", "near")
        self._at += 1
        return int(text)

    def _forms(self) -> Condition:
        self._take("FORMSOF", "forms")
        self._take("(", "forms")
        # A thesaurus is empty until an administrator fills it: then every word stands for itself.
        kind: Kind = "exact" if self._next() == "THESAURUS" else "forms"
        if not self._take_if("INFLECTIONAL", "THESAURUS"):
            raise self.error("INFLECTIONAL or THESAURUS is expected", "forms")
        self._take(",", "forms")
        terms = [self._form(kind)]
        while self._take_if(","):
            self._count()
            terms.append(self._form(kind))
        self._take(")", "forms")
        return terms[0] if len(terms) == 1 else Either(tuple(terms))

    def _form(self, kind: Kind) -> Phrase:
        lexeme = self._simple()
        if lexeme.text.endswith("*"):
            self._at -= 1
            raise self.error("FORMSOF takes no prefix", "forms")
        return _phrase(lexeme.text, kind)

    def _about(self) -> Weighted:
        self._take("ISABOUT", "about")
        self._take("(", "about")
        terms = [self._weighted()]
        while self._take_if(","):
            self._count()
            terms.append(self._weighted())
        self._take(")", "about")
        return Weighted(tuple(terms))

    def _weighted(self) -> tuple[Condition, float]:
        term = self._single()
        if not self._take_if("WEIGHT"):
            return term, 1.0
        self._take("(", "about")
        if not WEIGHT.fullmatch(self._next()):
            raise self.error("A weight from 0.0 to 1.0 is expected", "about")
        weight = float(self._next())
        self._at += 1
        self._take(")", "about")
        return term, weight


def _phrase(text: str, kind: Kind) -> Phrase:
    """Leave out stop words at the ends; as prefixes they count like other words."""
    if kind == "prefix":
        words = list(words_of(text))
    elif kind == "forms":
        words = _inflected(text)
    else:
        words = heard_words(text)
    while words and not words[-1]:
        words.pop()
    first = next((at for at, word in enumerate(words) if word), 0)
    kept = tuple(words[first:])
    return Phrase(kept, kind, "" if kept else text)


def _inflected(text: str) -> list[str]:
    """A stop word alone has forms that are none, such as `seen` of `see`."""
    words = words_of(text)
    return list(words) if len(words) == 1 else heard_words(text)
