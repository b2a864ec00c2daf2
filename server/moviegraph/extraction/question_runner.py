"""Many questions to a language model at once, and the store of its answers."""

import hashlib
import json
import queue
import sqlite3
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from moviegraph.embeddings.openai_embedder import estimated_tokens
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.errors import ModelAccessError, ModelError, SourceError
from moviegraph.extraction.costs import CostTracker, Estimate, seconds_for
from moviegraph.llm.language_model import LanguageModel, Meter, TokenUsage

OWN_NAME = "answers.sqlite"
BATCH = 500
WAIT = 30.0


def answers_beside(target: Path) -> Path:
    """Return the file of the answers for a graph folder: beside it, so that a swap leaves it."""
    target = target.absolute()
    return target.with_name(f".{target.name}.{OWN_NAME}")


class AnswerStore:
    """JSON texts by the digest of their question; each is on the disk once `write` returns.

    A transaction each: a killed process leaves whole answers and nothing else. Safe to use from
    several threads, and from several processes. The file comes with the first question.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        if path.is_file():
            self.create()

    def create(self) -> None:
        """Make sure that answers can be kept. Raises SourceError."""
        with self._lock, self._told():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connection or self._opened()

    def read(self, digests: Iterable[str]) -> dict[str, str]:
        """Return those of the answers that are here. Raises SourceError."""
        wanted, answers_by_digest = list(digests), dict[str, str]()
        with self._lock, self._told():
            for start in range(0, len(wanted), BATCH):
                answers_by_digest.update(_rows(self._connection, wanted[start : start + BATCH]))
        return answers_by_digest

    def write(self, digest: str, answer: str) -> None:
        """Keep an answer; nothing once the store is closed. Raises SourceError."""
        with self._lock, self._told():
            if self._connection:
                with self._connection:
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
    def _told(self) -> Generator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise SourceError(
                f"{self._path} cannot store responses: {error}.",
                hint=self._hint,
            ) from error

    @property
    def _hint(self) -> str:
        damaged = ", delete it if it is damaged" if self._path.name.endswith(OWN_NAME) else ""
        return f"Free disk space{damaged}, or name a different file with --answers."

    def _opened(self) -> sqlite3.Connection:
        try:
            return _connected(self._path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            if not self._path.name.endswith(OWN_NAME):
                raise  # somebody's file, named by mistake
            # Set aside: what is in it may still be worth something.
            self._path.replace(self._path.with_name(f"{self._path.name}.damaged"))
            return _connected(self._path)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT, check_same_thread=False)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _rows(connection: sqlite3.Connection | None, digests: list[str]) -> list[tuple[str, str]]:
    if connection is None:
        return []
    marks = ",".join("?" * len(digests))
    query = f"SELECT digest, answer FROM answers WHERE digest IN ({marks})"  # noqa: S608
    return connection.execute(query, digests).fetchall()


MOST_FAILURES = 10
CONCURRENCY = 4
GLANCE = 0.2
KEPT = "Responses are stored: run the same command again to request only the rest."
NOTHING = TokenUsage()
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Question(Generic[Shape]):
    """One question.

    Attributes:
        key: By what the asker knows it again, such as the id of a node.
        system: The task.
        user: What it is to be done with.
        shape: The form of the answer.
        version: Of the prompt.
        hint: What else the model is told with the task; a kept answer holds without it.
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
        """Return by what its answer is found again."""
        parts = [model, self.version, self.system, self.user, _schema(self.shape)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def whole_system(self) -> str:
        """The task as it is sent."""
        return f"{self.system}\n\n{self.hint}" if self.hint else self.system

    @property
    def expected(self) -> TokenUsage:
        """What it will take, estimated high."""
        sent = self.whole_system + self.user + _schema(self.shape)
        return TokenUsage(1, estimated_tokens(sent), self.answer_tokens)


@dataclass(slots=True)
class Tally:
    """What became of the questions of a stage."""

    answered: int = 0
    kept: int = 0
    failed: int = 0


class QuestionRunner:
    """One language model for the questions of one load.

    Args:
        model: The language model; it waits and tries again by itself.
        answers: Where answers are kept, closed by the caller.
        spending: Counts tokens and dollars; its ceiling ends the asking.
        concurrency: Most questions at once.
        progress: Called with stage, done and total.
    """

    def __init__(
        self,
        model: LanguageModel,
        answers: AnswerStore,
        spending: CostTracker | None = None,
        *,
        concurrency: int = CONCURRENCY,
        progress: Progress = ignore_progress,
    ) -> None:
        self.spending = spending or CostTracker()
        self.tallies: dict[str, Tally] = {}
        self.concurrency = concurrency
        self._model = model
        self._answers = answers
        self._progress = progress

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        return self._model.name

    def estimate(
        self, questions: Sequence[Question[Any]], following: TokenUsage = NOTHING
    ) -> Estimate:
        """Return what the questions will take that were not answered before.

        Args:
            questions: What will be asked.
            following: What each of those that are asked will give rise to, as a guess.
        """
        kept = self._kept(questions)
        unique = {each.digest(self.name): each for each in questions}
        missing = [each for digest, each in unique.items() if digest not in kept]
        usage = sum((each.expected + following for each in missing), start=NOTHING)
        usage, price = self.spending.expected(usage), self.spending.price
        return Estimate(
            len(missing),
            len(unique) - len(missing),
            usage.prompt,
            usage.completion,
            seconds_for(usage.requests, usage.completion, self.concurrency),
            price.of(usage) if price else None,
            usage.requests - len(missing),
        )

    def ask(
        self, questions: Sequence[Question[Shape]], stage: str
    ) -> Iterator[tuple[Question[Shape], Shape | ModelError]]:
        """Yield each question with its answer, or why there is none, as they come.

        Answers that were kept come first; equal questions are asked once.

        Raises:
            ModelAccessError: No question can be answered: key, quota or address are wrong.
            ModelError: Ten failed in a row, or the ceiling is reached. What came is kept.
        """
        tally = self.tallies.setdefault(stage, Tally())
        kept, missing = self._kept(questions), dict[str, list[Question[Shape]]]()
        done, total = 0, len(questions)
        self._progress(stage, done, total)
        for question in questions:
            digest = question.digest(self.name)
            if digest in kept:
                done, tally.kept = done + 1, tally.kept + 1
                yield question, kept[digest]
            else:
                missing.setdefault(digest, []).append(question)
        self._progress(stage, done, total)
        for same, outcome in self._asked(list(missing.values())):
            failed = isinstance(outcome, ModelError)
            tally.failed += failed
            tally.answered += not failed
            done += len(same)
            self._progress(stage, done, total)
            yield from ((each, outcome) for each in same)

    def _kept(self, questions: Sequence[Question[Shape]]) -> dict[str, Shape]:
        """Return the answers that are here and still have their shape."""
        shapes = {each.digest(self.name): each.shape for each in questions}
        found: dict[str, Shape] = {}
        for digest, text in self._answers.read(shapes).items():
            try:
                found[digest] = shapes[digest].model_validate_json(text)
            except ValidationError:
                continue
        return found

    def _asked(
        self, groups: Sequence[list[Question[Shape]]]
    ) -> Iterator[tuple[list[Question[Shape]], Shape | ModelError]]:
        if groups:
            self._answers.create()
        crew = _Crew[Shape](self._answer, groups, self.concurrency)
        try:
            yield from crew.outcomes()
        finally:
            crew.stop()
        if crew.refused:
            raise self._too_dear()

    def _answer(self, question: Question[Shape]) -> Shape | ModelError | None:
        """Return the answer of one question, kept before anybody sees it; None: no money left."""
        expected, meter = self.spending.expected(question.expected), Meter()
        most = self.spending.most(question.expected)
        if not self.spending.reserve(most):
            return None
        try:
            answer = self._model.answer(question.whole_system, question.user, question.shape, meter)
        except ModelError as error:
            return error
        finally:
            self.spending.settle(most, _told(meter.usage, expected))
        written = answer.model_dump_json(by_alias=True)
        self._answers.write(question.digest(self.name), written)
        return answer

    def _too_dear(self) -> ModelError:
        spent, ceiling = self.spending.dollars or 0.0, self.spending.ceiling or 0.0
        return ModelError(
            f"The next request could exceed --max-cost {ceiling:g}: ${spent:,.4f} is spent.",
            hint=f"{KEPT} Its --max-cost starts from zero.",
        )


@dataclass(slots=True)
class _Crew(Generic[Shape]):
    """Threads that answer groups of equal questions; nobody waits for them once it is stopped.

    They are no pool, because a pool is joined at the end of the program, and an interrupt would
    wait for a silent endpoint.
    """

    answer: Callable[[Question[Shape]], Shape | ModelError | None]
    groups: Sequence[list[Question[Shape]]]
    size: int
    refused: bool = False
    _failures: int = 0
    _handing: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _came: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue[Any])

    def outcomes(self) -> Iterator[tuple[list[Question[Shape]], Shape | ModelError]]:
        """Yield the outcomes as they come. Raises what ended the work, or a thread."""
        waiting: queue.SimpleQueue[list[Question[Shape]]] = queue.SimpleQueue()
        for group in self.groups:
            waiting.put(group)
        running = min(self.size, len(self.groups))
        for _ in range(running):
            threading.Thread(target=self._work, args=(waiting,), daemon=True).start()
        while running:
            came = self._next()
            if came is None:
                running -= 1
            elif isinstance(came, BaseException):
                raise came
            else:
                yield came

    def stop(self) -> None:
        """Let no thread begin another question."""
        self._stopped.set()

    def _next(self) -> Any:
        """Wait in short steps, since an interrupt cannot end a long one on every system."""
        while True:
            try:
                return self._came.get(timeout=GLANCE)
            except queue.Empty:
                continue

    def _work(self, waiting: "queue.SimpleQueue[list[Question[Shape]]]") -> None:
        try:
            while not self._stopped.is_set():
                group = waiting.get_nowait()
                outcome = self.answer(group[0])
                if outcome is None:
                    self.refused = True
                    self.stop()
                else:
                    self._hand_over(group, outcome)
        except queue.Empty:
            pass
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            self._came.put(error)
        finally:
            self._came.put(None)

    def _hand_over(self, group: list[Question[Shape]], outcome: Shape | ModelError) -> None:
        with self._handing:
            self._came.put((group, outcome))
            self._failures = self._failures + 1 if isinstance(outcome, ModelError) else 0
            if isinstance(outcome, ModelError) and (ending := self._ending(outcome)):
                self.stop()
                self._came.put(ending)

    def _ending(self, outcome: ModelError) -> ModelError | None:
        """Return the error to end with, if there is no use in going on."""
        if isinstance(outcome, ModelAccessError):
            return ModelAccessError(outcome.message, hint=KEPT)
        if self._failures < MOST_FAILURES:
            return None
        said = f"{MOST_FAILURES} requests in a row failed. {outcome.message}"
        return ModelError(said, hint=KEPT)


