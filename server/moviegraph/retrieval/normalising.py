"""Writes a question out: abbreviations, relative dates, and what its words are taken to mean."""

import re
from datetime import UTC, date, datetime

from moviegraph.contract.model import Contract
from moviegraph.retrieval.dates import Period, periods, year_column
from moviegraph.retrieval.session import Session
from moviegraph.retrieval.wording import Interpretation, aliases, expanded

BEFORE = re.compile(r"\b(?:the|a|an|those|these)\s+[\w-]+\s$", re.I)
"""What ends in an article and one more word: only a noun can follow (the swinging sixties)."""

DENIAL = "not "
"""How the meaning of a period begins that the question leaves out."""

DENIED = re.compile(
    r"(?:\b(?:not|nothing|none|except|excluding|anything but)|n['\u2019]t)\s+"
    r"(?:(?:made|released)\s+)?$",
    re.I,
)


def today(session: Session) -> date:
    """Return the day that relative dates count from."""
    return date.fromisoformat(session.today) if session.today else datetime.now(UTC).date()


def normalise(question: str, contract: Contract, day: date) -> tuple[str, list[Interpretation]]:
    """Return the question with abbreviations and relative dates written out, and all readings."""
    written, found = expanded(" ".join(question.split()), contract)
    text, column = written, year_column(contract)
    for period in reversed(named := periods(written, day)):
        if not period.vague:
            text = text[: period.start] + _words(period, text) + text[period.end :]
    found += [_dated(period, column, written[: period.start]) for period in named]
    named_nodes = aliases(question, contract)
    known = {(alias.alias, alias.name) for alias in named_nodes}
    found = [each for each in found if (each.text, each.meaning) not in known]
    found += [Interpretation(each.alias, f"{each.kind} {each.name!r}") for each in named_nodes]
    return text, list(dict.fromkeys(found))


def _words(period: Period, text: str) -> str:
    """Return what is written for a period; a word that must stay has the years behind it."""
    stays = " " not in period.text and BEFORE.search(text[: period.start])
    return f"{period.text} ({period.words})" if stays else period.words


def _dated(period: Period, column: str | None, before: str) -> Interpretation:
    """Return what a period means; where the question leaves it out, the condition does so."""
    denied = DENIAL if DENIED.search(before) else ""
    meaning = f"{denied}{period.words}"
    if column is not None:
        meaning += f" ({denied.upper()}{period.condition(column)})"
    if period.vague:
        meaning = f"ambiguous; read as {meaning}, or sort the newest first"
    return Interpretation(period.text, meaning)
