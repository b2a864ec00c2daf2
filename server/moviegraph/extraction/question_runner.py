"""Questions to a language model: their prompts, costs and stored answers."""

import hashlib
import json
import queue
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from moviegraph.contract.markdown import fill
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.errors import ModelAccessError, ModelError, SettingsError, SourceError
from moviegraph.llm.language_model import LanguageModel, Meter, TokenUsage
from moviegraph.openai_api.client import estimated_tokens
from moviegraph.openai_api.endpoint import Endpoint
from moviegraph.settings import content_folder
from moviegraph.text import plural


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each direction."""

    prompt: float
    completion: float

    def of(self, usage: TokenUsage) -> float:
        """Return the dollars that requests took, as if no prompt were cached."""
        return (self.prompt * usage.prompt + self.completion * usage.completion) / 1e6


def price_of(endpoint: Endpoint, configured: tuple[float, float] | None) -> Price | None:
    """Return the stated price of a model, else nothing for one on this machine, else None."""
    if configured is not None:
        return Price(*configured)
    return Price(0, 0) if endpoint.is_loopback else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions will take, estimated high.

    Attributes:
        questions: How many are to be asked.
        stored: How many were answered before.
        usage: Requests and tokens, with those that are guessed to follow from the answers.
        dollars: Price, or None where it is not known.
    """

    questions: int
    stored: int
    usage: TokenUsage
    dollars: float | None

    def message(self, model: str) -> str:
        """Return the estimate as a message."""
        stored = f" ({self.stored:,} already answered)" if self.stored else ""
        following = self.usage.requests - self.questions
        more = f", and about {following:,} that follow" if following else ""
        price = f"${self.dollars:,.2f}" if self.dollars else "no charge"
        price = "an unknown price" if self.dollars is None else price
        return (
            f"Requests to {model}: {self.questions:,}{stored}{more}. Estimate: "
            f"{plural(self.usage.prompt, 'token')} in and {self.usage.completion:,} out, {price}."
        )


