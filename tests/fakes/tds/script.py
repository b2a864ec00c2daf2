"""Responses of a scripted server: the steps, and the call that they answer."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fakes.tds.parameters import Parameter
from fakes.tds.types import INT, Column


@dataclass(frozen=True, slots=True)
class Fail:
    """An error of the server."""

    number: int
    message: str
    severity: int = 16
    state: int = 1


@dataclass(frozen=True, slots=True)
class Info:
    """A message for information, as PRINT sends it."""

    number: int
    message: str


@dataclass(frozen=True, slots=True)
class Affected:
    """A statement without rows that counted some, as without NOCOUNT."""

    count: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until the event is set; an attention ends the answer unless the server is deaf."""

    until: threading.Event = field(default_factory=threading.Event)
    deaf: bool = False


@dataclass(frozen=True, slots=True)
class HangUp:
    """Drop the socket, as a failover or a killed connection does."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A result set; `cut` happens after its rows, where more would come."""

    columns: Sequence[Column]
    rows: Iterable[Sequence[Any]]
    cut: Fail | Wait | HangUp | None = None


Step = Rows | Fail | Info | Affected | Wait | HangUp
LoginStep = Fail | Wait | HangUp


@dataclass(frozen=True, slots=True)
class Call:
    """A statement as it came, over the connection of that number.

    Attributes:
        connection: Counted from 1 in the order of connecting.
        sql: The text; for a procedure called by name, its name.
        parameters: Those of the statement, without those of sp_prepexec and its like.
        procedure: sp_prepexec, sp_execute, sp_executesql, a name, or "" for a plain batch.
        declared: The declaration of the parameters.
    """

    connection: int
    sql: str
    parameters: tuple[Parameter, ...] = ()
    procedure: str = ""
    declared: str = ""


Script = Callable[[Call], Sequence[Step]]

ONE = Rows([("n", INT)], [(1,)])


class Answers:
    """A script from a table: the first word found in the text decides, else one row or nothing.

    The steps may also be a function of the call. Rows go to what selects, unless it begins with IF.
    """

    def __init__(self, table: dict[str, Sequence[Step] | Script] | None = None) -> None:
        self.table = dict(table or {})

    def __call__(self, call: Call) -> Sequence[Step]:
        """Answer a call."""
        for word, steps in self.table.items():
            if word.lower() in call.sql.lower():
                return steps(call) if callable(steps) else steps
        text = call.sql.lower().lstrip()
        return [ONE] if "select" in text and not text.startswith("if ") else []
