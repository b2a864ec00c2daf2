"""Grammar of full-text conditions (CONTAINS): words, stop words, languages, parser and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal
from unicodedata import normalize

from moviegraph.contract.languages import LOCALES
from moviegraph.errors import ExecutionError

MAX_LOCALE = 0x7FFFFFFF
WORD = re.compile(r"[^\W_]+")
RUN = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
PLACEHOLDER = "\ue000"  # replaces a stop word in the index; no text is searched for it
# SQL Server's system stoplist for English (sys.fulltext_system_stopwords), except "$".
STOP_WORDS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz") | frozenset(
    """
    about after all also an and another any are as at be because been before being between both but
    by came can come could did do does each else for from get got had has have he her here him
    himself his how if in into is it its just like make many me might more most much must my never
    no now of on only or other our out over re said same see should since so some still such take
    than that the their them then there these they this those through to too under up use very want
    was way we well were what when where which while who will with would you your
    """.split()
)
PhraseKind = Literal["exact", "prefix", "forms"]
CONDITION_EXAMPLES = {
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
CONDITION_WORDS = frozenset({"AND", "OR", "NOT", "NEAR", "FORMSOF", "ISABOUT"})
CONDITION_MARKS = frozenset("(),&|!~") | {"&!"}
MAX_CONDITION_CHARS = 4_000
MAX_CONDITION_NESTING = 24
MAX_CONDITION_OPERATORS = 200
MAX_NEAR_TERMS = 64
MAX_DISTANCE = 4_294_967_295
MAX_PHRASE_NOTES = 2
QUOTE = "'"
NO_STOP_WORDS = "the full-text index omits stop words."
FINDS_NOTHING = " finds nothing by "
NO_WORDS = "the full-text index holds letters and digits alone."


def locale_of(text: str, *, hexadecimal: bool = False) -> int | None:
    """Return the locale identifier of a name, number or hexadecimal value."""
    locale = LOCALES.get(text.strip().upper())
    if locale is not None and not hexadecimal:
        return locale
    digits = text.strip()
    if not digits.isascii() or not digits.isalnum() or len(digits) > 10:
        return None
    try:
        value = int(digits, 16 if hexadecimal else 10)
    except ValueError:
        return None
    return value if value <= MAX_LOCALE else None


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case, split as the index splits them."""
    return tuple(WORD.findall(_compose(text).lower()))


def indexed_words(text: str) -> list[str]:
    """Return the words of a text, an empty one in the place of each stop word.

    A single letter or digit counts where it is part of a word such as X-Men, O'Brien or T-800.
    """
    words: list[str] = []
    for run in RUN.findall(_compose(text).lower()):
        parts: list[str] = WORD.findall(run)
        is_full = len(parts) == 1
        words += ["" if _is_stop_word(part, is_full=is_full) else part for part in parts]
    return words


def with_placeholders(text: str) -> str:
    """Return a text for the index: MARK in the place of each stop word."""
    return " ".join(map(_part_with_placeholders, _compose(text).split(" ")))


@lru_cache(maxsize=1 << 16)  # few parts are most of a text: six times as fast
def _part_with_placeholders(part: str) -> str:
    if part.isalnum():
        return PLACEHOLDER if part.lower() in STOP_WORDS else part
    return RUN.sub(_replace_stop_words, part)


def _compose(text: str) -> str:
    """Write a letter and its accent as one character, however they were typed."""
    return text if text.isascii() else normalize("NFC", text)


def _replace_stop_words(match: re.Match[str]) -> str:
    run = match.group()
    if run.isalnum():
        return PLACEHOLDER if run.lower() in STOP_WORDS else run
    return WORD.sub(
        lambda part: PLACEHOLDER if _is_stop_word(part[0].lower(), is_full=False) else part[0], run
    )


def _is_stop_word(word: str, *, is_full: bool) -> bool:
    return word in STOP_WORDS and (is_full or len(word) > 1)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row: these words, words that begin so, or any inflected form of them.

    An empty word is a stop word, which any word matches. No words at all: `written` held
    nothing that an index keeps.
    """

    words: tuple[str, ...]
    kind: PhraseKind = "exact"
    written: str = field(default="", compare=False)


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
class AllOf:
    """All of the terms, and none of `without`."""

    terms: tuple["Condition", ...]
    without: tuple["Condition", ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Any of the terms."""

    terms: tuple["Condition", ...]


