"""What the model is asked to write, as the prompts of the server describe it."""

from typing import Literal

from pydantic import BaseModel


class Interpretation(BaseModel):
    """How a word of the question is read."""

    text: str
    meaning: str


class Part(BaseModel):
    """One side of the question that needs its own search."""

    id: str
    text: str


class Understanding(BaseModel):
    """The question made answerable."""

    question: str
    interpretations: list[Interpretation]
    must_not: list[str]
    unavailable: list[str]
    route: Literal["precise", "semantic", "mixed"]
    parts: list[Part]


class PlannedStrategy(BaseModel):
    """One strategy, as `run_strategies` takes it."""

    id: str
    message_to_user: str
    query: str | None = None
    command: str


class Plan(BaseModel):
    """The strategies of one round."""

    strategies: list[PlannedStrategy]


class Choice(BaseModel):
    """What comes next, after the executions were judged."""

    next: Literal["answer", "expand", "plan"]
    execution_id: str | None = None
    why: str
    missing: str | None = None


class Citation(BaseModel):
    """One record of the answer, by kind and id."""

    kind: str
    id: int
    reason: str


class Composition(BaseModel):
    """The answer as the model words it; names are not its to give."""

    answered: bool
    text: str
    records: list[Citation]
    missing: str | None = None
