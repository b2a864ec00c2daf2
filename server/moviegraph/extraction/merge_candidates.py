"""Names that may mean the same: the pairs that the model is asked about."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import NodeTable
from moviegraph.embeddings.embedder import Embedder, embed_documents
from moviegraph.extraction.clusters import Cluster, EntityIndex, Scope, name_numbers
from moviegraph.names import spelling_edits

Matrix = NDArray[np.float32]
Group = tuple[int, ...]
Similarities = dict[tuple[int, int], float]
"""Pairs of names that may mean the same, by their indexes in a list, the lower one first."""

ROWS = 256
WIDTH = 512
HASH_FACTOR = 2654435761  # 2^32 over the golden ratio: near numbers fall far from each other
NEAREST = 6
MIN_SPELLING = 0.7
MIN_MEANING = 0.8
MEANING_SHARE = 0.73  # above the mean cosine, 0.25 for the built-in model and 0.8 for e5
MIN_SAMPLE = 30
PART = 0.9  # of a name that is a part of another: before names that are only spelled alike
MAX_GROUP = 8
HONORIFICS = frozenset(
    """
    admiral agent aunt baron baroness brother capt captain chief col colonel commander corporal
    count countess cpl dame detective doc doctor don dona donna dr duchess duke emperor empress
    father frau gen general herr inspector judge king lady lieut lieutenant lord lt madam madame
    major marshal master mayor miss mister monsieur mother mr mrs ms officer pan pani president
    prince princess private prof professor queen rev reverend senor senora sergeant sgt sheriff
    signor signora sir sister uncle
    """.split()
)
# Of a place or an idea these name another one: East Berlin, Old Town, Lost Love, Forced Marriage.
QUALIFIERS = frozenset(
    """
    ancient central downtown east eastern false first future greater inner last lesser little lost
    lower middle modern new north northern old other outer second south southern upper west western
    """.split()
)


def merge_candidates(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster], embedder: Embedder | None
) -> Similarities:
    """Return the pairs that the model is asked about; never two loaded nodes.

    These are names of one owner of which one is a part of the other. Where names are shared, they
    are also names of one owner that are spelled alike, and the same name of several owners if more
    than the name speaks for it; elsewhere names of similar spelling or meaning.

    Raises:
        EmbeddingError: The embedder failed.
    """
    new = [index for index, cluster in enumerate(clusters) if cluster.node is None]
    if not new:
        return {}
    names = [cluster.normal for cluster in clusters]
    homes = _homes(table, index, clusters)
    pairs = _within_homes(names, homes, table)
    if table.named_within is None:
        vectors = None if embedder is None else embed_documents(embedder, names)
        similar = similar_pairs(names, new, vectors)
        pairs |= {
            (first, second): score
            for (first, second), score in similar.items()
            if not is_another(names[first], names[second], common_nouns=table.common_nouns)
        }
    else:
        pairs |= _namesakes(names, homes)
    return {pair: score for pair, score in pairs.items() if not set(pair).isdisjoint(new)}


def is_another(first: str, second: str, *, common_nouns: bool) -> bool:
    """Return whether one name contains the other and plainly means something else.

    A common noun with another word is a special case of it; a place with a word such as East, or
    with any word before it, is another place.
    """
    short, long = sorted((first.split(), second.split()), key=len)
    if not set(short) < set(long):
        return False
    more = set(long) - set(short)
    return common_nouns or not more.isdisjoint(QUALIFIERS) or long[-len(short) :] == short


def is_short_form(first: str, second: str) -> bool:
    """Return whether one name has all words of the other, apart from honorifics.

    marty, marty mcfly; doc brown, emmett brown; not mr smith, mrs smith.
    """
    short, long = sorted((_core(first), _core(second)), key=len)
    if short == long:
        titles = [name.split()[: -len(_core(name))] for name in (first, second)]
        return not all(titles) or titles[0] == titles[1]
    return set(short) <= set(long)


def _is_near(first: list[str], second: list[str]) -> bool:
    return first != second and spelling_edits("".join(first), "".join(second)) is not None


def _core(name: str) -> list[str]:
    """Return the words of a name after its honorifics, unless there is nothing else."""
    words = name.split()
    while len(words) > 1 and words[0] in HONORIFICS:
        words = words[1:]
    return words


def similar_pairs(
    names: Sequence[str], requested: Sequence[int], vectors: Matrix | None
) -> Similarities:
    """Return the pairs of similar names, of which at least one is requested.

    A name has only its few nearest, so that the result grows with the names and not with their
    pairs. Names that differ in a number are no pair.

    Args:
        names: Normal forms.
        requested: Indexes of the names whose neighbors are searched.
        vectors: The meaning of the names, a row of length 1 for each, or None.
    """
    scores: Similarities = {}
    compared = ((_trigrams(names), MIN_SPELLING), (vectors, _least_meaning(vectors)))
    for matrix, minimum in compared:
        if matrix is not None:
            for first, second, score in _nearest(matrix, requested, minimum):
                if name_numbers(names[first]) == name_numbers(names[second]):
                    pair = min(first, second), max(first, second)
                    scores[pair] = max(scores.get(pair, 0.0), score)
    return scores


def _least_meaning(vectors: Matrix | None) -> float:
    """Return the cosine of names that may mean the same: some models put all texts near another."""
    if vectors is None or (count := len(vectors)) < MIN_SAMPLE:
        return MIN_MEANING
    mean = (count * float(np.linalg.norm(vectors.mean(axis=0))) ** 2 - 1) / (count - 1)
    return max(MIN_MEANING, mean + MEANING_SHARE * (1 - mean))


def _trigrams(names: Sequence[str]) -> Matrix:
    """Return how often each name has each three letters in a row, hashed; rows of length 1."""
    padded = [f" {name} ".encode() for name in names]
    matrix = np.zeros((len(names), WIDTH), np.float32)
    letters = np.frombuffer(b"".join(padded), np.uint8).astype(np.uint64)
    rows = np.repeat(np.arange(len(names)), [len(name) for name in padded])
    threes = letters[:-2] << 16 | letters[1:-1] << 8 | letters[2:]
    columns = (threes * HASH_FACTOR & 0xFFFFFFFF) * WIDTH >> 32
    of_one_name = rows[:-2] == rows[2:]
    np.add.at(matrix, (rows[:-2][of_one_name], columns[of_one_name]), 1)
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def _nearest(
    matrix: Matrix, requested: Sequence[int], minimum: float
) -> Iterator[tuple[int, int, float]]:
    """Yield for each requested row its nearest others, with their cosines."""
    count = min(NEAREST + 1, len(matrix))
    for start in range(0, len(requested), ROWS):
        rows = np.asarray(requested[start : start + ROWS])
        scores = matrix[rows] @ matrix.T
        scores[np.arange(len(rows)), rows] = -1.0
        best = np.argpartition(-scores, count - 1, axis=1)[:, :count]
        for index, row in enumerate(rows):
            for other in best[index]:
                if scores[index, other] >= minimum:
                    yield int(row), int(other), round(float(scores[index, other]), 4)


def _homes(table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster]) -> list[set[Scope]]:
    """Return where each cluster is named: in which owners of names, or in which records."""
    linked = index.linked(table)
    return [
        {
            index.home(table, source)
            for source in (
                *cluster.sources,
                *(linked.get(cluster.node.id, ()) if cluster.node else ()),
            )
        }
        for cluster in clusters
    ]


def _within_homes(
    names: Sequence[str], homes: Sequence[set[Scope]], table: NodeTable
) -> Similarities:
    """Return the pairs of one home where one name is a part of the other, or is spelled alike."""
    members: dict[Scope, list[int]] = defaultdict(list)
    for position, scopes in enumerate(homes):
        for scope in scopes:
            members[scope].append(position)
    scores: Similarities = {}
    for pair in (pair for home in members.values() for pair in combinations(home, 2)):
        first, second = (names[position] for position in pair)
        if name_numbers(first) != name_numbers(second):
            continue
        if table.named_within is None:
            qualified = not QUALIFIERS.isdisjoint({*first.split()} ^ {*second.split()})
            if not table.common_nouns and not qualified and is_short_form(first, second):
                scores[pair] = PART
        elif is_short_form(first, second):
            begins = first.split()[0] == second.split()[0]
            scores[pair] = PART if begins else MIN_SPELLING  # a family shares the last name
        elif _is_near(_core(first), _core(second)):
            scores[pair] = MIN_SPELLING
    return scores


def _namesakes(names: Sequence[str], homes: Sequence[set[Scope]]) -> Similarities:
    """Return pairs of one name in different homes that more than the name speaks for.

    That is a name of several words, honorifics apart, or another name that both homes share.
    """
    positions_by_name: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        positions_by_name[name].append(position)
    pairs: list[tuple[int, int]] = []
    shared: Counter[tuple[Scope, Scope]] = Counter()
    for name, positions in positions_by_name.items():
        if len(_core(name)) > 1:
            pairs += pairwise(positions)
        elif len(positions) <= MAX_GROUP:  # a word with very many nodes says too little
            pairs += combinations(positions, 2)
            for first, second in combinations(positions, 2):
                shared.update(_meetings(homes[first], homes[second]))
    return {
        (first, second): 1.0
        for first, second in pairs
        if len(_core(names[first])) > 1
        or any(shared[pair] > 1 for pair in _meetings(homes[first], homes[second]))
    }


def _meetings(first: set[Scope], second: set[Scope]) -> Iterator[tuple[Scope, Scope]]:
    for one, other in product(first, second):
        yield min(one, other), max(one, other)


def group_pairs(pairs: Mapping[tuple[int, int], float]) -> list[Group]:
    """Return groups in which the model compares names, the most similar pairs first.

    No name is in two groups, and a group is answered as a whole, so merges do not chain.
    """
    groups: dict[int, list[int]] = {}
    for first, second in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        left, right = (groups.setdefault(member, [member]) for member in (first, second))
        if left is not right and len(left) + len(right) <= MAX_GROUP:
            left += right
            groups.update(dict.fromkeys(right, left))
    distinct = {tuple(sorted(group)) for group in groups.values() if len(group) > 1}
    return sorted(distinct)
