"""Names as they are compared: their folded forms, singular and plural, and near spelling.

Each form is for one purpose; all other modules use these:

- `fold_case`: a name within one source, a repeated text: case and runs of spaces do not count.
- `fold_collation`: what the database compares as equal: case and trailing spaces do not count.
- `fold_name`: a name that a caller passes: nor do accents, punctuation and spaces.
- `fold_mention`: mentions of one entity in texts: as `fold_name`, but words stay apart.
- `fold_evidence`: a quotation: case, accents, runs of spaces and forms of quotes do not count.
- `words_key`: a name within a question, or misspelled: as `fold_name`, also number and articles.
- `fold_identifier`: names of tables and columns: case, underscores, dashes, spaces do not count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from unicodedata import category, normalize

# Only the accents of European scripts are removed: marks of other scripts distinguish words.
ACCENTS = re.compile("[\u0300-\u036f]")
NOT_WORD = re.compile(r"[\W_]+")
SPACES = re.compile(r"\s+")


def fold_case(text: str) -> str:
    """Return a text without regard to case, composed characters and runs of spaces."""
    return " ".join(normalize("NFC", text).split()).casefold()


def fold_collation(text: str) -> str:
    """Return a text as the database compares it: case and trailing spaces do not count."""
    return text.rstrip(" ").casefold()


def fold_letters(text: str) -> str:
    """Return a text without case and accents: Amélie -> amelie."""
    if text.isascii():
        return text.lower()
    return normalize("NFKC", ACCENTS.sub("", normalize("NFKD", text).casefold()))


def fold_name(name: str) -> str:
    """Return a name without case, accents, punctuation and spaces: WALL·E -> walle.

    A name of punctuation only keeps it.
    """
    if name.isascii():
        folded = NOT_WORD.sub("", name).lower()
    else:
        letters = fold_letters(name)
        folded = "".join(char for char in letters if char.isalnum() or category(char)[0] == "M")
    return folded or name.strip().casefold()


def fold_identifier(name: str) -> str:
    """Return a name of a table or column without case, underscores, dashes and spaces."""
    return "".join(char for char in name.lower() if char not in "_- ")


CAPITAL_I_WITH_DOT, CAPITAL_SIGMA, SIGMA = "\u0130", "\u03a3", "\u03c3"


def lowercase(text: str) -> str:
    """Return a text in lowercase, character by character, as DuckDB's `lower` does.

    Python turns the capital I with a dot into two characters, and a sigma at the end of a word
    into its final form.
    """
    return text.replace(CAPITAL_I_WITH_DOT, "i").replace(CAPITAL_SIGMA, SIGMA).lower()


# Mentions in texts.
APOSTROPHES = re.compile("['\u2018\u2019\u02bc\u00b4]")
ARTICLE = re.compile(r"^(?:the|an?) (?=\S)")
TRAILING_ARTICLE = re.compile(r", (?:the|an?)$")
INITIAL = re.compile(r"(?<!\w)([^\W\d_])\.(?=[^\W\d_](?:\.|$|\s))")  # J.R.R. -> JRR
NOT_MENTION = re.compile(r"[^\w+#%$]+|_+")
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "\u0131": "i", "&": " and "}
)
ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4\u02bc`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)


def fold_mention(name: str) -> str:
    """Return the words of a name, as mentions of one entity share them: The Matrix -> matrix.

    Case, accents, punctuation, spaces and an English article at either end do not count.
    """
    text = APOSTROPHES.sub("", fold_letters(name).translate(LETTERS))
    text = " ".join(text.split())
    text = TRAILING_ARTICLE.sub("", ARTICLE.sub("", text))
    return " ".join(NOT_MENTION.sub(" ", INITIAL.sub(r"\1", text)).split())


def fold_quotes(text: str) -> str:
    """Return a text without case and accents, with plain quotes and dashes; spaces stay."""
    if text.isascii():
        return text.lower()
    return ACCENTS.sub("", normalize("NFKD", text.translate(ALIKE).casefold())).translate(ALIKE)


def fold_evidence(text: str) -> str:
    """Return a quotation: case, accents, runs of spaces and forms of quotes do not count."""
    return SPACES.sub(" ", fold_quotes(text)).strip()


# Plurals. The full-text search of the embedded engine has its own stemmer, because it follows
# SQL Server: animals and animate, leaves and leave stay apart there.
IRREGULAR_PLURALS = {
    "movies": "movie",
    "cookies": "cookie",
    "series": "series",
    "species": "species",
}
PLURAL_IN_ES = re.compile(r"(?:[cs]h|ss|x|z|o)es$")
PLURAL_IN_S = re.compile(r"(?<![sui])s$")
FINAL_E = re.compile(r"(?:(?<=[cs]h)|(?<=ss)|(?<=[xzo]))e$")


def singular(words: str) -> str:
    """Return words with the last one in the singular, by its ending: Old Stories -> Old Story."""
    head, space, word = words.rpartition(" ")
    if word.lower() in IRREGULAR_PLURALS:
        word = IRREGULAR_PLURALS[word.lower()]
    elif word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif len(word) > 3:
        word = word[:-2] if PLURAL_IN_ES.search(word) else PLURAL_IN_S.sub("", word)
    return head + space + word


@lru_cache(maxsize=50_000)  # an index of names folds the same words again and again
def fold_plural(word: str) -> str:
    """Return one form for singular and plural; it need not be a word: shoe, shoes -> sho."""
    form = singular(word)
    return f"{form[:-2]}y" if form.endswith("ie") and len(form) > 3 else FINAL_E.sub("", form)


def word_forms(word: str) -> tuple[str, ...]:
    """Return a word as it may be in texts: as it is, and in the other number."""
    return (word, word[:-1]) if word.endswith("s") else (word, f"{word}s")


# Words of names. Scripts without spaces between words: each character is a word of its own.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
APOSTROPHE = re.compile("['\u2019]")
POSSESSIVE = re.compile("['\u2019]s$")
ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
SAME = {"&": "and", **ROMAN}
ARTICLES = frozenset({"the", "a", "an"})
ASCII_WORD = re.compile(r"&|[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")


def _mark_ranges() -> str:
    """Return the combining marks of the basic plane, as ranges of a character class."""
    codes = [code for code in range(0x0300, 0x2000) if category(chr(code)).startswith("M")]
    runs = groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0])
    groups = [[code for _, code in run] for _, run in runs]
    return "".join(f"{chr(group[0])}-{chr(group[-1])}" for group in groups)


LETTER = rf"(?:(?![{UNSPACED}])(?:[^\W_]|[{_mark_ranges()}\u200c\u200d]))"
WORD = re.compile(rf"[{UNSPACED}]|&|{LETTER}+(?:['\u2019]{LETTER}+)*")


@lru_cache(maxsize=50_000)  # an index of names folds the same words again and again
def fold_word(word: str) -> str:
    """Return a word without case, accents, apostrophe and 's, Roman numerals as digits."""
    folded = APOSTROPHE.sub("", POSSESSIVE.sub("", fold_letters(word)))
    return SAME.get(folded, folded)


