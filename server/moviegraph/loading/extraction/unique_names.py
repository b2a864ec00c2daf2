"""Folds the names of a kind in which one name stands for one node."""

from collections import defaultdict
from collections.abc import Sequence

from moviegraph.contract.model import NodeTable
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.loading.extraction.cluster import Cluster, Spelling, cluster_of_node, new_cluster
from moviegraph.loading.extraction.ground import Ground
from moviegraph.loading.extraction.names import normal_form, singular


class UniqueNames:
    """Which node a name means, where the name alone decides.

    A loaded node of that name comes first, then what the glossary says. Where a kind is of common
    nouns, the plural of a word is the word.
    """

    def __init__(self, table: NodeTable, ground: Ground) -> None:
        self._common = table.common_nouns
        self._loaded = {normal: nodes[0] for normal, nodes in ground.by_name(table).items()}
        self._by_form: dict[str, NodeRecord] = {}
        for normal, node in self._loaded.items():
            self._by_form.setdefault(self._form(normal), node)
        self._aliases = ground.aliases(table)
        self._by_number = {self._form(alias): name for alias, name in self._aliases.items()}
        self._canonical = {self._form(normal_form(name)): name for name in self._aliases.values()}

    def meant(self, normal: str) -> NodeRecord | str:
        """Return the loaded node that a name means, or the key of a new one."""
        if normal in self._loaded:
            return self._loaded[normal]
        form = self._form(normal)
        if normal in self._aliases:
            return self._canonical_of(self._aliases[normal])
        if form in self._by_form:
            return self._by_form[form]
        return self._canonical_of(self._by_number[form]) if form in self._by_number else form

    def name(self, key: str) -> str | None:
        """Return how the glossary spells a new node, if it does."""
        return self._canonical.get(key)

    def _canonical_of(self, name: str) -> NodeRecord | str:
        normal = normal_form(name)
        form = self._form(normal)
        return self._loaded.get(normal) or self._by_form.get(form) or form

    def _form(self, normal: str) -> str:
        return singular(normal) if self._common else normal


def fold_unique(table: NodeTable, ground: Ground, names: Sequence[Spelling]) -> list[Cluster]:
    """Return the clusters of a kind in which one name stands for one node."""
    index = UniqueNames(table, ground)
    loaded: dict[int, tuple[NodeRecord, list[Spelling]]] = {}
    new: dict[str, list[Spelling]] = defaultdict(list)
    for spelling in names:
        meant = index.meant(spelling.normal)
        if isinstance(meant, str):
            new[meant].append(spelling)
        else:
            loaded.setdefault(meant.id, (meant, []))[1].append(spelling)
    return [
        *(cluster_of_node(node, found) for _, (node, found) in sorted(loaded.items())),
        *(new_cluster(key, found, name=index.name(key)) for key, found in sorted(new.items())),
    ]
