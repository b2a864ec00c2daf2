"""Writes a question out: abbreviations, relative dates, and what its words are taken to mean."""

from datetime import UTC, date, datetime

from moviegraph.contract.model import Contract
from moviegraph.retrieval.dates import Period, periods, year_column
from moviegraph.retrieval.session import Session
from moviegraph.retrieval.wording import Interpretation, aliases, expanded


def today(session: Session) -> date:
    """Return the day that relative dates count from."""
    return date.fromisoformat(session.today) if session.today else datetime.now(UTC).date()


def normalise(question: str, contract: Contract, day: date) -> tuple[str, list[Interpretation]]:
    """Return the question with abbreviations and relative dates written out, and all readings."""
    text, found = expanded(" ".join(question.split()), contract)
    column = year_column(contract)
    for period in reversed(named := periods(text, day)):
        if not period.vague:
            text = text[: period.start] + period.words + text[period.end :]
    found += [_dated(period, column) for period in named]
    found += [
        Interpretation(alias.alias, f"{alias.kind} {alias.name!r}")
        for alias in aliases(question, contract)
    ]
    return text, list(dict.fromkeys(found))


def _dated(period: Period, column: str | None) -> Interpretation:
    meaning = period.words
    if column is not None:
        meaning += f" ({period.condition(column)})"
    if period.vague:
        meaning = f"ambiguous; read as {meaning}, or sort the newest first"
    return Interpretation(period.text, meaning)
