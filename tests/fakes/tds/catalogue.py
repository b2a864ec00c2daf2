"""Responses to the drivers' catalog queries on the first connection of a connection string."""

import re

from fakes.tds.script import Call, Rows
from fakes.tds.types import INT, NVARCHAR

QUESTION = re.compile(r"sp_datatype_info(?:_100)?\]?(?: (-?\d+))?")
# Sizes by ODBC type; without an answer long parameters fail with HY104.
SIZES = {12: 8000, -9: 4000, -3: 8000, 93: 27}
COLUMNS = [("TYPE_NAME", NVARCHAR), ("DATA_TYPE", INT), ("PRECISION", INT)]


def type_information(call: Call) -> Rows | None:
    """Answer sp_datatype_info, called or sent as a batch; None for anything else."""
    match = QUESTION.search(call.sql)
    if match is None:
        return None
    kind = int(match[1]) if match[1] else call.parameters[0].value
    return Rows(COLUMNS, [(str(kind), kind, SIZES[kind])] if kind in SIZES else [])
