"""What a node's text names, and the words that show it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """One name that a node's title or text gives rise to.

    Attributes:
        source: Id of the node, as loaded.
        edge: The edge table that would join it to what is named.
        name: The name as the model gave it, blanks folded.
        evidence: A span of the node's title or text, as it stands there.
    """

    source: int
    edge: str
    name: str
    evidence: str
