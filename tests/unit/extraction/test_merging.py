"""Similar names are merged where the model says so, never through a third name."""

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.scripted_question_runner import (
    Asked,
    Judge,
    ScriptedQuestionRunner,
    all_one,
    one_thing,
)
from fakes.toy_graph import toy_contract
from pydantic import BaseModel

from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.embedder import Embedder, Progress, Vectors
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.errors import EmbeddingError, ModelError
from moviegraph.extraction.cluster_merging import MergeQuestions, SameNames, SameThing
from moviegraph.extraction.clusters import Cluster, Mention, cluster_of_node
from moviegraph.extraction.entity_resolution import EntityIndex, ResolvedEntities, resolve_entities
from moviegraph.extraction.merge_candidates import MAX_GROUP, ROWS, group_pairs, similar_pairs

MOVIES = load_contract()
FILMS = [NodeRecord("Movie", key, f"Film {key}", "A story.") for key in range(20)]


def resolve_names(
    edge: str,
    *names: str,
    judge: Judge = lambda names: (),
    loaded: tuple[NodeRecord, ...] = (),
    embedder: Embedder | None = None,
) -> tuple[ResolvedEntities, list[list[str]]]:
    """Return the merged names, and the groups sent to the model."""
    asker = ScriptedQuestionRunner(judge)
    mentions = [Mention(source, edge, name, name) for source, name in enumerate(names)]
    entities = resolve_entities(
        mentions, [*FILMS, *loaded], [], MOVIES, embedder=embedder, runner=asker
    )
    return entities, [group for asked in asker.of(SameNames) for group in asked.groups]


def names(resolved_entities: ResolvedEntities) -> list[str]:
    return sorted(node.name for node in resolved_entities.nodes)


def test_what_the_model_confirms_is_merged_under_the_name_it_says() -> None:
    resolved, groups = resolve_names(
        "SET_IN",
        "Saint Bartholomew",
        "St Bartholomew",
        judge=one_thing("St Bartholomew", "Saint Bartholomew"),
    )
    assert [sorted(group) for group in groups] == [["Saint Bartholomew", "St Bartholomew"]]
    assert names(resolved) == ["St Bartholomew"]
    assert {became.name for became in resolved.became.values()} == {"St Bartholomew"}
    assert resolved.merged == {"Setting": 1}


@pytest.mark.parametrize(
    ("edge", "pair"),
    [
        pytest.param("PART_OF_SERIES", ("Gatchaman", "Gatchaman Beyond"), id="one holds the other"),
        pytest.param("SET_IN", ("Newtown", "Newtown City"), id="a longer name"),
        pytest.param("INCLUDES_THEME", ("Organic Farming", "Organic Framing"), id="a slip"),
    ],
)
def test_what_the_model_denies_stays_two(edge: str, pair: tuple[str, str]) -> None:
    resolved, groups = resolve_names(edge, *pair)
    assert [sorted(group) for group in groups] == [sorted(pair)]
    assert names(resolved) == sorted(pair)


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(("Terminal 2", "Terminal 3"), id="digits"),
        pytest.param(("World War", "World War II"), id="Roman digits"),
        pytest.param(("Ocean", "Desert"), id="nothing alike"),
    ],
)
def test_what_cannot_be_one_is_not_asked(pair: tuple[str, str]) -> None:
    resolved, groups = resolve_names("SET_IN", *pair, judge=all_one)
    assert groups == []
    assert len(resolved.nodes) == 2


def test_names_of_two_kinds_are_never_in_one_question() -> None:
    mentions = [
        Mention(1, "SET_IN", "Desert Camp", "camp"),
        Mention(1, "INCLUDES_THEME", "Desert Camps", "camp"),
    ]
    asker = ScriptedQuestionRunner(all_one)
    entities = resolve_entities(mentions, FILMS, [], MOVIES, runner=asker)
    assert asker.of(SameNames) == []
    assert {node.kind for node in entities.nodes} == {"Setting", "Theme"}


def test_names_that_mean_alike_are_put_to_the_model_with_vectors_alone() -> None:
    pair = ("Fish Tank", "Tank of Fish")
    embedder = HashedEmbedder()
    assert resolve_names("SET_IN", *pair, embedder=embedder)[1] == [sorted(pair)]
    unlike = ("Moor Fen", "Wet Lowland")
    assert resolve_names("SET_IN", *unlike)[1] == []
    assert resolve_names("SET_IN", *unlike, embedder=_Same())[1] == [list(unlike)]