Condition = Phrase | Near | Weighted | AllOf | AnyOf


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """Return the conditions that a condition is made of."""
    match condition:
        case Phrase():
            return ()
        case Near() | AnyOf():
            return condition.terms
        case Weighted():
            return tuple(term for term, _ in condition.terms)
        case AllOf():
            return condition.terms + condition.without


def is_void(condition: Condition) -> bool:
    """Whether stop words let it find nothing: SQL Server keeps none in its index.

    With a term of stop words alone, AND, AND NOT and NEAR find nothing either.
    """
    match condition:
        case Phrase():
            return not condition.words
        case Near() | AllOf():
            return any(is_void(part) for part in parts_of(condition))
        case AnyOf() | Weighted():
            return all(is_void(part) for part in parts_of(condition))


def phrases_of(condition: Condition) -> Iterator[Phrase]:
    """Yield the phrases of a condition, in the order written."""
    if isinstance(condition, Phrase):
        yield condition
    for part in parts_of(condition):
        yield from phrases_of(part)


def parse_contains(text: str) -> Condition:
    """Parse a CONTAINS condition.

    Raises:
        ExecutionError: Code `fulltext_syntax`, with the position and an example of the right form.
    """
    check_length(text)
    reader = _ConditionParser(text)
    if reader.ended:
        raise reader.error("The full-text condition is empty", "phrase")
    condition = reader.either(0)
    if not reader.ended:
        raise reader.unexpected()
    return condition


def check_length(text: str) -> None:
    """Check that a condition or free text is no longer than an NVARCHAR. Raises ExecutionError."""
    if len(text) > MAX_CONDITION_CHARS:
        limit = f"{MAX_CONDITION_CHARS:,} characters"
        problem = f"A full-text condition has at most {limit}, not {len(text):,}"
        raise _error(problem, "long", MAX_CONDITION_CHARS, len(text))


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
    lexemes: list[_Lexeme] = []
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
        lexemes.append(_Lexeme(inner[1:-1] if quoted else inner, start, at, quoted))
    return lexemes


def _error(problem: str, example: str, start: int, end: int) -> ExecutionError:
    return ExecutionError(
        f"{problem}, at position {start + 1} of the text.",
        code="fulltext_syntax",
        hint=CONDITION_EXAMPLES[example],
        span=(start, end),
    )