def name_words(name: str) -> list[str]:
    """Return the folded words of a name: Rocky II: The End -> rocky, 2, the, end."""
    pattern = ASCII_WORD if name.isascii() else WORD
    return [fold_word(word) for word in pattern.findall(name)]


def without_articles(words: Sequence[str]) -> tuple[str, ...]:
    """Return words without articles, unless there is nothing else."""
    return tuple(word for word in words if word not in ARTICLES) or tuple(words)


def words_key(words: Iterable[str]) -> str:
    """Return folded words joined without plurals: spider, man and spiderman are the same."""
    return "".join(map(fold_plural, words))


# Words of a question.
SENTENCE_START = re.compile(r"[.!?;:\n]\s*$")
QUOTED = re.compile(
    r"\"[^\"]+\"|\u201c[^\u201d]+\u201d|\u00ab[^\u00bb]+\u00bb|(?<!\w)'[^']+'(?!\w)"
)
MAX_CAPITAL_SHARE = 0.6  # of the words: of a headline, whose capitals do not mark names


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question: folded, as it is written, and its position.

    `is_marked` says that a capital letter within a sentence, or quotes, mark it as a name.
    """

    word: str
    text: str
    start: int
    end: int
    is_marked: bool

    @property
    def is_unspaced(self) -> bool:
        """Whether its script puts no spaces between words."""
        return re.match(f"[{UNSPACED}]", self.text) is not None


def question_tokens(question: str) -> list[Token]:
    """Return the words of a question; capitals count unless most words have one."""
    tokens: list[Token] = []
    for match in WORD.finditer(question):
        text, start = match.group(), match.start()
        begins = not tokens or SENTENCE_START.search(question[:start]) is not None
        capital = text[0].isupper() and (not begins or (len(text) > 1 and text.isupper()))
        tokens.append(Token(fold_word(text), text, start, match.end(), capital))
    if sum(token.is_marked for token in tokens) > MAX_CAPITAL_SHARE * len(tokens):
        tokens = [replace(token, is_marked=False) for token in tokens]
    quotes = [match.span() for match in QUOTED.finditer(question)]
    return [
        replace(token, is_marked=True)
        if any(start < token.start and token.end < end for start, end in quotes)
        else token
        for token in tokens
    ]


def runs(count: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of positions, the longest first."""
    for size in range(min(longest, count), 0, -1):
        for start in range(count - size + 1):
            yield start, start + size