class _Same(HashedEmbedder):
    """Holds that all texts mean the same."""

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        return np.full((len(texts), 64), 0.125, np.float32)


def test_a_model_that_puts_all_texts_near_another_raises_no_flood_of_questions() -> None:
    class Crowded(HashedEmbedder):
        def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
            vectors = 0.25 * super().embed(texts, progress)
            vectors[:, 0] += 1
            return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    words = "Alder Birch Cedar Dogwood Elm Fir Ginkgo Hazel Ivy Juniper".split()
    names = [f"{one} {other}" for one in words[:5] for other in words[3:]]
    vectors = Crowded(512).embed(names)
    assert float((vectors @ vectors.T).min()) > 0.8
    by_spelling = similar_pairs(names, range(len(names)), None)
    assert similar_pairs(names, range(len(names)), vectors).keys() == by_spelling.keys()
    assert len(similar_pairs(names[:9], range(9), vectors[:9])) > 9  # too few to know


def test_an_embedder_that_fails_leaves_the_spelling() -> None:
    class Failing(HashedEmbedder):
        def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
            raise EmbeddingError("Out of order.")

    pair = ("Organic Farming", "Organic Framing")
    asker = ScriptedQuestionRunner()
    mentions = [Mention(at, "INCLUDES_THEME", name, name) for at, name in enumerate(pair)]
    resolve_entities(mentions, FILMS, [], MOVIES, embedder=Failing(), runner=asker)
    assert [group for asked in asker.of(SameNames) for group in asked.groups] == [[*pair]]
    assert any("Out of order." in note for note in asker.notes)


def test_a_loaded_node_keeps_its_name_whatever_the_model_says() -> None:
    node = NodeRecord("Setting", 7, "St Bartholomew", "A town by the sea.")
    judge = one_thing("Saint Bartholomew", "St Bartholomew")
    resolved, _ = resolve_names("SET_IN", "Saint Bartholomew", judge=judge, loaded=(node,))
    assert resolved.nodes == ()
    assert [(became.id, became.name) for became in resolved.became.values()] == [
        (7, "St Bartholomew")
    ]


def test_two_loaded_nodes_are_never_merged() -> None:
    loaded = [NodeRecord("Setting", key, f"Harbour {key}", "A place.") for key in (7, 8)]
    table = MOVIES.nodes[2]
    clusters = [*map(cluster_of_node, loaded), Cluster("harbour", "Harbour")]
    merge_questions = MergeQuestions(
        table, EntityIndex(MOVIES.nodes[0], loaded, [], MOVIES), clusters
    )
    all_three = SameNames(same=[SameThing(numbers=[1, 2, 3], canonical=3)])
    assert list(merge_questions.sets((0, 1, 2), all_three)) == []
    same_names = SameNames(same=[SameThing(numbers=[2, 3], canonical=3)])
    assert list(merge_questions.sets((0, 1, 2), same_names)) == [(1, 2)]


SIMILAR_NAMES = ("Harbour Town", "Harbour Towne", "Harbor Town", "Harbour Towns", "Harbours Town")


def test_the_model_judges_a_group_as_a_whole_so_that_nothing_chains() -> None:
    resolved, groups = resolve_names(
        "SET_IN", *SIMILAR_NAMES, judge=one_thing("Harbour Town", "Harbour Towne")
    )
    assert all(len(group) == len(set(group)) for group in groups)
    assert "Harbour Town" in names(resolved)
    assert "Harbour Towne" not in names(resolved)
    assert len(resolved.nodes) == len(SIMILAR_NAMES) - 1


def test_a_chain_of_near_names_falls_into_groups_that_share_none() -> None:
    groups = group_pairs({(index, index + 1): 0.9 for index in range(19)})
    assert sorted(index for group in groups for index in group) == list(range(20))
    assert max(len(group) for group in groups) == MAX_GROUP


def test_the_most_similar_names_are_compared_first() -> None:
    near = {(index, index + 1): 0.9 for index in range(0, 2 * MAX_GROUP, 2)}
    far = {(index, index + 2): 0.8 for index in range(2 * MAX_GROUP - 2)}
    groups = group_pairs(near | far)
    assert all(any({*pair} <= {*group} for group in groups) for pair in near)


