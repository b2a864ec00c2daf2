"""Reads relative and vague words for time as explicit years; English words only."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from moviegraph.contract.model import Contract

NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip
DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90, "noughties": 0, "aughts": 0,
}  # fmt: skip
RECENT_YEARS = 5


@dataclass(frozen=True, slots=True)
class Period:
    """Words of a question, the years that they mean, and what to write in their place.

    `first` or `last` is None where the period is open; `vague` says that the bounds are a reading.
    """

    start: int
    end: int
    text: str
    first: int | None
    last: int | None
    vague: bool = False

    @property
    def words(self) -> str:
        """The period in explicit words."""
        if self.first == self.last:
            return f"in {self.first}"
        if self.first is None:
            return f"up to {self.last}"
        return f"since {self.first}" if self.last is None else f"from {self.first} to {self.last}"

    def condition(self, column: str) -> str:
        """The period as a condition over a column of years."""
        if self.first == self.last:
            return f"{column} = {self.first}"
        if self.first is None:
            return f"{column} <= {self.last}"
        if self.last is None:
            return f"{column} >= {self.first}"
        return f"{column} BETWEEN {self.first} AND {self.last}"


Years = tuple[int | None, int | None]
Reading = Callable[[re.Match[str], date], Years]


def _decade(found: re.Match[str], today: date) -> Years:
    """1990s, 90s, '90s, nineties: of two digits the latest such decade that has begun."""
    word = found.group("decade").lower().strip("'")
    if word in DECADES:
        tens = DECADES[word]
    elif len(word.rstrip("s'")) == 4:
        first = int(word[:4])
        return first, first + 9
    else:
        tens = int(word[:2])
    century = today.year // 100 * 100
    first = century + tens if century + tens <= today.year else century - 100 + tens
    return first, first + 9


PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}


def _part_of_decade(found: re.Match[str], today: date) -> Years:
    first, last = PARTS[found.group("part").lower()]
    start = _decade(found, today)[0]
    assert start is not None
    return start + first, start + last


def _bounded_decade(found: re.Match[str], today: date) -> Years:
    """Before, since or after a decade: the decade itself is one bound."""
    first, last = _decade(found, today)
    assert first is not None
    assert last is not None
    bound = found.group("bound").lower()
    if bound in ("before", "until", "up to", "older than"):
        return None, last if bound in ("until", "up to") else first - 1
    return first if bound == "since" else last + 1, None


def _turned(found: re.Match[str], today: date) -> Years:
    first = today.year // 100 * 100
    return (None, first - 1) if found.group("bound").lower() == "before" else (first, None)


def _denied(found: re.Match[str]) -> bool:
    """Whether a comparison is turned round: not older than."""
    return found.group().lower().startswith("no")


def _older(found: re.Match[str], today: date) -> Years:
    return None, today.year - _count(found)


def _newer(found: re.Match[str], today: date) -> Years:
    return today.year - _count(found), None


def _count(found: re.Match[str]) -> int:
    word = found.group("count").lower()
    return NUMBERS.get(word) or int(word)


def _last_years(found: re.Match[str], today: date) -> Years:
    return today.year - _count(found), None


def _last_decades(found: re.Match[str], today: date) -> Years:
    return today.year - 10 * _count(found), None


def _years_ago(found: re.Match[str], today: date) -> Years:
    year = today.year - _count(found)
    return year, year


def _part_of_century(found: re.Match[str], today: date) -> Years:
    if found.group("which").lower() in ("this", "the current"):
        return today.year // 100 * 100, None
    century = int(re.findall(r"\d+", found.group())[0])
    return century * 100 - 100, century * 100 - 1


