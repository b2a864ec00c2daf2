"""Questions to a language model: their prompts, costs and answers."""

import hashlib
import json
import queue
import re
import sqlite3
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.errors import ModelAccessError, ModelError, SettingsError, SourceError
from moviegraph.llm.language_model import LanguageModel, Meter, TokenUsage
from moviegraph.openai_api.client import estimated_tokens
from moviegraph.openai_api.endpoint import Endpoint
from moviegraph.text import plural

AS_OF = "March 2026"
"""Date of the prices below, from https://developers.openai.com/api/docs/pricing."""

DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
REASONING_TOKENS = 800
LATENCY_SECONDS = 1.5  # seconds until a model begins to write
TOKENS_PER_SECOND = 50.0  # tokens a second


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each direction.

    `reasoning` is a guess of the tokens that a model charges for before each answer.
    """

    prompt: float
    completion: float
    reasoning: int = 0

    @property
    def is_free(self) -> bool:
        """Whether nothing is charged."""
        return not (self.prompt or self.completion)

    def of(self, usage: TokenUsage) -> float:
        """Return the dollars that requests took, as if no prompt were cached."""
        return (self.prompt * usage.prompt + self.completion * usage.completion) / 1e6


PRICES = {
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-5": Price(1.25, 10.00, REASONING_TOKENS),
    "gpt-5-mini": Price(0.25, 2.00, REASONING_TOKENS),
    "gpt-5-nano": Price(0.05, 0.40, REASONING_TOKENS),
    "gpt-5.4": Price(2.50, 15.00, REASONING_TOKENS),
    "gpt-5.4-mini": Price(0.75, 4.50, REASONING_TOKENS),
    "gpt-5.4-nano": Price(0.20, 1.25, REASONING_TOKENS),
}


def price_of(endpoint: Endpoint, configured: tuple[float, float] | None) -> Price | None:
    """Return the price of a model: the stated one, nothing on this machine, or the vendor's.

    None where it is not known: the name of a deployment does not state its model, and other
    servers set their own prices.
    """
    price = PRICES.get(DATED.sub("", endpoint.model))
    if configured is not None:
        return Price(*configured, price.reasoning if price else 0)
    if endpoint.is_loopback:
        return Price(0, 0)
    if endpoint.provider == "azure" or not endpoint.is_vendors:
        return None
    return price


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions will take, estimated high.

    Attributes:
        questions: How many are to be asked.
        stored: How many were answered before.
        prompt: Tokens in.
        completion: Tokens out.
        seconds: Time, at a usual rate.
        dollars: Price, or None where it is not known.
        following: How many more are guessed to follow from the answers.
    """

    questions: int
    stored: int
    prompt: int
    completion: int
    seconds: float
    dollars: float | None
    following: int = 0

    def message(self, model: str) -> str:
        """Return the estimate as a message."""
        if not self.questions:
            return (
                f"Requests to {model}: {self.stored:,} already answered, none new; some "
                "requests about the extracted names may follow."
            )
        stored = f" ({self.stored:,} already answered)" if self.stored else ""
        more = f", and about {self.following:,} that follow" if self.following else ""
        price = f"${self.dollars:,.2f}" if self.dollars else "no charge"
        price = "an unknown price" if self.dollars is None else price
        return (
            f"Requests to {model}: {self.questions:,}{stored}{more}. "
            f"Estimate: {plural(self.prompt, 'token')} in and {self.completion:,} out, "
            f"{price}, {_duration(self.seconds)}."
        )


def seconds_for(questions: int, completion: int, concurrency: int) -> float:
    """Return how long questions take at a usual rate."""
    return (LATENCY_SECONDS * questions + completion / TOKENS_PER_SECOND) / max(
        1, min(concurrency, questions)
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:,.1f} h"