@pytest.mark.parametrize(
    "same_things",
    [
        pytest.param([SameThing(numbers=[1, 9], canonical=1)], id="a number that was not shown"),
        pytest.param([SameThing(numbers=[0, 1], canonical=1)], id="no number"),
        pytest.param([SameThing(numbers=[1], canonical=1)], id="a set of one"),
        pytest.param([SameThing(numbers=[1, 1], canonical=1)], id="one number twice"),
        pytest.param([SameThing(numbers=[1, 2], canonical=3)], id="a canonical name outside"),
        pytest.param([SameThing(numbers=[], canonical=1)], id="nothing"),
    ],
)
def test_an_answer_that_cannot_be_meant_merges_nothing(same_things: list[SameThing]) -> None:
    class Confused(ScriptedQuestionRunner):
        def answer(self, asked: Asked) -> BaseModel:
            if asked.shape is SameNames:
                return SameNames(same=same_things)
            return super().answer(asked)

    mentions = [Mention(at, "SET_IN", name, "x") for at, name in enumerate(SIMILAR_NAMES)]
    entities = resolve_entities(mentions, FILMS, [], MOVIES, runner=Confused())
    assert len(entities.nodes) == len(SIMILAR_NAMES)


def test_a_number_in_two_sets_counts_in_the_first_alone() -> None:
    def greedy(names: list[str]) -> list[list[int]]:
        return [[1, 2], [2, 3]] if len(names) > 2 else []

    resolved, _ = resolve_names("SET_IN", *SIMILAR_NAMES, judge=greedy)
    assert resolved.merged == {"Setting": 1}


@pytest.mark.parametrize(
    "asker",
    [
        pytest.param(
            ScriptedQuestionRunner(all_one, failing=(SameNames,)), id="an answer that failed"
        ),
        pytest.param(
            ScriptedQuestionRunner(all_one, ends=ModelError("The ceiling is reached.")), id="end"
        ),
    ],
)
def test_without_an_answer_names_stay_as_they_were_spelled_and_a_note_says_so(
    asker: ScriptedQuestionRunner,
) -> None:
    spellings = ["Organic Farming", "organic farming", "Organic Framing"]
    mentions = [Mention(at, "INCLUDES_THEME", name, "x") for at, name in enumerate(spellings)]
    entities = resolve_entities(mentions, FILMS, [], MOVIES, runner=asker)
    assert names(entities) == ["Organic Farming", "Organic Framing"]
    assert any("Merging names: 1 of 1 not answered" in note for note in asker.notes)


def test_another_contract_is_asked_in_its_own_words() -> None:
    pair = ("Spring Onion", "Spring Onnion")
    dishes = [
        NodeRecord("Recipe", key, f"Dish {key}", f"Stir, then chop the {name}.")
        for key, name in enumerate(pair)
    ]
    mentions = [Mention(at, "NEEDS", name, f"chop the {name}") for at, name in enumerate(pair)]
    asker = ScriptedQuestionRunner(one_thing(*pair))
    entities = resolve_entities(mentions, dishes, [], toy_contract(), runner=asker)
    assert names(entities) == ["Spring Onion"]
    (question,) = asker.of(SameNames)
    assert "Something that is cooked with." in question.system
    assert "chop the Spring Onnion" in question.user
    assert '"Recipe": "Dish 1"' in question.user


@pytest.mark.slow("memory")
def test_forty_thousand_names_are_compared_in_bounded_memory() -> None:
    random = np.random.default_rng(1)
    words = ["".join(row) for row in random.choice(list("abcdefghijklmno"), (9000, 6))]
    index_pairs = random.integers(0, len(words), (40_000, 2)).tolist()
    spelled_names = [f"{words[left]} {words[other]}" for left, other in index_pairs]
    mentions = [
        Mention(at % 20, "INCLUDES_THEME", name, "x") for at, name in enumerate(spelled_names)
    ]
    assert len(resolve_entities(mentions, FILMS, [], MOVIES).nodes) == len(set(spelled_names))
    tracemalloc.start()
    try:
        pairs = similar_pairs(spelled_names, range(2 * ROWS), None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pairs
    assert peak < 400e6
