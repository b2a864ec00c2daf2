"""The text of a pyodbc error, taken apart into the server's records with their numbers."""

import re
from dataclasses import dataclass

RECORD = re.compile(
    r"\[(?P<state>[0-9A-Z]{5})\] "
    r"(?:(?P<server>(?:\[[^\]]*\])*?\[SQL Server\])|(?:\[[^\]]*\])+)"
    r"(?P<text>.*) \((?P<number>-?\d+)\)(?: \(SQL\w+\))?",
    re.DOTALL,
)
STATE = re.compile(r"[0-9A-Z]{5}")
# They only say that another error came before.
SECONDARY = frozenset({1750, 3621, 8153, 8180, 11501, 11529})
# The server found no fault, and yet cannot say which columns a statement has:
# https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-11000-to-12999
UNDESCRIBED = frozenset(range(11509, 11529))
LONGEST = 400
# Names of server, database and login tell the model nothing that it may act upon.
QUOTED = r"(?:'[^']*'|\"[^\"]*\"|\[[^\]]*\])"
DATABASE_PART = re.compile(rf", database {QUOTED}", re.IGNORECASE)
PLACE = re.compile(rf"\b(database|server|login|user|principal) {QUOTED}", re.IGNORECASE)
QUALIFIED = re.compile(r"'(?:[^'. ]+\.){1,2}(?P<rest>[^'. ]+\.[^'. ]+)'")


@dataclass(frozen=True, slots=True)
class Message:
    """One record: its SQLSTATE, its number (the driver's own have 0), its text, and who said it."""

    state: str
    number: int
    text: str
    from_server: bool = True


def messages(error: BaseException) -> tuple[Message, ...]:
    """Return the records of a pyodbc error, in their order."""
    text = str(error.args[-1]) if error.args else ""
    vendor = re.match(r"\[[0-9A-Z]{5}\] \[[^\]]*\]", text)
    if vendor is None:
        return ()
    # A text may hold what looks like the end of a record: only one of the same driver begins a new.
    begin = re.escape(vendor[0][len("[00000] ") :])
    parts = re.split(rf"; (?=\[[0-9A-Z]{{5}}\] {begin})", text)
    return tuple(_message(match) for match in map(RECORD.fullmatch, parts) if match)


def _message(match: re.Match[str]) -> Message:
    return Message(
        match["state"], int(match["number"]), match["text"].strip(), match["server"] is not None
    )


def state(error: BaseException) -> str:
    """Return the SQLSTATE of an error, or ''."""
    first = str(error.args[0]) if len(error.args) > 1 else ""
    return first if STATE.fullmatch(first) else ""


def primary(error: BaseException) -> Message | None:
    """Return the server's record that explains an error, not one that is its consequence."""
    found = [each for each in messages(error) if each.from_server and each.number > 0]
    causes = [each for each in found if each.number not in SECONDARY]
    return next(iter(causes or found), None)


def is_undescribed(error: BaseException) -> bool:
    """Whether a server only could not describe a result: nothing else is said to be wrong."""
    found = {each.number for each in messages(error) if each.from_server and each.number > 0}
    return bool(found) and found <= UNDESCRIBED


def neutral(text: str) -> str:
    """Return a text of the server without names of servers, databases and logins, not too long."""
    text = PLACE.sub(r"\1", DATABASE_PART.sub("", text))
    text = " ".join(QUALIFIED.sub(r"'\g<rest>'", text).split())
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "..."
