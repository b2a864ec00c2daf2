"""Texts of new nodes: by the model where several records name one, otherwise their evidence."""

import json
import re
import unicodedata
from collections.abc import Sequence

from pydantic import BaseModel

from moviegraph.contract.model import NodeTable
from moviegraph.extraction.clusters import Cluster, EntityIndex, chosen_sources, purpose, shortened
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.extraction.questions import LoadingPrompt, Question, Questionnaire, loading_prompt
from moviegraph.text import plural

STAGE = "Describing nodes"
PROMPT = "describe_nodes"
NODES = 8
MAX_USES = 6
MAX_TEXT = 400
MIN_TEXT = 20
MAX_PASSAGE = 480
MAX_QUOTED = 240
MAX_QUOTES = 2
ANSWER_TOKENS = 130
MARKUP = re.compile(r"[<>{}|`\\]|\*\*|__|://|^\s*(?:#|[-*•] |\d+[.)] )")
END = re.compile("[.!?\u2026\u3002\uff01\uff1f\u0964][\"'\u201d\u2019)»\u300d]*$")
SELF_REFERENCE = re.compile(
    r"(?:sorry|sure|here is|here's|(?:i|we) (?:am|are|can|cannot|will|do|have))\b", re.IGNORECASE
)


class NodeText(BaseModel):
    """One or two sentences on a node."""

    text: str


class NumberedText(BaseModel):
    """The number of a node, and one or two sentences on it."""

    number: int
    text: str


class NodeTexts(BaseModel):
    """A text for each node that was shown."""

    texts: list[NumberedText]


def describe_nodes(
    clusters: Sequence[Cluster],
    index: EntityIndex,
    runner: QuestionRunner | None,
    *,
    every: bool = False,
) -> list[str]:
    """Return a text for each new node.

    The model is asked about nodes that several records name, and shown the name and the sentences
    around a few uses, by `chosen_sources`. Its answer is stored by that content, so that it is
    asked again when the choice or one of these sentences changes, and not when a hub gets one more
    use. All other nodes, and those without a good answer, consist of their evidence.

    Args:
        clusters: The new nodes.
        index: The records that name them.
        runner: The language model, or None.
        every: Ask about nodes that one record names as well.
    """
    texts = [_quoted(cluster, index) for cluster in clusters]
    if runner is None:
        return texts
    prompt = loading_prompt(PROMPT)
    questions = [
        _question(number, cluster, index, prompt)
        for number, cluster in enumerate(clusters)
        if (every or len(cluster.sources) > 1) and _max_chars(cluster, index)
    ]
    sheet = Questionnaire(prompt, NodeTexts, _text_of, NODES)
    answers, defects = runner.answered(questions, sheet, STAGE), list[str]()
    for number, cluster in enumerate(clusters):
        if answer := answers.get(number):
            text = " ".join(answer.text.split())
            if defect := defect_of(text, _max_chars(cluster, index)):
                defects.append(f"{cluster.name}: {defect}")
            else:
                texts[number] = text
    if defects:
        runner.notes.append(
            f"{plural(len(defects), 'description')} by the model rejected and replaced with "
            f"the words that name the node; the first is {defects[0]}."
        )
    return texts


def defect_of(text: str, limit: int) -> str | None:
    """Return the defect of a text of the model, or None."""
    if not MIN_TEXT <= len(text) <= limit:
        return f"it has {plural(len(text), 'character')}"
    if MARKUP.search(text) or any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        return "it contains markup"
    if not END.search(text):
        return "it is incomplete"
    return "it describes itself" if SELF_REFERENCE.match(text) else None


def _text_of(answer: NodeTexts, numbers: range) -> NodeText | None:
    return next((NodeText(text=one.text) for one in answer.texts if one.number in numbers), None)


def _question(
    number: int, cluster: Cluster, index: EntityIndex, prompt: LoadingPrompt
) -> Question[NodeText]:
    table = _kind(cluster, index)
    values = {
        "title": index.contract.title,
        "kind": table.name,
        "kind_description": purpose(table.description),
        "language": index.contract.language,
        "most": str(_max_chars(cluster, index)),
    }
    uses = [
        {
            index.table.name: index.source(source).name,
            "words": words,
            "text": index.passage(source, words, MAX_PASSAGE),
        }
        for source, words in chosen_sources(cluster, MAX_USES)
    ]
    line = json.dumps({"name": cluster.name, "named_by": uses}, ensure_ascii=False)
    return prompt.question(number, values, line, NodeText, ANSWER_TOKENS)


def _quoted(cluster: Cluster, index: EntityIndex) -> str:
    """Return name, kind and evidence, without words of any language between them."""
    table = _kind(cluster, index)
    quotes: list[str] = []
    for source, words in chosen_sources(cluster, MAX_QUOTES):
        title, text = index.source(source).name, index.passage(source, words, MAX_QUOTED)
        quotes.append(f"{title}: “{text}”" if words in text else title)
    text = f"{cluster.name} ({table.name}). {'; '.join(quotes)}"
    return shortened(text, min(2 * MAX_TEXT, table.max_text_chars))


def _max_chars(cluster: Cluster, index: EntityIndex) -> int:
    return min(MAX_TEXT, _kind(cluster, index).max_text_chars)


def _kind(cluster: Cluster, index: EntityIndex) -> NodeTable:
    return index.target(cluster.mentions[0].edge)
