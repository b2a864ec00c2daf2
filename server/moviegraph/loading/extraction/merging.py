"""Merges clusters that the model says are one, in groups of names that are near each other."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moviegraph.loading.extraction.answering import Asking, answered
from moviegraph.loading.extraction.cluster import Cluster, merged
from moviegraph.loading.extraction.likeness import Pair
from moviegraph.loading.extraction.same_names import Group, NamesAsked

STAGE = "Merging names"
MOST_IN_GROUP = 8
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of clusters.

    Attributes:
        clusters: Those that are left.
        merged: How many are not.
        unasked: How many groups the model did not judge.
        reason: Why it did not judge the first of them.
    """

    clusters: list[Cluster]
    merged: int
    unasked: int
    reason: str


def merged_by_model(asked: NamesAsked, pairs: Sequence[Pair], asker: Asking) -> Merged:
    """Return the clusters, merged where the model says so; what it denied may fit elsewhere.

    A cluster that was merged is in no further group, so that no two are one by way of a third.
    """
    sets, closed, seen = list[Group](), set[int](), set[tuple[int, int]]()
    unasked, reason = 0, ""
    for _ in range(ROUNDS):
        left = [pair for pair in pairs if (pair.first, pair.second) not in seen]
        groups = star_groups(asked.clusters, left, closed)
        answers, why = answered(asker, asked.questions(groups), STAGE)
        for group in groups:
            if group in answers:
                sets += asked.sets(group, answers[group])
        closed.update(place for each in sets for place in each)
        seen |= _together(groups)
        unasked, reason = unasked + len(groups) - len(answers), reason or why
    return Merged(_merge(asked.clusters, sets), sum(len(s) - 1 for s in sets), unasked, reason)


def star_groups(
    clusters: Sequence[Cluster], pairs: Iterable[Pair], closed: Iterable[int]
) -> list[Group]:
    """Return groups of a centre and its nearest; no cluster is in two of them.

    Loaded nodes are the first centres, then what is named most. Because each cluster has one
    group, and a group is judged as a whole, what is merged never chains.

    Args:
        clusters: What the pairs are of.
        pairs: Which may be the same.
        closed: Those that belong to no group any more.
    """
    near: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for pair in pairs:
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            near[one].append((-pair.score, other))
    used, groups = set(closed), list[Group]()
    for centre in sorted(near, key=lambda place: weight(clusters[place])):
        if centre in used:
            continue
        members = [other for _, other in sorted(near[centre]) if other not in used]
        if members:
            group = (centre, *members[: MOST_IN_GROUP - 1])
            used |= set(group)
            groups.append(group)
    return groups


def _merge(clusters: Sequence[Cluster], sets: Iterable[Group]) -> list[Cluster]:
    """Return the clusters with each set merged into its first."""
    into = {places[0]: places[1:] for places in sets}
    gone = {place for others in into.values() for place in others}
    return [
        merged(cluster, [clusters[other] for other in into[place]]) if place in into else cluster
        for place, cluster in enumerate(clusters)
        if place not in gone
    ]


def _together(groups: Iterable[Group]) -> set[tuple[int, int]]:
    """Return the pairs that stood in one group."""
    return {(one, other) for group in groups for one in group for other in group if one < other}


def weight(cluster: Cluster) -> tuple[bool, int, str]:
    """Return by what clusters are ordered: loaded ones first, then what is named most."""
    return cluster.node is None, -len(cluster.sources), cluster.key
