"""Checks of the arguments that several tools share; every error says what to write instead."""

from collections.abc import Sequence

from moviegraph.contract.model import Contract, NodeTable, nearest
from moviegraph.errors import ArgumentError
from moviegraph.retrieval.session import Session

LONGEST_QUERY = 2_000
LONGEST_NAME = 400
DETAILS = ("concise", "full")


def clean_text(text: object, name: str, longest: int = LONGEST_QUERY) -> str:
    """Return the text without blanks around it. Raises ArgumentError."""
    if not isinstance(text, str):
        raise ArgumentError(f"`{name}` is a text, not {type(text).__name__}.")
    stripped = text.strip()
    if not stripped:
        raise ArgumentError(f"`{name}` is empty.", hint="Say in a few words what is looked for.")
    if len(text) > longest:
        raise ArgumentError(
            f"`{name}` has {len(text):,} characters; at most {longest:,} are read.",
            hint="Say it shorter: one to three sentences find more than a page.",
        )
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in stripped):
        raise ArgumentError(
            f"`{name}` holds NUL or half characters (surrogates), which no text has.",
            hint="Send plain Unicode text.",
        )
    return stripped


def check_count(value: object, most: int, name: str = "top") -> int:
    """Return an integer from 1 to the cap. Raises ArgumentError, which names the cap."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        shown = value if isinstance(value, int) else repr(value)[:40]
        raise ArgumentError(f"`{name}` is an integer from 1 to {most}, not {shown}.")
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
            f"`{name}` is one of {', '.join(known)}, not {_shown(value)}.",
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
            f"`{name}` {_shown(kind)} is no kind of node; there are {', '.join(known)}.",
            suggestions=nearest(str(kind), known),
        )
    return node


def _shown(value: object) -> str:
    return repr(value)[:60].encode("ascii", "backslashreplace").decode()