class CostTracker:
    """Costs so far; sums are reserved before a question, so that concurrent ones do not overshoot.

    Args:
        price: What the model charges, or None where that is not known.
        ceiling: Most dollars, or None for no ceiling; it needs a price.
    """

    def __init__(self, price: Price | None = None, ceiling: float | None = None) -> None:
        self.price = price
        self.ceiling = ceiling
        self.usage = TokenUsage()
        """So far; tokens that an endpoint did not report are estimated."""
        self._reserved = 0.0
        self._longest = 0
        self._in_flight = 0
        self._lock = threading.Condition()

    @property
    def dollars(self) -> float | None:
        """The cost so far, or None if the price is not known."""
        return None if self.price is None else self.price.of(self.usage)

    def limit_of(self, usage: TokenUsage) -> TokenUsage:
        """Return what one question may take: the longest answer so far, and a repair turn."""
        answer = max(usage.completion, self._longest)
        return TokenUsage(2, 2 * usage.prompt + answer, 2 * answer)

    def reserve(self, limit: TokenUsage) -> bool:
        """Reserve the price of a question; return False where the ceiling has no room for it.

        Waits while questions are in flight, because most take less than was reserved.
        """
        with self._lock:
            while not (has_room := self._has_room(limit)) and self._in_flight:
                self._lock.wait()
            if has_room:
                self._in_flight += 1
                self._reserved += self._price(limit)
            return has_room

    def record(self, reserved: TokenUsage, used: TokenUsage) -> None:
        """Count the usage of a question instead of its reservation."""
        with self._lock:
            self.usage += used
            if used.requests:
                self._longest = max(self._longest, -(-used.completion // used.requests))
            self._in_flight -= 1
            self._reserved -= self._price(reserved)
            self._lock.notify_all()

    def require_budget(self, estimate: Estimate, model: str) -> None:
        """Raise SettingsError unless the price is known and the estimate is below the ceiling."""
        if self.price is None:
            raise SettingsError(
                f"The price of {model} is unknown.",
                hint="Set MOVIEGRAPH_LLM_PRICE to dollars per million input and output tokens, "
                "such as 0.40/1.60, or 0/0 for your own server.",
            )
        if not (self.price.prompt or self.price.completion):
            return
        if self.ceiling is None:
            raise SettingsError(
                f"{model} charges for its responses, and no maximum cost is set.",
                hint="Set the maximum cost of this load in dollars with --max-cost.",
            )
        if (estimate.dollars or 0.0) > self.ceiling:
            raise SettingsError(
                f"The estimate, ${estimate.dollars:,.2f}, is above --max-cost "
                f"{self.ceiling:g}. No request was sent.",
                hint="Raise it, use a cheaper model, or load fewer records.",
            )

    def _has_room(self, limit: TokenUsage) -> bool:
        price = self._price(limit)
        if self.ceiling is None or not price:
            return True
        return self._price(self.usage) + self._reserved + price <= self.ceiling

    def _price(self, usage: TokenUsage) -> float:
        return self.price.of(usage) if self.price is not None else 0.0


DEFAULT_NAME = "answers.sqlite"
LOCK_SECONDS = 30.0


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


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


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

    def of_task(self, values: Mapping[str, str]) -> str:
        """Return the task with its values."""
        return fill(self.system, values)

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


Shape = TypeVar("Shape", bound=BaseModel)


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
MAX_FAILURES = 10
CONCURRENCY = 4
POLL_SECONDS = 0.2
STORED = "Responses are stored: run the same command again to request only the rest."


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
        self.name = model.name
        self.costs = costs or CostTracker()
        self.tallies: dict[str, Counter[str]] = {}
        """By stage: how many questions were answered, already stored, and failed."""
        self._model = model
        self._answers = answers
        self._concurrency = concurrency
        self._progress = progress

    def estimate(self, questions: Sequence[Question[Any]], following: TokenUsage) -> Estimate:
        """Return the expected usage of the questions that have no stored answer.

        Args:
            questions: The questions.
            following: What each of them will give rise to, as a guess.
        """
        missing = [question for question in questions if self._stored(question) is None]
        usage = sum((question.expected + following for question in missing), start=TokenUsage())
        price = self.costs.price
        stored = len(questions) - len(missing)
        return Estimate(len(missing), stored, usage, price.of(usage) if price else None)

    def ask(self, questions: Sequence[Question[Shape]], stage: str) -> Iterator[Outcome[Shape]]:
        """Yield each question with its answer, or why there is none, as they come, stored first.

        Raises:
            ModelAccessError: No question can be answered: key, quota or address are wrong.
            ModelError: Ten failed in a row, or the ceiling is reached. The answers are stored.
        """
        tally = self.tallies.setdefault(stage, Counter())
        done, missing = 0, list[Question[Shape]]()
        self._progress(stage, done, len(questions))
        for question in questions:
            if (answer := self._stored(question)) is None:
                missing.append(question)
            else:
                done, tally["stored"] = done + 1, tally["stored"] + 1
                yield question, answer
        self._progress(stage, done, len(questions))
        if missing:
            self._answers.create()
            for question, outcome in self._outcomes(missing):
                tally["failed" if isinstance(outcome, ModelError) else "answered"] += 1
                done += 1
                self._progress(stage, done, len(questions))
                yield question, outcome

    def answered(
        self, questions: Sequence[Question[Shape]], stage: str
    ) -> tuple[dict[Hashable, Shape], str]:
        """Return the answers by the keys of their questions, and why the first open one is open."""
        answers: dict[Hashable, Shape] = {}
        reason = ""
        try:
            for question, outcome in self.ask(questions, stage):
                if isinstance(outcome, ModelError):
                    reason = reason or outcome.message
                else:
                    answers[question.key] = outcome
        except ModelError as error:  # the ceiling is reached, or every request fails
            reason = reason or error.message
        return answers, reason

    def _stored(self, question: Question[Shape]) -> Shape | None:
        """Return the stored answer if it has the shape of its question."""
        text = self._answers.read(question.digest(self.name))
        try:
            return None if text is None else question.shape.model_validate_json(text)
        except ValidationError:
            return None

    def _outcomes(self, questions: Sequence[Question[Shape]]) -> Iterator[Outcome[Shape]]:
        """Yield the outcomes of questions until too many fail in a row."""
        failures = 0
        for question, outcome in self._results(questions):
            if isinstance(outcome, ModelAccessError):
                raise ModelAccessError(outcome.message, hint=STORED)
            failures = failures + 1 if isinstance(outcome, ModelError) else 0
            yield question, outcome
            if isinstance(outcome, ModelError) and failures == MAX_FAILURES:
                message = f"{MAX_FAILURES} requests in a row failed. {outcome.message}"
                raise ModelError(message, hint=STORED)

    def _results(self, questions: Sequence[Question[Shape]]) -> Iterator[Outcome[Shape]]:
        """Yield questions with their outcomes as they come; each one starts the next.

        The threads are no pool, because a pool is joined at the end of the program, and an
        interrupt would wait for a silent endpoint.
        """
        results = queue.SimpleQueue[tuple[Question[Shape], Shape | BaseException]]()

        def answer(question: Question[Shape]) -> None:
            try:
                results.put((question, self._answer(question)))
            except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
                results.put((question, error))

        waiting, running = iter(questions), 0
        ceiling: _CeilingError | None = None
        for question in islice(waiting, self._concurrency):
            threading.Thread(target=answer, args=(question,), daemon=True).start()
            running += 1
        while running:
            question, outcome = _next(results)
            running -= 1
            if isinstance(outcome, _CeilingError):
                ceiling = outcome  # the requests in flight are paid: their answers count
                continue
            if isinstance(outcome, BaseException) and not isinstance(outcome, ModelError):
                raise outcome
            yield question, outcome
            if ceiling is None and (following := next(waiting, None)):
                threading.Thread(target=answer, args=(following,), daemon=True).start()
                running += 1
        if ceiling:
            raise ceiling

    def _answer(self, question: Question[Shape]) -> Shape:
        """Return the answer of one question, stored before it is used.

        Raises:
            ModelError: There is none; as _CeilingError, the request could exceed the ceiling.
        """
        expected, meter = question.expected, Meter()
        limit = self.costs.limit_of(question.expected)
        if not self.costs.reserve(limit):
            spent, ceiling = self.costs.dollars or 0.0, self.costs.ceiling or 0.0
            raise _CeilingError(
                f"The next request could exceed --max-cost {ceiling:g}: ${spent:,.4f} is spent.",
                hint=f"{STORED} Its --max-cost starts from zero.",
            )
        try:
            answer = self._model.answer(question.full_system, question.user, question.shape, meter)
        finally:
            self.costs.record(limit, _with_estimates(meter.usage, expected))
        self._answers.write(question.digest(self.name), answer.model_dump_json(by_alias=True))
        return answer


class _CeilingError(ModelError):
    """The next request could exceed the ceiling."""


def _next(results: "queue.SimpleQueue[Any]") -> Any:
    """Wait in short steps, since an interrupt cannot end a long one on every system."""
    while True:
        try:
            return results.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue


def _with_estimates(usage: TokenUsage, expected: TokenUsage) -> TokenUsage:
    """Return a usage in which the tokens of silent answers are estimated."""
    return replace(
        usage,
        prompt=usage.prompt + usage.silent * expected.prompt,
        completion=usage.completion + usage.silent * expected.completion,
    )
