"""The retrieval primitives of SQL Server: one constant statement each, arguments as parameters."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Description, Vector
from moviegraph.engines.result_limits import Row
from moviegraph.engines.retrieval_primitives import (
    Ids,
    Pairs,
    Ranked,
    SearchFunction,
    SelectedIds,
    Selection,
    Step,
)
from moviegraph.engines.sqlserver import reader_statements as statements
from moviegraph.engines.sqlserver.batch import Batch, vector_text
from moviegraph.engines.sqlserver.internal_tables import READ_ALIASES
from moviegraph.engines.sqlserver.odbc_driver import fix_surrogates
from moviegraph.engines.sqlserver.reader_statements import MAX_CONDITION, Query, Restriction
from moviegraph.errors import ExecutionError, UnavailableError, VectorSpaceError
from moviegraph.sql.contains import split_words
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import Hop
from moviegraph.text import fold_name

NONE: Ids = np.zeros(0, dtype=np.int64)
NOTHING = Ranked(NONE, np.zeros(0))
MAX_K = 2**31 - 1
MAX_BY_INDEX = 1_000  # rows of one search by a vector index
WITHOUT_MARKS = dict.fromkeys(map(ord, statements.MARKS))
FULLTEXT = ("CONTAINS", "FREETEXT")


@dataclass(frozen=True, slots=True, eq=False)
class SelectedRows(Selection):
    """A selection that the database works out: a judged SELECT of ids, less those excluded."""

    condition: str = ""
    excluded: Ids | None = None

    @property
    def by_words(self) -> bool:
        """Return whether full-text search is part of the condition."""
        return any(word in self.condition.upper() for word in FULLTEXT)


class MssqlReader:
    """The primitives within one call; `read` runs batches in the transaction of that call."""

    def __init__(
        self, contract: Contract, description: Description, read: Callable[[Batch], list[Row]]
    ) -> None:
        self._contract = contract
        self._description = description
        self._read = read
        self._aliases: list[Row] | None = None

    def select(
        self, kind: str, condition: Allowed | None = None, excluded: Ids | None = None
    ) -> Selection | None:
        """Return the selection; nothing is sent before a search uses it."""
        if excluded is not None and not len(excluded):
            excluded = None
        if condition is None and excluded is None:
            return None
        if condition is not None and condition.uses_query:
            raise ExecutionError("A condition that selects nodes cannot use @q.")
        return SelectedRows(condition.sql if condition else "", excluded)

    def existing(self, kind: str, ids: Ids) -> Ids:
        """Return those of the ids that are nodes of a kind, in their order."""
        if not len(ids):
            return ids
        query = statements.kept_nodes(self._contract, self._node(kind), statements.ALL)
        return ids[np.isin(ids, _column(self._rows(query, ids=_document(ids)), 0))]

    def has_any(self, kind: str, among: Selection | None) -> bool:
        """Return whether any node is in a selection."""
        if _is_empty(among, 1):
            return False
        query = statements.any_node(self._contract, self._node(kind), _restriction(among))
        return bool(self._rows(query, among))

    def only(self, ids: Ids) -> SelectedIds:
        """Return the selection of these nodes."""
        return SelectedIds(np.unique(ids))

    def keep(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        """Return those of the ids that are in the selection, in their order."""
        if among is None or not len(ids):
            return ids
        if isinstance(among, SelectedIds):
            return ids[np.isin(ids, among.ids)]
        query = statements.kept_nodes(self._contract, self._node(kind), _restriction(among))
        kept_ids = _column(self._rows(query, among, ids=_document(ids)), 0)
        return ids[np.isin(ids, kept_ids)]

    def nearest(self, kind: str, vector: Vector, k: int, among: Selection | None = None) -> Ranked:
        """Return the k nodes nearest to a vector, with their cosine distance."""
        space = self._description.space
        if space is None or _is_empty(among, k):
            return NOTHING
        if vector.shape != (space.dimensions,):
            raise VectorSpaceError(
                f"The vector has shape {vector.shape}; the stored vectors have "
                f"{space.dimensions} dimensions."
            )
        has_index = self._has_index(kind, k, among)
        search = statements.nearest_by_index if has_index else statements.nearest_nodes
        query = search(self._contract, self._node(kind), space.dimensions, _restriction(among))
        ranked = _ranked(self._rows(query, among, k=min(k, MAX_K), q=vector_text(vector)))
        order = np.lexsort((ranked.ids, ranked.values))  # an index does not order ties
        return Ranked(ranked.ids[order], ranked.values[order], is_exact=not has_index)

    def _has_index(self, kind: str, k: int, among: Selection | None) -> bool:
        """Return whether a vector index answers a search.

        Not among few ids, which are compared sooner than they are found; nor beside a full-text
        condition, for nothing says that the index continues until enough rows satisfy it.
        """
        if isinstance(among, SelectedIds) or k > MAX_BY_INDEX:
            return False
        if isinstance(among, SelectedRows) and among.by_words:
            return False
        return self._description.has_vector_index(kind)

    def matching(
        self,
        kind: str,
        text: str,
        k: int,
        among: Selection | None = None,
        *,
        function: SearchFunction = "CONTAINS",
    ) -> Ranked:
        """Return the k nodes that match a condition or words, with the rank that the server gives.

        Raises:
            ExecutionError: The condition is too long, or not in the CONTAINS grammar.
        """
        node = self._node(kind)
        if _is_empty(among, k) or (function == "FREETEXT" and not split_words(text)):
            return NOTHING
        text = fix_surrogates(text)
        if len(text.encode("utf-16-le")) > 2 * MAX_CONDITION:
            raise ExecutionError(
                f"A full-text condition has at most {MAX_CONDITION:,} characters.",
                code="too_large",
                hint="Search for fewer words.",
            )
        table_function = "FREETEXTTABLE" if function == "FREETEXT" else "CONTAINSTABLE"
        query = statements.matching_nodes(self._contract, node, table_function, _restriction(among))
        return _ranked(self._rows(query, among, k=min(k, MAX_K), text=text))

    def document_counts(self, kind: str, words: Sequence[str]) -> dict[str, int]:
        """Return for each word how many nodes of a kind contain it."""
        node, parts = self._node(kind), {word: split_words(word) for word in words}
        single = [word for word, tokens in parts.items() if len(tokens) == 1]
        if not single:
            return dict.fromkeys(words, 0)
        conditions = [f'"{parts[word][0]}"' for word in single]
        query = statements.document_counts(self._contract, node)
        counts = dict(self._rows(query, words=_document(conditions)))
        by_word = {word: int(counts.get(place, 0)) for place, word in enumerate(single)}
        return {word: by_word.get(word, 0) for word in words}

    def named(self, kind: str, names: Sequence[str]) -> list[tuple[str, int, Step]]:
        """Return (name asked for, id, step) of each node that has one of the names.

        The server compares without case and accents, which is more than `fold_name` takes for
        equal; the names that come back are compared again.
        """
        aliases = _glossary_aliases(self._contract, kind)
        folded = {name: fold_name(name) for name in names}
        targets = [target for name in folded.values() for target in aliases.get(name, ())]
        ids = self._ids_by_name(kind, [*names, *targets])
        matches: list[tuple[str, int, Step]] = []
        for name in names:
            step: Step = "equal"
            node_ids = ids.get(folded[name], [])
            if not node_ids:
                step = "alias"
                named = aliases.get(folded[name], [])
                node_ids = [
                    key for target_name in named for key in ids.get(fold_name(target_name), [])
                ]
                if folded[name]:
                    node_ids += self._stored_aliases(kind).get(folded[name], [])
            matches.extend((name, node_id, step) for node_id in dict.fromkeys(node_ids))
        return matches

    def names(self, kind: str) -> list[tuple[int, str, Step]]:
        """Return (id, name, "equal") of each node that has a name, and (id, alias, "alias")."""
        rows = self._rows(statements.all_names(self._contract, self._node(kind)))
        names: list[tuple[int, str, Step]] = [(int(row[0]), str(row[1]), "equal") for row in rows]
        by_name: dict[str, list[int]] = {}
        for node_id, name, _ in names:
            by_name.setdefault(fold_name(name), []).append(node_id)
        stored = self._stored_aliases(kind)
        names.extend((key, alias, "alias") for alias, keys in stored.items() for key in keys)
        for alias, targets in _glossary_aliases(self._contract, kind).items():
            ids = {key for target in targets for key in by_name.get(fold_name(target), ())}
            names.extend((node_id, alias, "alias") for node_id in sorted(ids))
        return names

    def _ids_by_name(self, kind: str, names: Iterable[str]) -> dict[str, list[int]]:
        """Return, by folded name, the ids of the nodes that have one of the names.

        A name is looked for as it is folded and, beyond ASCII, as it is without punctuation: the
        server does not take signs apart that stand for several (½).
        """
        forms = {
            (form, fold_name(name)): None
            for name in names
            for form in ((fold_name(name),) if name.isascii() else (fold_name(name), _bare(name)))
            if 0 < len(form) <= MAX_CONDITION
        }
        wanted = list(forms)
        ids: dict[str, list[int]] = {}
        if not wanted:
            return ids
        query = statements.named_nodes(self._contract, self._node(kind))
        document = _document([(place, form) for place, (form, _) in enumerate(wanted)])
        for row in self._rows(query, names=document, marks=statements.MARKS):
            folded = wanted[int(row[0])][1]
            if fold_name(str(row[2])) == folded:
                ids.setdefault(folded, []).append(int(row[1]))
        return ids

    def names_with(self, kind: str, parts: Sequence[str], k: int) -> list[tuple[int, str]]:
        """Return id and name of the k nodes whose name contains most of the parts."""
        usable = [part for part in parts if 0 < len(part) <= MAX_CONDITION]
        if not usable or k < 1:
            return []
        query = statements.names_with(self._contract, self._node(kind))
        rows = self._rows(query, k=min(k, MAX_K), parts=_document(usable))
        return [(int(node_id), fix_surrogates(name)) for node_id, name in rows]

    def neighbors(self, kind: str, hop: Hop, ids: Ids) -> Pairs:
        """Return the edges that lead from some nodes along one hop."""
        if not len(ids):
            return Pairs(NONE, NONE)
        query = statements.neighbors(self._contract, self._node(kind), hop)
        rows = self._rows(query, ids=_document(ids))
        return Pairs(_column(rows, 0), _column(rows, 1))

    def spread(
        self,
        kind: str,
        hop: Hop,
        ids: Ids,
        weights: NDArray[np.float64],
        k: int,
        among: Selection | None = None,
    ) -> Ranked:
        """Return the k nodes reached along one hop with the largest sums of their weights.

        Sums are rounded: the server adds in any order, and equal sums must stay equal.
        """
        if not len(ids) or _is_empty(among, k):
            return NOTHING
        query = statements.spread(self._contract, self._node(kind), hop, _restriction(among))
        pairs = list(zip(ids.tolist(), weights.tolist(), strict=True))
        return _ranked(self._rows(query, among, k=min(k, MAX_K), weights=_document(pairs)))

    def degrees(self, kind: str, ids: Ids) -> dict[str, NDArray[np.int64]]:
        """Return by edge table how many edges each node has."""
        query = statements.degrees(self._contract, self._node(kind))
        edges = [edge.name for edge in self._contract.connections_of(kind)]
        counts = {edge: dict.fromkeys(ids.tolist(), 0) for edge in edges}
        if query is not None and len(ids):
            for edge, node_id, number in self._rows(query, ids=_document(ids)):
                counts[edge][int(node_id)] += int(number)
        return {
            edge: np.array([of_edge[node_id] for node_id in ids.tolist()], dtype=np.int64)
            for edge, of_edge in counts.items()
        }

    def fetch(self, kind: str, ids: Ids, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return columns of existing nodes, in the order of the ids.

        Raises:
            UnavailableError: A node was deleted meanwhile; in a snapshot none is.
        """
        if not len(ids):
            return []
        query = statements.fetched_columns(self._contract, self._node(kind), columns)
        rows = self._rows(query, ids=_document(np.unique(ids)))
        by_id = {int(row[0]): tuple(map(fix_surrogates, row[1:])) for row in rows}
        missing = [node_id for node_id in ids.tolist() if node_id not in by_id]
        if missing:
            raise UnavailableError(
                f"The {kind} {missing[0]} is no longer in the graph; the data changed.",
                hint="Make the same call again.",
            )
        return [by_id[node_id] for node_id in ids.tolist()]

    def vectors(self, kind: str, ids: Ids) -> Vector:
        """Return the unit vectors of those of the nodes that have one."""
        space = self._description.space
        if space is None or not len(ids):
            return np.zeros((0, space.dimensions if space else 0), dtype=np.float32)
        query = statements.stored_vectors(self._contract, self._node(kind))
        rows = self._rows(query, ids=_document(np.unique(ids)))
        matrix = np.array([json.loads(text) for _, text in rows], dtype=np.float32)
        matrix = matrix.reshape(len(rows), space.dimensions)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def _stored_aliases(self, kind: str) -> dict[str, list[int]]:
        """Return the nodes of each folded alias in the table of aliases, read once for a call."""
        if self._aliases is None:
            self._aliases = self._read(Batch(READ_ALIASES))
        ids: dict[str, list[int]] = {}
        for of_kind, key, alias in self._aliases:
            if of_kind == kind:
                ids.setdefault(fold_name(str(alias)), []).append(int(key))
        return ids

    def _rows(self, query: Query, among: Selection | None = None, **values: Any) -> list[Row]:
        return self._read(query.batch(values | _values(among)))

    def _node(self, kind: str) -> NodeTable:
        node = self._contract.node(kind)
        assert node is not None
        return node


