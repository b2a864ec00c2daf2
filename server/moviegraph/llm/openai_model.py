"""The language model of an endpoint with the OpenAI interface."""

import json
import math
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, Literal, TypeVar

import openai
from pydantic import ValidationError

from moviegraph.errors import ModelAccessError, ModelError
from moviegraph.llm.language_model import Answer, Meter, TokenUsage
from moviegraph.openai_api.client import failure_sentence, is_lasting, refusal_text

TRANSIENT = frozenset({408, 409, 429})
MAX_TIMEOUTS = 2
MIN_WAIT, MAX_WAIT = 0.5, 8.0
Response = TypeVar("Response")


@dataclass(frozen=True, slots=True)
class RequestRetry:
    """How often a request is sent again; tests replace what waits and the clock.

    Attributes:
        retries: Attempts after the first.
        total: Seconds of all attempts together, where that is more than the time of one.
        pause: Waits some seconds.
        clock: Returns the time in seconds.
    """

    retries: int
    total: float | None = None
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def send(self, request: Callable[[Any], Response], seconds: float | None) -> Response:
        """Return the response to a request; it is called with the seconds that remain for it.

        A wait that would outlast the time is not started: the failure is raised at once.

        Args:
            request: Sends it once.
            seconds: The time of one attempt, and of all together unless there is a total; None
                leaves it to the client.
        """
        together = seconds if self.total is None else self.total
        until = None if together is None else self.clock() + together
        for attempt in count():
            remaining: Any = openai.NOT_GIVEN if seconds is None else seconds
            if until is not None:
                remaining = min(max(until - self.clock(), 0.001), seconds or math.inf)
            try:
                return request(remaining)
            except openai.APIError as error:
                wait = _wait(error, attempt) if attempt < self.retries else None
                if wait is None or (until is not None and self.clock() + wait >= until):
                    raise
            self.pause(wait)
        raise AssertionError("the attempts are limited")


def _wait(error: openai.APIError, attempt: int) -> float | None:
    """Return the seconds until the next attempt, or None where it would fail alike."""
    usual = min(MIN_WAIT * 2**attempt, MAX_WAIT)
    if isinstance(error, openai.APITimeoutError) and attempt + 1 >= MAX_TIMEOUTS:
        return None  # each timeout may take a minute
    if isinstance(error, openai.APIConnectionError):
        return usual
    if not isinstance(error, openai.APIStatusError):
        return None
    advice = error.response.headers.get("x-should-retry")
    is_transient = error.status_code in TRANSIENT or error.status_code >= 500
    if advice == "false" or (not is_transient and advice != "true"):
        return None
    requested = _requested(error.response.headers)
    return usual if requested is None else requested


