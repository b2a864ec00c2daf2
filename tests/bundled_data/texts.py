"""Checks of content and style of the bundled records' texts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from bundled_data.graph import BundledGraph, Node, normalize_name, repeated, words

LENGTHS = {
    "Movie": (60, 110),
    "Character": (12, 24),
    "Setting": (29, 40),
    "Theme": (29, 40),
    "Series": (29, 40),
    "Genre": (29, 40),
}
RUN = 6
FORMULA = re.compile(
    r"""\b(
    is\ an?\ (film|movie|story)\ about | tells?\ the\ story\ of | (this|the)\ (film|movie|series)
    | must\ (confront|learn|face|choose|decide|overcome|survive|come\ to\ terms|find\ a\ way|race)
    | (never|not)\ be\ the\ same | along\ the\ way | a\ testament\ to | rich\ tapestry
    | journey\ of | embarks? | against\ all\ odds | race\ against\ (time|the\ clock)
    | in\ a\ world\ (where|of) | little\ does | unlikely\ (friend\w*|bond|hero|all[yi]\w*|pair|duo)
    | web\ of | explores | delves? | nothing\ is\ (what|as)\ it\ seems | once\ and\ for\ all
    | before\ it\ is\ too\ late | come\ to\ terms | secrets\ from\ the\ past | ultimate
    | gripping | thrilling | heart-?warming | unforgettable
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
CREDIT = re.compile(
    r"\b(directed|director's|starring|co-?stars?|screenplay|Oscars?|Academy Awards?|box office"
    r"|sequels?|prequels?|blockbusters?|based on the (novel|book|play))\b"
)
COUNT = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|\d+)\s+(\w+\s+)?"
    r"(films|movies|parts|instalments|entries|chapters|sequels)\b",
    re.IGNORECASE,
)
TELLING_SENTENCE = 10  # words; a shorter one may be a beat of the story
SENTENCE_RARITY, TEXT_RARITY = 16, 12  # records in which a word of its own stands at most
WORDS_OF_ITS_OWN = {"Character": 1, "Setting": 3, "Theme": 3, "Series": 3, "Genre": 3}
SAME_OPENING = 3


def untidy_texts(bundled_graph: BundledGraph) -> list[str]:
    """Nodes whose text is empty, has blanks too many, or no full stop at its end."""
    return [
        str(node)
        for node in bundled_graph.nodes
        if node.content != " ".join(node.content.split())
        or not re.search(r"[.!?]['\u2019\"\u201d)]?$", node.content)
    ]


def lengths_out_of_bounds(bundled_graph: BundledGraph) -> list[str]:
    lines: list[str] = []
    for node in bundled_graph.nodes:
        fewest, limit = LENGTHS[node.kind]
        length = len(node.content.split())
        if not fewest <= length <= limit:
            lines.append(f"{node}: {length} words")
    return lines


def shared_texts(bundled_graph: BundledGraph) -> list[str]:
    return repeated((normalize_name(node.content), node) for node in bundled_graph.nodes)


def shared_runs(bundled_graph: BundledGraph) -> list[str]:
    """Return runs of words that are in two records and are no name."""
    names = " | ".join(node.name.casefold() for node in bundled_graph.nodes)
    words_by_text: dict[str, set[str]] = defaultdict(set)
    for node in bundled_graph.nodes:
        for run in runs(node.content):
            words_by_text[run].add(str(node))
    return [
        f"{run!r}: {', '.join(sorted(nodes))}"
        for run, nodes in words_by_text.items()
        if len(nodes) > 1 and run not in names
    ]


def runs(text: str) -> Iterator[str]:
    text_words = words(text.casefold())
    return (" ".join(text_words[at : at + RUN]) for at in range(len(text_words) - RUN + 1))


def formulas(bundled_graph: BundledGraph) -> list[str]:
    return [
        f"{node}: {match[0]}"
        for node in bundled_graph.nodes
        if (match := FORMULA.search(node.content))
    ]


def credits_in_texts(bundled_graph: BundledGraph) -> list[str]:
    return [
        f"{node}: {match[0]}"
        for node in bundled_graph.nodes
        if (match := CREDIT.search(node.content))
    ]


def counts_in_texts(bundled_graph: BundledGraph) -> list[str]:
    """Counts of films: another film makes them false."""
    nodes = [node for node in bundled_graph.nodes if node.kind != "Movie"]
    return [f"{node}: {match[0]}" for node in nodes if (match := COUNT.search(node.content))]


def shared_openings(bundled_graph: BundledGraph) -> list[str]:
    """Openings of three words that more texts of a kind have than a reader would forgive."""
    nodes_by_text: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for node in bundled_graph.nodes:
        nodes_by_text[node.kind, " ".join(words(node.content.casefold())[:3])].append(node)
    return [
        f"{opening!r}: {', '.join(map(str, nodes))}"
        for (_, opening), nodes in nodes_by_text.items()
        if len(nodes) > SAME_OPENING
    ]


def anyones_sentences(bundled_graph: BundledGraph) -> list[str]:
    """Sentences of plots with no name and no word that is rare among all records."""
    spread = word_spread(bundled_graph)
    return [
        f"{film}: {sentence}"
        for film in bundled_graph.of("Movie")
        for sentence in re.split(r"(?<=[.!?])\s+", film.content)
        if len(words(sentence)) >= TELLING_SENTENCE
        and not has_name(sentence)
        and not rare_words(sentence, spread, SENTENCE_RARITY)
    ]


def anyones_texts(bundled_graph: BundledGraph) -> list[str]:
    """Texts of other nodes with fewer words of their own than it takes to know them by."""
    spread = word_spread(bundled_graph)
    return [
        str(node)
        for node in bundled_graph.nodes
        if node.kind != "Movie"
        and not (node.kind == "Character" and has_name(node.content))
        and len(rare_words(node.content, spread, TEXT_RARITY)) < WORDS_OF_ITS_OWN[node.kind]
    ]


def word_spread(bundled_graph: BundledGraph) -> Counter[str]:
    """Return the number of records per word."""
    return Counter(
        word for node in bundled_graph.nodes for word in set(words(node.content.casefold()))
    )


def has_name(sentence: str) -> bool:
    return any(word[0].isupper() and word != "I" for word in words(sentence)[1:])


def rare_words(text: str, spread: Counter[str], limit: int) -> set[str]:
    return {word for word in words(text.casefold()) if spread[word] <= limit}


def plots_without_characters(bundled_graph: BundledGraph) -> list[str]:
    """Return films whose plot names no character that the graph links to them."""
    names = {node.id: node.name for node in bundled_graph.of("Character")}
    features: dict[int, list[str]] = defaultdict(list)
    for edge in bundled_graph.along("FEATURES_CHARACTER"):
        features[edge.start].append(names.get(edge.end, ""))
    return [
        str(film)
        for film in bundled_graph.of("Movie")
        if not any(named_in(name, film.content) for name in features[film.id])
    ]


def named_in(name: str, text: str) -> bool:
    """Return whether a text has an identifying word of a name."""
    telling = {normalize_name(word) for word in words(name.split(" (")[0]) if len(word) > 2}
    return bool(telling - {"the", "and"} & {normalize_name(word) for word in words(text)})
