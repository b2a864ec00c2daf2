"""Folds the names of a kind in which one name stands for one node."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from moviegraph.contract.model import NodeTable
from moviegraph.engines.records import NodeRecord
from moviegraph.loading.extraction.cluster import Cluster, Spelling, cluster_of_node, new_cluster
from moviegraph.loading.extraction.ground import Ground
from moviegraph.loading.extraction.names import normal_form, singular


class UniqueNames:
    """Which node a name means, where the name alone decides.

    A loaded node of that name comes first, then what the glossary says, then the plural where a
    kind is of common nouns and both numbers of the word occur.
    """

    def __init__(self, table: NodeTable, ground: Ground, names: Iterable[Spelling]) -> None:
        self._loaded = {
            normal: nodes[0] for normal, nodes in ground.by_name(table).items() if normal
        }
        self._aliases = ground.aliases(table)
        canonical = {normal_form(name): name for name in self._aliases.values()}
        known = {
            *self._loaded,
            *self._aliases,
            *canonical,
            *(spelling.normal for spelling in names),
        }
        self._known = known if table.common_nouns else set[str]()
        self._canonical = {self._form(normal): name for normal, name in canonical.items()}
        self._by_form: dict[str, NodeRecord] = {}
        for normal, node in self._loaded.items():
            self._by_form.setdefault(self._form(normal), node)

    def meant(self, normal: str) -> NodeRecord | str:
        """Return the loaded node that a name means, or the key of a new one."""
        form = self._form(normal)
        if normal in self._loaded:
            return self._loaded[normal]
        alias = self._aliases.get(normal) or self._aliases.get(form)
        if alias is None:
            return self._by_form.get(form, form)
        canonical = normal_form(alias)
        found = self._loaded.get(canonical) or self._by_form.get(self._form(canonical))
        return found or self._form(canonical)

    def name(self, key: str) -> str | None:
        """Return how the glossary spells a new node, if it does."""
        return self._canonical.get(key)

    def _form(self, normal: str) -> str:
        shorter = singular(normal) if self._known else normal
        return shorter if shorter in self._known else normal


def fold_unique(table: NodeTable, ground: Ground, names: Sequence[Spelling]) -> list[Cluster]:
    """Return the clusters of a kind in which one name stands for one node."""
    index = UniqueNames(table, ground, names)
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
