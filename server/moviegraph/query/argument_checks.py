"""Checks of the arguments that several tools share; every error says what to write instead."""

from collections.abc import Sequence

from moviegraph.contract.model import Contract, NodeTable, nearest
from moviegraph.errors import ArgumentError
from moviegraph.query.session import Session

LONGEST_QUERY = 2_000
LONGEST_NAME = 400
DETAILS = ("concise", "full")


def clean_text(text: object, name: str, longest: int = LONGEST_QUERY) -> str:
    """Return the text without blanks around it. Raises ArgumentError."""
    if not isinstance(text, str):
        raise ArgumentError(f"`{name}` must be text, not {type(text).__name__}.")
    stripped = text.strip()
    if not stripped:
        raise ArgumentError(
            f"`{name}` is empty.", hint="Describe in a few words what to search for."
        )
    if len(text) > longest:
        raise ArgumentError(
            f"`{name}` has {len(text):,} characters; the maximum is {longest:,}.",
            hint="Shorten it to one to three sentences.",
        )
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in stripped):
        raise ArgumentError(
            f"`{name}` contains characters that are not valid in text (NUL or lone surrogates).",
            hint="Send plain Unicode text.",
        )
    return stripped


def check_count(value: object, most: int, name: str = "top") -> int:
    """Return an integer from 1 to the cap. Raises ArgumentError, which names the cap."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        shown = value if isinstance(value, int) else repr(value)[:40]
        raise ArgumentError(f"`{name}` must be an integer from 1 to {most}, not {shown}.")
    return value


def check_top(top: object, session: Session) -> int:
    """Return the number of rows that a tool lists; by default the contract's, within the cap."""
    if top is None:
        return min(session.contract.limits.top, session.caps.top)
    return check_count(top, session.caps.top)


def check_choice(value: str, known: Sequence[str], name: str) -> str:
    """Return a value that is one of the known ones. Raises ArgumentError."""
    if value not in known:
        raise ArgumentError(
            f"`{name}` must be one of {', '.join(known)}, not {_shown(value)}.",
            suggestions=nearest(str(value), tuple(known)),
        )
    return value


def node_table(contract: Contract, kind: str | None, name: str = "kind") -> NodeTable:
    """Return the node table of a kind, by default the contract's first.

    Raises ArgumentError with the nearest kinds.
    """
    node = contract.nodes[0] if kind is None else contract.node(kind)
    if node is None:
        known = tuple(each.name for each in contract.nodes)
        raise ArgumentError(
            f"`{name}` {_shown(kind)} is not a kind of node. Use one of {', '.join(known)}.",
            suggestions=nearest(str(kind), known),
        )
    return node


def _shown(value: object) -> str:
    return repr(value)[:60].encode("ascii", "backslashreplace").decode()
