"""Descriptions of new nodes."""

import json
import re
import unicodedata
from collections.abc import Sequence

from pydantic import BaseModel

from moviegraph.contract.model import NodeTable
from moviegraph.extraction.clusters import Cluster, EntityIndex, chosen_sources, shortened
from moviegraph.extraction.question_runner import (
    LoadingPrompt,
    Question,
    QuestionRunner,
    loading_prompt,
)
from moviegraph.text import plural

STAGE = "Describing nodes"
PROMPT = "describe_node"
MAX_USES = 6
MAX_TEXT = 400
MIN_TEXT = 20
MAX_START_CHARS = 300
MAX_WORDS = 200
MAX_SHOWN = 2
ANSWER_TOKENS = 150
MARKUP = re.compile(r"[<>{}|`\\]|\*\*|__|://|^\s*(?:#|[-*•] |\d+[.)] )")
END = re.compile("[.!?\u2026][\"'\u201d\u2019)]*$")
SELF_REFERENCE = re.compile(
    r"(?:sorry|sure|here is|here's|(?:i|we) (?:am|are|can|cannot|will|do|have))\b", re.IGNORECASE
)


class NodeText(BaseModel):
    """One or two sentences on a node."""

    text: str


def describe_nodes(
    clusters: Sequence[Cluster], index: EntityIndex, runner: QuestionRunner | None
) -> tuple[list[str], list[str], int]:
    """Return a text for each new node, notes for the operator, and how many answers are missing.

    A question contains the name and a few uses, by `chosen_sources`. Its answer is stored by that
    content, so that it is asked again when the choice or one of its texts changes, and not
    when a hub gets one more use. Without a good answer the text consists of the words only.
    """
    texts = [_plain(cluster, index) for cluster in clusters]
    if runner is None or not clusters:
        return texts, [], 0
    prompt = loading_prompt(PROMPT)
    questions = [
        _question(number, cluster, index, prompt) for number, cluster in enumerate(clusters)
    ]
    answers, reason = runner.answered(questions, STAGE)
    notes, defects = list[str](), list[str]()
    for number, cluster in enumerate(clusters):
        if answer := answers.get(number):
            text = " ".join(answer.text.split())
            if defect := defect_of(text, _max_chars(cluster, index)):
                defects.append(f"{cluster.name}: {defect}")
            else:
                texts[number] = text
    missing = len(clusters) - len(answers)
    if missing:
        notes.append(
            f"{missing:,} of {len(clusters):,} new nodes have no description by the model, "
            f"only the words that name them: {reason}"
        )
    if defects:
        notes.append(
            f"{plural(len(defects), 'description')} by the model rejected and replaced with "
            f"the words that name the node; the first is {defects[0]}."
        )
    return texts, notes, missing


def defect_of(text: str, limit: int) -> str | None:
    """Return the defect of a text of the model, or None."""
    if not MIN_TEXT <= len(text) <= limit:
        return f"it has {plural(len(text), 'character')}"
    if MARKUP.search(text) or any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        return "it contains markup"
    if not END.search(text):
        return "it is incomplete"
    return "it describes itself" if SELF_REFERENCE.match(text) else None


def _question(
    number: int, cluster: Cluster, index: EntityIndex, prompt: LoadingPrompt
) -> Question[NodeText]:
    contract, table = index.contract, _kind(cluster, index)
    task = prompt.of_task(
        {
            "title": contract.title,
            "collection": " ".join(contract.description.split()),
            "kind": table.name,
            "kind_description": table.description,
            "most": str(_max_chars(cluster, index)),
        }
    )
    uses = [_use(source, words, index) for source, words in chosen_sources(cluster, MAX_USES)]
    text = prompt.of_text({"name": cluster.name, "uses": "\n".join(uses)})
    return Question(
        number, task, text, NodeText, version=prompt.version, answer_tokens=ANSWER_TOKENS
    )


def _use(source: int, words: str, index: EntityIndex) -> str:
    node = index.source(source)
    facts = {
        index.table.name: node.name,
        "words": shortened(words, MAX_WORDS),
        "text": shortened(node.content, MAX_START_CHARS),
    }
    return json.dumps(facts, ensure_ascii=False)


def _plain(cluster: Cluster, index: EntityIndex) -> str:
    """Return the name and the words that gave rise to it."""
    uses = [
        f"{index.source(source).name} (“{shortened(words, MAX_WORDS)}”)"
        for source, words in chosen_sources(cluster, MAX_SHOWN)
    ]
    text = f"{cluster.name}, named by {' and '.join(uses)}."
    return shortened(text, min(2 * MAX_TEXT, _kind(cluster, index).max_text_chars))


def _max_chars(cluster: Cluster, index: EntityIndex) -> int:
    return min(MAX_TEXT, _kind(cluster, index).max_text_chars)


def _kind(cluster: Cluster, index: EntityIndex) -> NodeTable:
    return index.target(cluster.mentions[0].edge)
