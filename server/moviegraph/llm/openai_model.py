"""The language model of an endpoint with the OpenAI interface."""

import json
from typing import Any

import openai
from pydantic import ValidationError

from moviegraph.errors import ModelAccessError, ModelError
from moviegraph.llm.language_model import Answer, Meter
from moviegraph.openai_api.client import failure_sentence, is_lasting, open_client, refusal_text
from moviegraph.openai_api.endpoint import Endpoint, EndpointSettings

PREFIX = "MOVIEGRAPH_LLM"
HINT = (
    'Use "openai:MODEL" or "azure:DEPLOYMENT"; for a model on this machine, use openai:MODEL '
    f"with {PREFIX}_BASE_URL."
)
TIMEOUT = 60.0
RETRIES, MANY_RETRIES = 2, 6
MAX_PROBLEMS = 5
SCHEMA_WORDS = ("response_format", "json_schema", "schema")

Message = dict[str, str]


class OpenAIModel:
    """Asks for JSON of a given shape, validates it, and lets the model repair it once.

    Servers that refuse schemas get the schema in the prompt from then on.

    Args:
        endpoint: Names the model.
        client: Sends requests, and retries them; a request with a time limit is not retried.
    """

    def __init__(self, endpoint: Endpoint, client: openai.OpenAI) -> None:
        self.endpoint = endpoint
        self._client = client
        self._supports_schemas = True

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        return self.endpoint.name

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
                f"The language model {self.name} twice returned the wrong format: "
                f"{_problems(error)}."
            ) from None

    def _ask(self, messages: list[Message], shape: type[Answer], meter: Meter) -> str:
        """Return the text of one answer."""
        with_schema = self._supports_schemas
        try:
            completion = self._send(messages, shape, meter, with_schema=with_schema)
        except openai.OpenAIError as error:
            if with_schema and _refuses_schema(error):
                self._supports_schemas = False
                return self._ask(messages, shape, meter)
            failed = ModelAccessError if is_lasting(error) else ModelError
            message = failure_sentence(error, f"The language model {self.name}", PREFIX)
            raise failed(message) from None
        except (TypeError, ValueError):  # the client could not read the answer
            completion = None
        meter.add(getattr(completion, "usage", None))
        return self._text(completion)

    def _send(
        self, messages: list[Message], shape: type[Answer], meter: Meter, *, with_schema: bool
    ) -> Any:
        tool: Any = openai.pydantic_function_tool(shape)
        schema = tool["function"]["parameters"]  # closed, and every field required
        response_format: Any = openai.omit
        if with_schema:
            schema_format = {"name": shape.__name__, "strict": True, "schema": schema}
            response_format = {"type": "json_schema", "json_schema": schema_format}
        else:
            system = f"{messages[0]['content']}\n\n{_schema_in_words(schema)}"
            messages = [{"role": "system", "content": system}, *messages[1:]]
        request_messages: Any = [_sendable(message) for message in messages]
        return self._client_within(meter).chat.completions.create(
            model=self.endpoint.model, messages=request_messages, response_format=response_format
        )

    def _client_within(self, meter: Meter) -> openai.OpenAI:
        """Return the client, limited to one attempt within the time that remains."""
        remaining = meter.remaining
        if remaining is None:
            return self._client
        if remaining <= 0:
            raise ModelError(f"The language model {self.name} did not respond in time.")
        configured = self._client.timeout
        limit = min(configured, remaining) if isinstance(configured, float | int) else remaining
        return self._client.with_options(timeout=limit, max_retries=0)

    def _text(self, completion: Any) -> str:
        try:
            choice = completion.choices[0]
            message, finish = choice.message, choice.finish_reason
            content, refusal = message.content, getattr(message, "refusal", None)
        except (AttributeError, IndexError, TypeError):
            raise ModelError(
                f"The language model {self.name} did not return a completion."
            ) from None
        if refusal:
            raise ModelError(f"The language model {self.name} declined to respond.")
        if finish == "length":
            raise ModelError(f"The response of {self.name} was truncated at its length limit.")
        if finish == "content_filter":
            raise ModelError(f"The response of {self.name} was blocked by a content filter.")
        return content if isinstance(content, str) else ""


def json_in(text: str) -> str:
    """Return the outermost braces of a text with their content, else the text itself."""
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1] if 0 <= begin < end else text


def _refuses_schema(error: openai.OpenAIError) -> bool:
    if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
        return False
    complaint = refusal_text(error)
    return any(word in complaint for word in SCHEMA_WORDS)


def _schema_in_words(schema: dict[str, Any]) -> str:
    return (
        "Answer with one JSON object and nothing else: no prose, no code fence. "
        f"It must satisfy this JSON schema:\n{json.dumps(schema)}"
    )


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


def open_model(
    provider: str, *, timeout: float = TIMEOUT, many: bool = False, **address: str | None
) -> OpenAIModel:
    """Return the language model that a setting names; nothing is sent yet.

    Args:
        provider: "openai:MODEL" or "azure:DEPLOYMENT".
        timeout: Seconds for one request.
        many: A program that can wait sends many requests, so each is retried more often.
        address: base_url, api_key, azure_endpoint and api_version, as in EndpointSettings.

    Raises:
        SettingsError: The provider is unknown, or a setting it needs is missing.
    """
    endpoint = EndpointSettings(PREFIX, HINT, **address).endpoint(provider)
    retries = MANY_RETRIES if many else RETRIES
    return OpenAIModel(endpoint, open_client(endpoint, timeout=timeout, retries=retries))
