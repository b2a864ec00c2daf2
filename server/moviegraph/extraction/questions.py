"""Questions to a language model: their prompts, and their stored answers."""

import hashlib
import json
import re
import sqlite3
import threading
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from moviegraph.contract.markdown import fill
from moviegraph.errors import SourceError
from moviegraph.llm.language_model import TokenUsage
from moviegraph.openai_api.client import estimated_tokens
from moviegraph.settings import content_folder

Shape = TypeVar("Shape", bound=BaseModel)
Part = TypeVar("Part", bound=BaseModel)
FOLDER = "load"
MARK = "\n---\n"
TAG = re.compile(r"^<(\w+)>$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoadingPrompt:
    """The texts for the model: once (system) and for each text (user), with placeholders.

    Attributes:
        version: Name and digest of the file, so that every change of words counts.
        system: The task.
        user: The input of the task.
    """

    version: str
    system: str
    user: str

    def question(
        self,
        key: Hashable,
        values: Mapping[str, str],
        user: str,
        shape: type[Shape],
        answer_tokens: int,
        hint: str = "",
    ) -> "Question[Shape]":
        """Return a question with the values of its task, and its input."""
        task = fill(self.system, values)
        return Question(key, task, user, shape, self.version, hint, answer_tokens)

    def of_text(self, values: Mapping[str, str]) -> str:
        """Return the input with its values; none can open or close one of the tags around it."""
        tags = "|".join(TAG.findall(self.user))
        opening = re.compile(rf"<(?=\s*/?\s*(?:{tags})\b)", re.IGNORECASE)
        return fill(
            self.user, {name: opening.sub("\u2039", value) for name, value in values.items()}
        )


def loading_prompt(name: str) -> LoadingPrompt:
    """Return a prompt of this installation."""
    text = (content_folder("prompts") / FOLDER / f"{name}.md").read_text(encoding="utf-8")
    system, _, user = text.partition(MARK)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return LoadingPrompt(f"{name}-{digest}", system.strip(), user.strip())


@dataclass(frozen=True, slots=True)
class Question(Generic[Shape]):
    """One question.

    Attributes:
        key: Identifies it for the caller, such as the id of a node.
        system: The task.
        user: The input of the task.
        shape: The form of the answer.
        version: Of the prompt.
        hint: Sent with the task; a stored answer is valid with another hint.
        answer_tokens: How long an answer will be, for the estimate.
    """

    key: Hashable
    system: str
    user: str
    shape: type[Shape]
    version: str = ""
    hint: str = ""
    answer_tokens: int = 400

    def digest(self, model: str) -> str:
        """Return the key of its answer in the store."""
        parts = [model, self.version, self.system, self.user, _schema(self.shape)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def full_system(self) -> str:
        """The task as it is sent."""
        return f"{self.system}\n\n{self.hint}" if self.hint else self.system

    @property
    def expected(self) -> TokenUsage:
        """The tokens that it will take, estimated high."""
        prompt = self.full_system + self.user + _schema(self.shape)
        return TokenUsage(1, estimated_tokens(prompt), self.answer_tokens)


@lru_cache(maxsize=16)
def _schema(shape: type[BaseModel]) -> str:
    return json.dumps(shape.model_json_schema(), sort_keys=True)


Numbered = list[tuple[Question[Part], range]]


@dataclass(frozen=True, slots=True)
class Questionnaire(Generic[Shape, Part]):
    """Asks several questions of one task at a time; each has an answer of its own.

    The input of such a question is a JSON object per line; in a request the lines are numbered.

    Attributes:
        prompt: Its input has one placeholder, `lines`.
        shape: The form of the answer to a request.
        part: Returns from it the answer to the question with these numbers, or None.
        most: Lines of a request; a question is never divided.
    """

    prompt: LoadingPrompt
    shape: type[Shape]
    part: Callable[[Shape, range], Part | None]
    most: int

    def packed(self, questions: Sequence[Question[Part]]) -> Iterator[Numbered[Part]]:
        """Yield the questions of each request, in order, with the numbers of their lines."""
        for _, of_task in groupby(questions, key=lambda question: question.system):
            numbered, number = Numbered[Part](), 1
            for question in of_task:
                end = number + question.user.count("\n") + 1
                if numbered and end - 1 > self.most:
                    yield numbered
                    numbered, number, end = [], 1, end - number + 1
                numbered.append((question, range(number, end)))
                number = end
            yield numbered

    def request(self, key: Hashable, numbered: Numbered[Part]) -> Question[Shape]:
        """Return one question for several."""
        first = numbered[0][0]
        texts = (
            "\n".join(
                f'{{"number": {number}, {line[1:]}'
                for number, line in zip(numbers, question.user.split("\n"), strict=True)
            )
            for question, numbers in numbered
        )
        return Question(
            key,
            first.system,
            self.prompt.of_text({"lines": "\n\n".join(texts)}),
            self.shape,
            version=first.version,
            answer_tokens=sum(question.answer_tokens for question, _ in numbered),
        )


DEFAULT_NAME = "answers.sqlite"
LOCK_SECONDS = 30.0
CREATE = "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"


def answers_beside(target: Path) -> Path:
    """Return the file of the answers for a graph folder: next to it, so that a swap leaves it."""
    target = target.absolute()
    return target.with_name(f".{target.name}.{DEFAULT_NAME}")


class AnswerStore:
    """JSON texts by the digest of their question; each is on the disk once `write` returns.

    A transaction per answer: a killed process leaves complete answers and nothing else. Safe to
    use from multiple threads and processes. The file is created with the first question.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_default = path.name.endswith(DEFAULT_NAME)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        if path.is_file():
            self.create()

    def create(self) -> None:
        """Make sure that answers can be stored. Raises SourceError."""
        with self._locked():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connection or sqlite3.connect(
                self._path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.execute(CREATE)
            except sqlite3.Error:
                self._connection.close()
                self._connection = None
                raise

    def read(self, digest: str) -> str | None:
        """Return a stored answer, or None. Raises SourceError."""
        query = "SELECT answer FROM answers WHERE digest = ?"
        with self._locked():
            row = self._connection and self._connection.execute(query, (digest,)).fetchone()
        return row[0] if row else None

    def write(self, digest: str, answer: str) -> None:
        """Store an answer; nothing once the store is closed. Raises SourceError."""
        with self._locked():
            if self._connection:
                self._connection.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?)", (digest, answer)
                )

    def close(self) -> None:
        """Close the file; it stays."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    @contextmanager
    def _locked(self) -> Generator[None]:
        try:
            with self._lock:
                yield
        except (OSError, sqlite3.Error) as error:
            damaged = ", delete it if it is damaged" if self._is_default else ""
            raise SourceError(
                f"{self._path} cannot store responses: {error}.",
                hint=f"Free disk space{damaged}, or name a different file with --answers.",
            ) from error