def _requested(headers: Any) -> float | None:
    """Return the seconds that an endpoint asks to wait: milliseconds, seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * unit)
        except ValueError:
            continue
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)


def json_in(text: str) -> str:
    """Return the content of a code fence, else the outermost braces, else the text itself."""
    text = text.strip()
    if text.startswith("{"):
        return text
    if fenced := FENCE.search(text):
        return fenced[1].strip()
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1] if 0 <= begin < end else text


PREFIX = "MOVIEGRAPH_LLM"
MAX_PROBLEMS = 5

Mode = Literal["schema", "object", "text"]
Message = dict[str, str]


class OpenAIModel:
    """Asks for JSON of a given shape, validates it, and lets the model repair it once.

    Servers that know no schemas get the schema in the prompt and `json_object`; those that
    refuse that too get words only. A form that an endpoint refused is not sent again.
    The timeout of the client bounds a request with all its retries.
    """

    def __init__(
        self,
        client: openai.OpenAI,
        name: str,
        model: str,
        retry: RequestRetry | None = None,
    ) -> None:
        self._client = client
        self._once = client.with_options(max_retries=0)
        self._retry = retry or RequestRetry(client.max_retries)
        self._name = name
        self._model = model
        self._mode: Mode = "schema"
        self._usage = TokenUsage()
        self._counting = threading.Lock()

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        return self._name

    @property
    def usage(self) -> TokenUsage:
        """The usage so far, repair turns included."""
        return self._usage

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def answer(
        self, system: str, user: str, shape: type[Answer], meter: Meter | None = None
    ) -> Answer:
        """Return the model's answer in the given shape; the meter bounds it, and counts.

        Raises ModelError on refusal, wrong shape after one repair turn, or failure.
        """
        meter = meter or Meter()
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        first = self._ask(messages, shape, meter)
        try:
            return shape.model_validate_json(json_in(first))
        except ValidationError as error:
            messages += [
                {"role": "assistant", "content": first},
                {"role": "user", "content": _repair_turn(error)},
            ]
        try:
            return shape.model_validate_json(json_in(self._ask(messages, shape, meter)))
        except ValidationError as error:
            raise ModelError(
                f"The language model {self._name} twice returned the wrong format: "
                f"{_problems(error)}."
            ) from None

    def _ask(self, messages: list[Message], shape: type[Answer], meter: Meter) -> str:
        """Return the text of one answer, in the richest mode that the endpoint accepts."""
        mode = self._mode
        try:
            completion = self._retry.send(
                lambda seconds: self._send(messages, shape, mode, seconds), self._timeout(meter)
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            simpler = _simpler(mode, error)
            if simpler is None:
                raise self._failure(error) from None
            self._mode = simpler
            return self._ask(messages, shape, meter)
        except openai.OpenAIError as error:
            raise self._failure(error) from None
        except (TypeError, ValueError):  # the client could not read the answer
            completion = None
        with self._counting:
            self._usage = self._usage.plus(getattr(completion, "usage", None))
        meter.add(getattr(completion, "usage", None))
        return self._text(completion)

    def _timeout(self, meter: Meter) -> float | None:
        """Return the seconds for one request: those that are set, or what remains if less."""
        configured, remaining = self._client.timeout, meter.remaining
        if remaining is not None and remaining <= 0:
            raise ModelError(f"The language model {self._name} did not respond in time.")
        limit = configured if isinstance(configured, float | int) else remaining
        return limit if remaining is None or limit is None else min(limit, remaining)

    def _send(self, messages: list[Message], shape: type[Answer], mode: Mode, timeout: Any) -> Any:
        schema = _strict_schema(shape)
        if mode == "schema":
            schema_format = {"name": shape.__name__, "strict": True, "schema": schema}
            response_format: Any = {"type": "json_schema", "json_schema": schema_format}
        else:
            response_format = {"type": "json_object"} if mode == "object" else openai.omit
            system = f"{messages[0]['content']}\n\n{_schema_in_words(schema)}"
            messages = [{"role": "system", "content": system}, *messages[1:]]
        request_messages: Any = [_sendable(message) for message in messages]
        return self._once.chat.completions.create(
            model=self._model,
            messages=request_messages,
            response_format=response_format,
            timeout=timeout,
        )

    def _text(self, completion: Any) -> str:
        try:
            choice = completion.choices[0]
            message, finish = choice.message, choice.finish_reason
            content, refusal = message.content, getattr(message, "refusal", None)
        except (AttributeError, IndexError, TypeError):
            raise ModelError(
                f"The language model {self._name} did not return a completion."
            ) from None
        if refusal:
            raise ModelError(f"The language model {self._name} declined to respond.")
        if finish == "length":
            raise ModelError(f"The response of {self._name} was truncated at its length limit.")
        if finish == "content_filter":
            raise ModelError(f"The response of {self._name} was blocked by a content filter.")
        return content if isinstance(content, str) else ""

    def _failure(self, error: openai.OpenAIError) -> ModelError:
        failed = ModelAccessError if is_lasting(error) else ModelError
        return failed(failure_sentence(error, f"The language model {self._name}", PREFIX))


def _strict_schema(shape: type[Answer]) -> dict[str, Any]:
    """Return the schema as strict endpoints want it: closed, and every field required."""
    tool: Any = openai.pydantic_function_tool(shape)
    return tool["function"]["parameters"]


def _schema_in_words(schema: dict[str, Any]) -> str:
    return (
        "Answer with one JSON object and nothing else: no prose, no code fence. "
        f"It must satisfy this JSON schema:\n{json.dumps(schema)}"
    )


def _simpler(mode: Mode, error: openai.APIStatusError) -> Mode | None:
    """Return the next mode to try, if it was the mode that the endpoint refused."""
    complaint = refusal_text(error)
    if mode == "text" or not any(
        word in complaint for word in ("response_format", "json_schema", "json_object", "schema")
    ):
        return None
    return "object" if mode == "schema" else "text"


def _repair_turn(error: ValidationError) -> str:
    return (
        f"That is not the JSON that was asked for: {_problems(error)}. "
        "Answer again with the whole corrected JSON object and nothing else."
    )


def _problems(error: ValidationError) -> str:
    """Name the first problems by field, without repeating the answer."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    messages = [
        f"{'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}"
        for problem in problems[:MAX_PROBLEMS]
    ]
    return "; ".join(messages)


def _sendable(message: Message) -> Message:
    """Replace lone surrogates, which no request can carry."""
    return {key: value.encode("utf-8", "replace").decode() for key, value in message.items()}
