"""What belongs with an example by the graph: the sequels, its franchise, the remakes."""

import re
from collections.abc import Sequence
from typing import Any

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.retrieval.names import Named, parted
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.wording import LEADING, inflected, words_for
from moviegraph.sql.statements import id_list, like_text, literal

DEFINITE = frozenset("the its their his her same itself themselves this that these those".split())
AROUND = LEADING | DEFINITE | {"other", "others", "further", "existing", "whole", "entire"}
MOST = 20


def relative_kind(contract: Contract, node: NodeTable, what: str) -> str | None:
    """Return the kind by which words name what belongs with an example, and nothing else.

    Words for the kind itself mean it as a whole unless something points: no series, the series.
    """
    words = re.findall(r"[\w-]+", re.sub(r"['\u2019]s\b", "", what.lower()))
    said = [each for each in words if each not in AROUND | words_for(contract, node.name)]
    known = {form: each.table for each in contract.glossary.relatives for form in _forms(each.word)}
    kinds = [known.get(each) for each in said]
    kind = kinds[0] if kinds else None
    if kind is None or None in kinds:
        return None
    whole = _names_of(contract, kind).issuperset(said)
    return None if whole and DEFINITE.isdisjoint(words) else kind


def whole_kind(contract: Contract, node: NodeTable, what: str) -> str | None:
    """Return the kind of node that words name as a whole: no series, without any franchise."""
    around = LEADING | words_for(contract, node.name)
    words = [each for each in what.lower().split() if each not in around]
    for other in contract.nodes:
        if (
            other.name != node.name
            and len(words) == 1
            and words[0] in _names_of(contract, other.name)
        ):
            return other.name
    return None


def _names_of(contract: Contract, kind: str) -> set[str]:
    """Return the words for a kind itself: its name, and of its other names those of relatives."""
    relatives = {each.word for each in contract.glossary.relatives if each.table == kind}
    others = {each.word for each in contract.glossary.tables if each.table == kind}
    return inflected({kind.lower()} | relatives & others)


def _forms(word: str) -> set[str]:
    return inflected([word]) | ({f"{word[:-1]}ies"} if word.endswith("y") else set())


def joining(contract: Contract, node: NodeTable) -> list[NodeTable]:
    """Return the kinds that join nodes of a kind to what belongs with them."""
    kinds = dict.fromkeys(each.table for each in contract.glossary.relatives)
    found = (contract.node(each) for each in kinds if contract.between(node.name, each))
    return [each for each in found if each is not None and each.name != node.name]


def group_words(contract: Contract, node: NodeTable) -> set[str]:
    """Return the words for the kinds that join nodes of a kind, and for those: series, sequels."""
    kinds = {each.name for each in joining(contract, node)}
    words = [each.word.lower() for each in contract.glossary.relatives if each.table in kinds]
    return inflected(words).union(*(_names_of(contract, each) for each in kinds))


def members(
    recording: Recording, node: NodeTable, group: NodeTable, named: Sequence[Named]
) -> list[Named]:
    """Return the first node that is linked to one of the nodes of another kind."""
    condition = f"o.{group.key} IN {id_list(each.key for each in named)}"
    return _linked(recording, node, group, condition, "n", 1) if named else []


def relatives(
    recording: Recording, node: NodeTable, kind: str, examples: Sequence[Named]
) -> list[str]:
    """Return the names of the nodes of a kind that examples are linked to.

    For their own kind, the names of other nodes that are called as they are.
    """
    group = recording.session.contract.node(kind)
    if group is None or not examples:
        return []
    if group.name == node.name:
        return _of_equal_name(recording, node, examples)
    condition = f"n.{node.key} IN {id_list(each.key for each in examples)}"
    found = _linked(recording, node, group, condition, "o", MOST)
    return list(dict.fromkeys(each.name for each in found))


def _linked(
    recording: Recording, node: NodeTable, group: NodeTable, condition: str, alias: str, top: int
) -> list[Named]:
    """Return the nodes n, or those of the group o, of the pairs that meet a condition."""
    shown = group if alias == "o" else node
    rows: list[Sequence[Any]] = []
    for way in recording.session.contract.between(node.name, group.name):
        arrow = "n-(e)->o" if way.from_table == node.name else "o-(e)->n"
        rows += recording.read(
            f"SELECT TOP ({top}) {alias}.{shown.key}, {alias}.{shown.label} "
            f"FROM {node.name} AS n, {way.name} AS e, {group.name} AS o "
            f"WHERE MATCH({arrow}) AND {condition} ORDER BY {alias}.{shown.key}"
        )
    return [Named(key, name) for key, name in rows][:top]


def _of_equal_name(recording: Recording, node: NodeTable, examples: Sequence[Named]) -> list[str]:
    found: list[str] = []
    for each in examples:
        both = parted(node, each.name)
        bare = both[0] if both and each.name.endswith(f"({both[1]})") else each.name
        alike = f"n.{node.label} = {literal(bare)}"
        if node.disambiguated_by:
            alike += f" OR n.{node.label} LIKE {literal(f'{like_text(bare)} ([0-9]%)')}"
        found += (
            name
            for (name,) in recording.read(
                f"SELECT TOP ({MOST}) n.{node.label} FROM {node.name} AS n "
                f"WHERE n.{node.key} <> {each.key} AND ({alike}) ORDER BY n.{node.key}"
            )
        )
    return list(dict.fromkeys(found))