class CostTracker:
    """Costs so far; sums are reserved before a question, so that concurrent ones do not overshoot.

    Args:
        price: What the model charges, or None where that is not known.
        ceiling: Most dollars, or None for no ceiling; it needs a price.
    """

    def __init__(self, price: Price | None = None, ceiling: float | None = None) -> None:
        self.price = price
        self.ceiling = ceiling
        self._usage = TokenUsage()
        self._reserved = 0.0
        self._longest = 0
        self._in_flight = 0
        self._lock = threading.Condition()

    @property
    def usage(self) -> TokenUsage:
        """Requests and tokens so far; tokens that an endpoint did not report are estimated."""
        return self._usage

    @property
    def dollars(self) -> float | None:
        """The cost so far, or None if the price is not known."""
        return None if self.price is None else self.price.of(self._usage)

    def expected(self, usage: TokenUsage) -> TokenUsage:
        """Return what questions will take, reasoning included."""
        reasoning = self.price.reasoning * usage.requests if self.price else 0
        return replace(usage, completion=usage.completion + reasoning)

    def limit_of(self, usage: TokenUsage) -> TokenUsage:
        """Return what one question may take: the longest answer so far, and a repair turn."""
        answer = max(self.expected(usage).completion, self._longest)
        return TokenUsage(2, 2 * usage.prompt + answer, 2 * answer)

    def reserve(self, expected: TokenUsage) -> bool:
        """Reserve the price of a question; return False where the ceiling has no room for it.

        Waits while questions are in flight, because most take less than was reserved.
        """
        with self._lock:
            while not (room := self._has_room(expected)) and self._in_flight:
                self._lock.wait()
            if room:
                self._in_flight += 1
                self._reserved += self._price(expected)
            return room

    def record(self, reserved: TokenUsage, used: TokenUsage) -> None:
        """Count the usage of a question instead of its reservation."""
        with self._lock:
            self._usage += used
            if used.requests:
                self._longest = max(self._longest, -(-used.completion // used.requests))
            self._in_flight -= 1
            self._reserved -= self._price(reserved)
            self._lock.notify_all()

    def _has_room(self, expected: TokenUsage) -> bool:
        expected_price = self._price(expected)
        if self.ceiling is None or not expected_price:
            return True
        return self._price(self._usage) + self._reserved + expected_price <= self.ceiling

    def _price(self, usage: TokenUsage) -> float:
        return self.price.of(usage) if self.price is not None else 0.0


SET_PRICE = (
    "Set MOVIEGRAPH_LLM_PRICE to dollars per million input and output tokens, such as "
    "0.40/1.60, or 0/0 for your own server."
)


def require_budget(estimate: Estimate, costs: CostTracker, model: str) -> None:
    """Raise SettingsError unless the price is known and the estimate is below the ceiling."""
    if costs.price is None:
        raise SettingsError(
            f"The price of {model} is unknown (the package includes prices of {AS_OF}).",
            hint=SET_PRICE,
        )
    if costs.price.is_free:
        return
    if costs.ceiling is None:
        raise SettingsError(
            f"{model} charges for its responses, and no maximum cost is set.",
            hint="Set the maximum cost of this load in dollars with --max-cost.",
        )
    if (estimate.dollars or 0.0) > costs.ceiling:
        raise SettingsError(
            f"The estimate, ${estimate.dollars:,.2f}, is above --max-cost "
            f"{costs.ceiling:g}. No request was sent.",
            hint="Raise it, use a cheaper model, or load fewer records.",
        )


DEFAULT_NAME = "answers.sqlite"
BATCH = 500
LOCK_SECONDS = 30.0
MAX_FAILURES = 10
CONCURRENCY = 4
POLL_SECONDS = 0.2
STORED = "Responses are stored: run the same command again to request only the rest."
NOTHING = TokenUsage()
Shape = TypeVar("Shape", bound=BaseModel)


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
            self._connection = self._connection or _connect(self._path)

    def read(self, digests: Iterable[str]) -> dict[str, str]:
        """Return those of the answers that are stored. Raises SourceError."""
        requested, answers = list(digests), dict[str, str]()
        with self._locked():
            for start in range(0, len(requested) if self._connection else 0, BATCH):
                part = requested[start : start + BATCH]
                placeholders = ",".join("?" * len(part))
                query = f"SELECT digest, answer FROM answers WHERE digest IN ({placeholders})"  # noqa: S608
                answers.update(self._connection.execute(query, part) if self._connection else ())
        return answers

    def write(self, digest: str, answer: str) -> None:
        """Store an answer; nothing once the store is closed. Raises SourceError."""
        with self._locked():
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


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=LOCK_SECONDS, check_same_thread=False)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


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


Outcome = tuple[Question[Shape], Shape | ModelError]


class QuestionPort(Protocol):
    """What asks questions, as `QuestionRunner` does."""

    def ask(self, questions: Sequence[Question[Shape]], stage: str) -> Iterator[Outcome[Shape]]:
        """Yield each question with its answer, or why there is none. Raises ModelError."""
        ...


def answered(
    runner: QuestionPort, questions: Sequence[Question[Shape]], stage: str
) -> tuple[dict[Hashable, Shape], str]:
    """Return the answers by the keys of their questions, and why the first open one is open."""
    answers: dict[Hashable, Shape] = {}
    reason = ""
    try:
        for question, outcome in runner.ask(questions, stage):
            if isinstance(outcome, ModelError):
                reason = reason or outcome.message
            else:
                answers[question.key] = outcome
    except ModelError as error:  # the ceiling is reached, or every request fails
        reason = reason or error.message
    return answers, reason


@dataclass(slots=True)
class Tally:
    """Counts of the questions of a stage."""

    answered: int = 0
    stored: int = 0
    failed: int = 0


class QuestionRunner:
    """One language model for the questions of one load.

    Args:
        model: The language model, which waits and retries.
        answers: The store of answers, closed by the caller.
        costs: Counts tokens and dollars; its ceiling ends the questions.
        concurrency: Maximum concurrent questions.
        progress: Called with stage, done and total.
    """

    def __init__(
        self,
        model: LanguageModel,
        answers: AnswerStore,
        costs: CostTracker | None = None,
        *,
        concurrency: int = CONCURRENCY,
        progress: Progress = ignore_progress,
    ) -> None:
        self.costs = costs or CostTracker()
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
        """Return the expected usage of the questions that have no stored answer.

        Args:
            questions: The questions.
            following: What each of them will give rise to, as a guess.
        """
        stored = self._stored(questions)
        unique = {question.digest(self.name): question for question in questions}
        missing = [question for digest, question in unique.items() if digest not in stored]
        usage = sum((question.expected + following for question in missing), start=NOTHING)
        usage, price = self.costs.expected(usage), self.costs.price
        return Estimate(
            len(missing),
            len(unique) - len(missing),
            usage.prompt,
            usage.completion,
            seconds_for(usage.requests, usage.completion, self.concurrency),
            price.of(usage) if price else None,
            usage.requests - len(missing),
        )

    def ask(self, questions: Sequence[Question[Shape]], stage: str) -> Iterator[Outcome[Shape]]:
        """Yield each question with its answer, or why there is none, as they come.

        Stored answers come first; equal questions are asked once.

        Raises:
            ModelAccessError: No question can be answered: key, quota or address are wrong.
            ModelError: Ten failed in a row, or the ceiling is reached. The answers are stored.
        """
        tally = self.tallies.setdefault(stage, Tally())
        stored, missing = self._stored(questions), dict[str, list[Question[Shape]]]()
        done, total = 0, len(questions)
        self._progress(stage, done, total)
        for question in questions:
            digest = question.digest(self.name)
            if digest in stored:
                done, tally.stored = done + 1, tally.stored + 1
                yield question, stored[digest]
            else:
                missing.setdefault(digest, []).append(question)
        self._progress(stage, done, total)
        if not missing:
            return
        self._answers.create()
        for group, outcome in self._outcomes(list(missing.values())):
            has_failed = isinstance(outcome, ModelError)
            tally.failed += has_failed
            tally.answered += not has_failed
            done += len(group)
            self._progress(stage, done, total)
            yield from ((question, outcome) for question in group)

    def _stored(self, questions: Sequence[Question[Shape]]) -> dict[str, Shape]:
        """Return the stored answers that have the shape of their question."""
        shapes = {question.digest(self.name): question.shape for question in questions}
        answers: dict[str, Shape] = {}
        for digest, text in self._answers.read(shapes).items():
            try:
                answers[digest] = shapes[digest].model_validate_json(text)
            except ValidationError:
                continue
        return answers

    def _outcomes(
        self, groups: Sequence[list[Question[Shape]]]
    ) -> Iterator[tuple[list[Question[Shape]], Shape | ModelError]]:
        """Yield the outcomes of groups of equal questions, as they come.

        The threads are no pool, because a pool is joined at the end of the program, and an
        interrupt would wait for a silent endpoint.
        """
        work = _Work[Shape](self._answer)
        for group in groups:
            work.waiting.put(group)
        running = min(self.concurrency, len(groups))
        for _ in range(running):
            threading.Thread(target=work.run, daemon=True).start()
        refusal: BaseException | None = None
        try:
            while running:
                result = work.next_result()
                if result is None:
                    running -= 1
                elif isinstance(result, _CeilingError):
                    refusal = result  # the requests in flight are paid: their answers count
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield result
        finally:
            work.stopped.set()
        if refusal:
            raise refusal

    def _answer(self, question: Question[Shape]) -> Shape | ModelError:
        """Return the answer of one question, stored before it is used.

        Raises:
            _CeilingError: The request could exceed the ceiling.
        """
        expected, meter = self.costs.expected(question.expected), Meter()
        limit = self.costs.limit_of(question.expected)
        if not self.costs.reserve(limit):
            spent, ceiling = self.costs.dollars or 0.0, self.costs.ceiling or 0.0
            raise _CeilingError(
                f"The next request could exceed --max-cost {ceiling:g}: ${spent:,.4f} is spent.",
                hint=f"{STORED} Its --max-cost starts from zero.",
            )
        try:
            answer = self._model.answer(question.full_system, question.user, question.shape, meter)
        except ModelError as error:
            return error
        finally:
            self.costs.record(limit, _with_estimates(meter.usage, expected))
        self._answers.write(question.digest(self.name), answer.model_dump_json(by_alias=True))
        return answer


class _CeilingError(ModelError):
    """The next request could exceed the ceiling."""


@dataclass(slots=True)
class _Work(Generic[Shape]):
    """Groups of equal questions, and the results of the threads that answer them.

    A result is a group with its outcome, the error that ended a thread, or None at its end.
    """

    answer: Callable[[Question[Shape]], Shape | ModelError]
    waiting: queue.SimpleQueue[list[Question[Shape]]] = field(
        default_factory=queue.SimpleQueue[Any]
    )
    stopped: threading.Event = field(default_factory=threading.Event)
    _results: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue[Any])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failures: int = 0

    def run(self) -> None:
        """Answer groups until none waits, or the work is stopped."""
        try:
            while not self.stopped.is_set():
                group = self.waiting.get_nowait()
                self._add(group, self.answer(group[0]))
        except queue.Empty:
            pass
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            self.stopped.set()
            self._results.put(error)
        finally:
            self._results.put(None)

    def next_result(self) -> Any:
        """Wait in short steps, since an interrupt cannot end a long one on every system."""
        while True:
            try:
                return self._results.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue

    def _add(self, group: list[Question[Shape]], outcome: Shape | ModelError) -> None:
        with self._lock:
            self._results.put((group, outcome))
            self._failures = self._failures + 1 if isinstance(outcome, ModelError) else 0
            if isinstance(outcome, ModelError) and (ending := _ending(outcome, self._failures)):
                raise ending


def _ending(outcome: ModelError, failures: int) -> ModelError | None:
    """Return the error to end with, if further requests would fail too."""
    if isinstance(outcome, ModelAccessError):
        return ModelAccessError(outcome.message, hint=STORED)
    if failures < MAX_FAILURES:
        return None
    return ModelError(f"{MAX_FAILURES} requests in a row failed. {outcome.message}", hint=STORED)


def _with_estimates(usage: TokenUsage, expected: TokenUsage) -> TokenUsage:
    """Return a usage in which the tokens of silent answers are estimated."""
    return replace(
        usage,
        prompt=usage.prompt + usage.silent * expected.prompt,
        completion=usage.completion + usage.silent * expected.completion,
    )
