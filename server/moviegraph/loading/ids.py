"""Ids of a source as the integers of the graph: whole numbers stay, texts get stable numbers."""

import hashlib
from collections.abc import Collection
from itertools import count
from typing import Any

from moviegraph.contract.model import NodeTable
from moviegraph.engines.graph_records import KIND_BITS
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.values import checked_text
from moviegraph.text import clean

Key = int | str
MOST_UNITS = 1000


def id_bits(table: NodeTable) -> int:
    """Return how many bits the ids of a table have."""
    column = table.column(table.key)
    return 31 if column is not None and column.type == "INT" else KIND_BITS


def checked_key(field: str, value: Any, bits: int) -> Key:
    """Return an id: a whole number, or a text. A text of digits means the number.

    Raises:
        BadRow: It is neither, or a number that no id can be.
    """
    if value is None:
        raise BadRow(Reason.MISSING, f"the field {field} is missing")
    if isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value < 2**bits:
            return value
        raise BadRow(
            Reason.OUT_OF_RANGE,
            f"the field {field} is outside 0 to 2^{bits} - 1; write it as text to map it",
        )
    if not isinstance(value, str):
        message = f"the field {field} is neither an integer nor text"
        raise BadRow(Reason.WRONG_TYPE, message)
    return _text_key(field, value, bits)


def _text_key(field: str, value: str, bits: int) -> Key:
    text = checked_text(field, value, MOST_UNITS).strip()
    if not clean(text).strip():
        raise BadRow(Reason.EMPTY, f"the field {field} is empty")
    digits = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    if digits and len(text) <= len(str(2**bits)) and int(text) < 2**bits:
        return int(text)
    return text


def stable_ids(keys: Collection[Key], bits: int) -> dict[str, int]:
    """Return an integer for each text among the ids of one table.

    It depends on the text alone, unless two texts fall on one number, or a text on a number that
    stands in the source: then the next digest decides, in the order of the texts.
    """
    taken = {key for key in keys if isinstance(key, int)}
    mapped: dict[str, int] = {}
    for text in sorted(key for key in keys if isinstance(key, str)):
        mapped[text] = next(
            number for salt in count() if (number := _digest(text, salt, bits)) not in taken
        )
        taken.add(mapped[text])
    return mapped


def _digest(text: str, salt: int, bits: int) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8, salt=salt.to_bytes(4, "big")).digest()
    return int.from_bytes(digest, "big") & ((1 << bits) - 1)