READINGS: tuple[tuple[str, Reading, bool], ...] = (
    (r"(?:(?:with)?in |from |of )?(?:the )?(?:last|past) (?P<count>N) years", _last_years, False),
    (r"(?:(?:with)?in |from |of )?(?:the )?(?:last|past) (?P<count>N) decades",
     _last_decades, False),
    (r"(?P<count>N) years ago", _years_ago, False),
    (r"(?P<count>N) decades ago",
     lambda found, d: (d.year - 10 * _count(found), d.year - 10 * _count(found)), False),
    (r"since the (?:new )?millennium", lambda _, d: (d.year // 1000 * 1000, None), False),
    (r"(?:from )?pre-?(?P<year>\d{4})", lambda found, _: (None, int(found["year"]) - 1), False),
    (r"(?:a|one) decade ago", lambda _, d: (d.year - 10, d.year - 10), False),
    (r"(?:(?:not|no) )?(?:older than|more than|over) (?P<count>N) years(?: old| ago)?",
     lambda found, d: _newer(found, d) if _denied(found) else _older(found, d), False),
    ((r"(?:(?:not|no) )?(?:younger than|newer than|less than|under) (?P<count>N) years"
      r"(?: old)?"),
     lambda found, d: _older(found, d) if _denied(found) else _newer(found, d), False),
    (r"at least (?P<count>N) years old", _older, False),
    (r"at most (?P<count>N) years old", _newer, False),
    (r"(?P<bound>before|since|after) the turn of the (?:century|millennium)", _turned, False),
    (r"(?:with)?in the (?:last|past) (?:few|couple of) years",
     lambda _, d: (d.year - RECENT_YEARS, None), True),
    (r"(?:in |from |of )?(?:the )?(?:last|past) decade", lambda _, d: (d.year - 10, None), False),
    (r"(?:in |from |of )?last year(?:'s)?", lambda _, d: (d.year - 1, d.year - 1), False),
    (r"(?:in |from |of )?this year(?:'s)?", lambda _, d: (d.year, d.year), False),
    (r"(?:in |from |of )?(?P<which>this) century", _part_of_century, False),
    (r"(?:in |from |of )?(?:the )?(?:last|past|previous) century",
     lambda _, d: (d.year // 100 * 100 - 100, d.year // 100 * 100 - 1), False),
    (r"(?:in |from |of )?the (?P<which>\d\d)(?:st|nd|rd|th) century", _part_of_century, False),
    (r"(?:in |from |of |around |at )*the turn of the (?:century|millennium)",
     lambda _, d: (d.year // 100 * 100 - 1, d.year // 100 * 100 + 1), True),
    ((r"(?P<bound>before|until|up to|older than|since|after) (?:the )?"
     r"(?P<decade>(?:1[89]|20)\d0'?s|'?\d0'?s|D)\b"), _bounded_decade, False),
    ((r"(?:in |from |of |during )?(?:the )?(?P<part>early|mid|late)[ -]"
     r"(?P<decade>(?:1[89]|20)\d0'?s|'?\d0'?s|D)\b"), _part_of_decade, False),
    ((r"(?:in |from |of |during )?(?:the )?(?:nineteen[ -])?"
     r"(?P<decade>(?:1[89]|20)\d0'?s|'?\d0'?s|D)\b"), _decade, False),
    (r"recent(?:ly)?|latest|newest|new|modern|nowadays", lambda _, d: (d.year - RECENT_YEARS, None),
     True),
)  # fmt: skip


def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.replace("<count>N)", rf"<count>\d{{1,3}}|{'|'.join(NUMBERS)})")
    text = text.replace("|D)", f"|{'|'.join(DECADES)})")
    return re.compile(rf"(?<![\w'])(?:{text})(?!\w)", re.IGNORECASE)


PATTERNS = tuple((_compiled(pattern), reading, vague) for pattern, reading, vague in READINGS)


def periods(text: str, today: date) -> list[Period]:
    """Return the periods that a text names in words, in order, without overlaps."""
    found: list[Period] = []
    for period in sorted(_all(text, today), key=lambda each: (each.start, -each.end)):
        if not found or period.start >= found[-1].end:
            found.append(period)
    return found


def _all(text: str, today: date) -> Iterator[Period]:
    for pattern, reading, vague in PATTERNS:
        for match in pattern.finditer(text):
            if vague and _in_name(match):
                continue
            first, last = reading(match, today)
            yield Period(match.start(), match.end(), match.group().strip(), first, last, vague)


def _in_name(match: re.Match[str]) -> bool:
    """Whether a word belongs to a name, as in New York."""
    return (
        match.group()[0].isupper()
        and re.match(r"\s+[A-Z]", match.string[match.end() :]) is not None
    )


def year_column(contract: Contract) -> str | None:
    """Return `Table.Column` of the first column that holds years, or None."""
    for node in contract.nodes:
        for column in node.columns:
            if column.type in ("INT", "BIGINT") and "year" in column.name.lower():
                return f"{node.name}.{column.name}"
    return None
