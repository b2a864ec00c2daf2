"""Writes conditions that leave few nodes out as the keys of those nodes, which takes less room."""

from collections.abc import Sequence

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.exclusions import ALIAS
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import id_list

MOST_KEYS = 40


def by_key(recording: Recording, node: NodeTable, conditions: Sequence[str]) -> tuple[str, ...]:
    """Return conditions of the same meaning; those that leave many nodes out stay as they are."""
    keys: set[int] = set()
    others: list[str] = []
    for condition in conditions:
        rows = recording.read(
            f"SELECT TOP ({MOST_KEYS + 1}) {ALIAS}.{node.key} FROM {node.name} AS {ALIAS} "
            f"WHERE NOT ({condition}) ORDER BY {ALIAS}.{node.key}"
        )
        if len(rows) > MOST_KEYS:
            others.append(condition)
        else:
            keys.update(key for (key,) in rows)
    listed = (f"{ALIAS}.{node.key} NOT IN {id_list(sorted(keys))}",) if keys else ()
    return (*listed, *others)