# Near spelling. rapidfuzz is imported by the functions that need it: most calls misspell nothing,
# and the import takes 12 ms of every start.
LETTERS_PER_EDIT = 5  # design: fewer letters make one edit another name (Jaws, Jars)
DIGITS = re.compile(r"\d+")
MIN_CLOSENESS = 0.75  # of a name that is suggested: below, pairs share letters by chance
WINDOW_SHARE = 0.98  # a run of words in a name counts slightly less than a whole name


def edit_distance(left: str, right: str) -> int:
    """Return the edits between two texts; a swap of neighbors is one."""
    from rapidfuzz.distance import OSA

    return OSA.distance(left, right)


def spelling_form(name: str) -> str:
    """Return the letters and digits of a name that its spelling consists of: Rocky II -> rocky2."""
    return "".join(name_words(name))


def spelling_edits(requested: str, name: str) -> int | None:
    """Return the edits between two spelling forms; None if one cannot be meant by the other.

    Allowed is one edit per five letters of the name, none in its numbers: Rocky 3 is not Rocky 2.
    """
    from rapidfuzz.distance import OSA

    limit = len(name) // LETTERS_PER_EDIT
    if abs(len(name) - len(requested)) > limit:
        return None
    edits = OSA.distance(requested, name, score_cutoff=limit)
    same_numbers = DIGITS.findall(requested) == DIGITS.findall(name)
    return edits if edits <= limit and same_numbers else None


def closeness(requested: str, name: str) -> float:
    """Return how similar a name is, in whole or by a run of as many words as requested.

    Both are folded. The share of equal letters, from 0 to 1; 0 below `MIN_CLOSENESS`.
    """
    from rapidfuzz import fuzz, process

    words, width = name.split(), len(requested.split())
    windows = [" ".join(words[at : at + width]) for at in range(len(words) - width + 1)]
    least = 100 * MIN_CLOSENESS
    best = process.extractOne(requested, windows, scorer=fuzz.ratio, score_cutoff=least)
    whole = fuzz.ratio(requested, name, score_cutoff=least) / 100
    part = WINDOW_SHARE * best[1] / 100 if best else 0.0
    return max(whole, part if part >= MIN_CLOSENESS else 0.0)


def similar_positions(requested: str, names: Sequence[str], count: int) -> list[int]:
    """Return the positions of the names that share most letters with a folded one, best first."""
    from rapidfuzz import fuzz, process

    forms = [fold_letters(name) for name in names]
    matches = process.extract(
        fold_letters(requested),
        forms,
        scorer=fuzz.ratio,
        limit=count,
        score_cutoff=100 * MIN_CLOSENESS,
    )
    return [match[2] for match in matches]


def closest_names(
    name: str, names: Iterable[str], count: int = 3, *, cutoff: float = 0.6
) -> tuple[str, ...]:
    """Return the known names nearest to a misspelled one, best first, without regard to case.

    Args:
        name: The unknown name.
        names: The known ones.
        count: How many are returned at most.
        cutoff: Least share of equal letters, from 0 to 1.
    """
    from rapidfuzz import fuzz, process

    by_lowercase = {known.lower(): known for known in names}
    matches = process.extract(
        name.lower(), list(by_lowercase), scorer=fuzz.ratio, limit=count, score_cutoff=100 * cutoff
    )
    return tuple(by_lowercase[match[0]] for match in matches)