class _ConditionParser:
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
        is_next = not self.ended and self._next() in texts
        self._at += is_next
        return is_next

    def error(self, problem: str, example: str) -> ExecutionError:
        if self.ended:
            return _error(f"{problem}; the condition ends too early", example, *[self._length] * 2)
        lexeme = self._lexemes[self._at]
        return _error(problem, example, lexeme.start, lexeme.end)

    def unexpected(self) -> ExecutionError:
        lexeme = self._lexemes[self._at]
        shortened = lexeme.text[:40]
        is_word = lexeme.quoted or bool(WORD.match(lexeme.text))
        example = "phrase" if is_word and lexeme.upper not in CONDITION_WORDS else "logic"
        return self.error(f"{shortened!r} is not expected in the full-text condition", example)

    def either(self, depth: int) -> Condition:
        terms = [self._every(depth)]
        while self._take_if("OR", "|"):
            self._count()
            terms.append(self._every(depth))
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def _every(self, depth: int) -> Condition:
        terms, without = [self._operand(depth)], list[Condition]()
        while self._next() in ("AND", "&", "&!"):
            self._count()
            negated = self._take_if("&!") or (self._take_if("AND", "&") and self._denied())
            (without if negated else terms).append(self._operand(depth))
        alone = len(terms) == 1 and not without
        return terms[0] if alone else AllOf(tuple(terms), tuple(without))

    def _denied(self) -> bool:
        """Whether NOT follows, which is allowed after the word AND, not after its symbol."""
        return self._lexemes[self._at - 1].upper == "AND" and self._take_if("NOT")

    def _count(self) -> None:
        self._operators += 1
        if self._operators > MAX_CONDITION_OPERATORS:
            problem = f"The full-text condition has more than {MAX_CONDITION_OPERATORS} operators"
            raise self.error(problem, "logic")

    def _operand(self, depth: int) -> Condition:
        if depth > MAX_CONDITION_NESTING:
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
        if self.ended or self._next() in CONDITION_WORDS or self._next() in CONDITION_MARKS:
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
        if not 2 <= len(terms) <= MAX_NEAR_TERMS:
            raise self.error(f"NEAR takes 2 to {MAX_NEAR_TERMS} terms", "near")
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
        if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) > MAX_DISTANCE:
            raise self.error(f"A distance from 0 to {MAX_DISTANCE}, or MAX, is expected", "near")
        self._at += 1
        return int(text)

    def _forms(self) -> Condition:
        self._take("FORMSOF", "forms")
        self._take("(", "forms")
        # A thesaurus is empty until an administrator fills it: then every word means itself.
        kind: PhraseKind = "exact" if self._next() == "THESAURUS" else "forms"
        if not self._take_if("INFLECTIONAL", "THESAURUS"):
            raise self.error("INFLECTIONAL or THESAURUS is expected", "forms")
        self._take(",", "forms")
        terms = [self._form(kind)]
        while self._take_if(","):
            self._count()
            terms.append(self._form(kind))
        self._take(")", "forms")
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def _form(self, kind: PhraseKind) -> Phrase:
        lexeme = self._simple()
        if lexeme.text.endswith("*"):
            self._at -= 1
            raise self.error("FORMSOF does not accept a prefix", "forms")
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


def _phrase(text: str, kind: PhraseKind) -> Phrase:
    """Leave out stop words at the ends; as prefixes they count like other words."""
    if kind == "prefix":
        words = list(split_words(text))
    elif kind == "forms":
        words = _inflected(text)
    else:
        words = indexed_words(text)
    while words and not words[-1]:
        words.pop()
    first = next((at for at, word in enumerate(words) if word), 0)
    return Phrase(tuple(words[first:]), kind, text)


def _inflected(text: str) -> list[str]:
    """A stop word alone has forms that are none, such as `seen` of `see`."""
    words = split_words(text)
    return list(words) if len(words) == 1 else indexed_words(text)


def notes_on_search(name: str, text: str) -> list[str]:
    """Return notes if stop words let a full-text call find nothing, or more than it says."""
    ignored: list[str] = []
    if name.startswith("CONTAINS"):
        condition = parse_contains(text)
        silent = _stop_word_terms(condition)
        ignored = [] if silent else _shortened_phrases(name, condition)
    else:
        silent = [text] if set(split_words(text)) <= STOP_WORDS else []
    return ignored or [
        f"{name}{FINDS_NOTHING}{term[:40]!r}: {NO_STOP_WORDS if split_words(term) else NO_WORDS} "
        "Remove the term, or compare with LIKE."
        for term in silent[:1]
    ]


def _shortened_phrases(name: str, condition: Condition) -> list[str]:
    """Note the phrases of which stop words were ignored, for they match other texts, too."""
    notes: list[str] = []
    for phrase in phrases_of(condition):
        written_words, words = split_words(phrase.written), [word for word in phrase.words if word]
        if words and len(words) < len(written_words):
            stop_words = ", ".join(
                dict.fromkeys(word for word in written_words if word not in words)
            )
            notes.append(
                f"{name} ignores the stop words of {phrase.written[:60]!r} ({stop_words}), so it "
                f"matches {' ... '.join(words)!r} anywhere. For the exact phrase add "
                f"LIKE '%{phrase.written[:60].replace(QUOTE, QUOTE * 2)}%'."
            )
    return list(dict.fromkeys(notes))[:MAX_PHRASE_NOTES]


def _stop_word_terms(condition: Condition) -> list[str]:
    if not is_void(condition):
        return []
    return [phrase.written for phrase in phrases_of(condition) if is_void(phrase)]