def _told(usage: TokenUsage, expected: TokenUsage) -> TokenUsage:
    """Return a usage in which the tokens of silent answers are estimated."""
    if not usage.silent:
        return usage
    return replace(
        usage,
        prompt=usage.prompt + usage.silent * expected.prompt,
        completion=usage.completion + usage.silent * expected.completion,
    )


@lru_cache(maxsize=16)
def _schema(shape: type[BaseModel]) -> str:
    return json.dumps(shape.model_json_schema(), sort_keys=True)


class QuestionPort(Protocol):
    """What asks questions, as `Asker` does."""

    def ask(
        self, questions: Sequence[Question[Shape]], stage: str
    ) -> Iterator[tuple[Question[Shape], Shape | ModelError]]:
        """Yield each question with its answer, or why there is none. Raises ModelError."""
        ...


def answered(
    asker: QuestionPort, questions: Sequence[Question[Shape]], stage: str
) -> tuple[dict[Hashable, Shape], str]:
    """Return the answers by the keys of their questions, and why the first open one is open."""
    shapes: dict[Hashable, Shape] = {}
    reason = ""
    try:
        for question, outcome in asker.ask(questions, stage):
            if isinstance(outcome, ModelError):
                reason = reason or outcome.message
            else:
                shapes[question.key] = outcome
    except ModelError as error:  # the ceiling is reached, or nothing is answered any more
        reason = reason or error.message
    return shapes, reason