def _glossary_aliases(contract: Contract, kind: str) -> Mapping[str, list[str]]:
    """Return the names of the nodes that each folded alias of an older contract stands for."""
    glossary = contract.glossary
    pairs = [(alias.alias, alias.name) for alias in glossary.aliases if alias.kind == kind]
    names: dict[str, list[str]] = {}
    for alias, name in [*pairs, *glossary.abbreviations.items()]:
        names.setdefault(fold_name(alias), []).append(name)
    return names


def _bare(name: str) -> str:
    """Return a name as the statement compares stored ones, apart from case and accents."""
    return name.translate(WITHOUT_MARKS)


def _restriction(among: Selection | None) -> Restriction:
    """Return the form of a selection in a statement."""
    if isinstance(among, SelectedIds):
        return Restriction(ids=True)
    if isinstance(among, SelectedRows):
        return Restriction(condition=among.condition, excluded=among.excluded is not None)
    assert among is None
    return statements.ALL


def _values(among: Selection | None) -> dict[str, str]:
    """Return the documents that a selection needs."""
    if isinstance(among, SelectedIds):
        return {"among": _document(among.ids)}
    if isinstance(among, SelectedRows) and among.excluded is not None:
        return {"excluded": _document(among.excluded)}
    return {}


def _is_empty(among: Selection | None, k: int) -> bool:
    """Return whether a search can return nothing."""
    return k < 1 or (isinstance(among, SelectedIds) and not len(among.ids))


def _document(values: Ids | Sequence[Any]) -> str:
    """Return values as a JSON array, in ASCII."""
    items = values.tolist() if isinstance(values, np.ndarray) else values
    return json.dumps(items, separators=(",", ":"))


def _ranked(rows: Sequence[Row]) -> Ranked:
    return Ranked(_column(rows, 0), np.array([row[1] for row in rows], dtype=np.float64))


def _column(rows: Sequence[Row], place: int) -> Ids:
    return np.array([row[place] for row in rows], dtype=np.int64)
