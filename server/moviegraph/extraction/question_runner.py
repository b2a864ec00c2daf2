"""A language model for the questions of one load: answers that are stored, counted and limited."""

import queue
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from pydantic import ValidationError

from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.errors import ModelAccessError, ModelError
from moviegraph.extraction.costs import CostTracker, Estimate
from moviegraph.extraction.questions import AnswerStore, Part, Question, Questionnaire, Shape
from moviegraph.llm.language_model import LanguageModel, Meter, TokenUsage

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
        announce: Called with what further questions will take, once they are known.
    """

    def __init__(
        self,
        model: LanguageModel,
        answers: AnswerStore,
        costs: CostTracker | None = None,
        *,
        concurrency: int = CONCURRENCY,
        progress: Progress = ignore_progress,
        announce: Callable[[str], object] = str,
    ) -> None:
        self.name = model.name
        self.costs = costs or CostTracker()
        self.tallies: dict[str, Counter[str]] = {}
        """By stage: how many questions were answered, already stored, and failed."""
        self.notes: list[str] = []
        """What the operator should know of questions without a usable answer."""
        self.open = 0
        """How many questions about names were not answered, or not asked."""
        self._model = model
        self._answers = answers
        self._concurrency = concurrency
        self._progress = progress
        self._announce = announce

    def estimate(self, questions: Sequence[Question[Any]], stage: str) -> Estimate:
        """Return the expected usage of the questions that have no stored answer."""
        missing = [question for question in questions if self._stored(question) is None]
        usage = sum((question.expected for question in missing), start=TokenUsage())
        price = self.costs.price
        stored = len(questions) - len(missing)
        return Estimate(stage, len(missing), stored, usage, price.of(usage) if price else None)

    def require_budget(self, questions: Sequence[Question[Any]], stage: str) -> None:
        """Announce what the questions will take. Raises SettingsError if that is not allowed."""
        estimate = self.estimate(questions, stage)
        self._announce(estimate.message(self.name))
        self.costs.require_budget(estimate, self.name)

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
        self, questions: Sequence[Question[Part]], sheet: Questionnaire[Shape, Part], stage: str
    ) -> dict[Hashable, Part]:
        """Return the answers by the keys of their questions; `notes` says why others are open.

        Several questions are asked in one request, and their answers are stored one by one, so that
        a changed question does not repeat its neighbors. What they will take is announced.
        """
        answers: dict[Hashable, Part] = {}
        missing: list[Question[Part]] = []
        for question in questions:
            if (answer := self._stored(question)) is None:
                missing.append(question)
            else:
                answers[question.key] = answer
        packed = list(sheet.packed(missing))
        requests = [sheet.request(at, numbered) for at, numbered in enumerate(packed)]
        if not requests:
            return answers
        self._announce(self.estimate(requests, stage).message(self.name))
        reason = ""
        try:
            for request, outcome in self.ask(requests, stage):
                if isinstance(outcome, ModelError):
                    reason = reason or outcome.message
                    continue
                for question, numbers in packed[cast("int", request.key)]:
                    if part := sheet.part(outcome, numbers):
                        self._answers.write(question.digest(self.name), part.model_dump_json())
                        answers[question.key] = part
                    else:
                        reason = reason or "The model left some out."
                        self._answers.write(request.digest(self.name), "")  # asked again
        except ModelError as error:  # the ceiling is reached, or every request fails
            reason = reason or error.message
        if left := len(questions) - len(answers):
            self.open += left
            self.notes.append(f"{stage}: {left:,} of {len(questions):,} not answered. {reason}")
        return answers

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
            raise _CeilingError(
                self.costs.exhausted(), hint=f"{STORED} Its --max-cost starts from zero."
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
