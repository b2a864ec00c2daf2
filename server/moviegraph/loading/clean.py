"""Takes sentences out of texts that the contract calls boilerplate."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from moviegraph.contract.model import Cleaning, Contract
from moviegraph.contract.sentence_pattern import NAME, SentencePattern, folded
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.loading.sentences import sentences

LEAST_WORDS = 12
LONGEST = 2_000
FORM = (
    "sentences that match a pattern are omitted, unless a word keeps them or too little text "
    "remains"
)


class _Cleaner:
    def __init__(self, cleaning: Cleaning) -> None:
        self._drop = [SentencePattern(each) for each in cleaning.drop]
        kept = [re.escape(folded(each)) for each in cleaning.keep]
        self._keep = re.compile(f" (?:{'|'.join(kept)}) ") if kept else None

    def clean(self, text: str, name: str) -> str:
        """Return the text without its boilerplate; as it is, where too little would be left."""
        parts = [text[start:end] for start, end in sentences(text)]
        stays = [part for part in parts if not self._is_boilerplate(part, name)]
        if len(stays) == len(parts):
            return text
        left = "".join(stays).strip()
        return left if len(left.split()) >= LEAST_WORDS else text

    def _is_boilerplate(self, sentence: str, name: str) -> bool:
        if len(sentence) > LONGEST:
            return False
        words = f" {folded(sentence)} "
        if self._keep and self._keep.search(words):
            return False
        words = words.replace(f" {name} ", f" {NAME} ") if name else words
        return any(pattern.fits(words) for pattern in self._drop)


def cleaning(contract: Contract) -> Mapping[str, Any] | None:
    """Return what `cleaned` does under a contract, for the recipe; None if nothing."""
    of_tables = {
        node.name: {"drop": list(node.clean.drop), "keep": list(node.clean.keep)}
        for node in contract.nodes
        if node.clean
    }
    if not of_tables:
        return None
    return {"form": FORM, "least_words": LEAST_WORDS, "tables": of_tables}


def cleaned(
    nodes: Sequence[NodeRecord], contract: Contract
) -> tuple[list[NodeRecord], Mapping[str, int]]:
    """Return the nodes without boilerplate in their texts, and how many of a kind were changed."""
    cleaners = {node.name: _Cleaner(node.clean) for node in contract.nodes if node.clean}
    made = [_clean(node, cleaners.get(node.kind)) for node in nodes]
    changed = Counter(new.kind for old, new in zip(nodes, made, strict=True) if new is not old)
    return made, dict(changed)


def _clean(node: NodeRecord, cleaner: _Cleaner | None) -> NodeRecord:
    text = cleaner.clean(node.content, folded(node.name)) if cleaner else node.content
    return node if text == node.content else replace(node, content=text)
