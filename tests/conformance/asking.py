"""Tools that ask the client: in the middle of a call up to 2025-11-25, by its result after that."""

from typing import Any

from conformance.forms import (
    Answer,
    AnsweringTool,
    Arguments,
    Talk,
    accepting,
    form,
    roots,
    sample,
    text_result,
    tool,
)
from mcp import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)

TEXT = {"type": "string"}
CHOICES = ["option1", "option2", "option3"]
TITLED = [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]


def answer_of(talk: Talk, key: str) -> Any:
    """Return the response of the client to one question, or None."""
    return (talk.input_responses or {}).get(key)


async def request_input(talk: Talk, question: ElicitRequest) -> CallToolResult:
    """Ask the user in the middle of a call."""
    reply = await talk.session.send_request(question, ElicitResult, metadata=within(talk))
    return text_result(f"User response: action={reply.action}, content={reply.content}")


def within(talk: Talk) -> ServerMessageMetadata:
    return ServerMessageMetadata(related_request_id=talk.request_id)


async def test_sampling(arguments: Arguments, talk: Talk) -> CallToolResult:
    """Asks the client's model."""
    question = sample(arguments["prompt"])
    reply = await talk.session.send_request(question, CreateMessageResult, metadata=within(talk))
    text = reply.content.text if isinstance(reply.content, TextContent) else ""
    return text_result(f"LLM response: {text}")


async def test_elicitation(arguments: Arguments, talk: Talk) -> CallToolResult:
    """Asks the client's user."""
    return await request_input(talk, form(arguments["message"], username=TEXT, email=TEXT))


async def test_elicitation_sep1034_defaults(_: Arguments, talk: Talk) -> CallToolResult:
    """Asks with a default for each primitive type."""
    status = {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}
    question = form(
        "Who are you?",
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status=status,
        verified={"type": "boolean", "default": True},
    )
    return await request_input(talk, question)


async def test_elicitation_sep1330_enums(_: Arguments, talk: Talk) -> CallToolResult:
    """Asks with each way to write an enumeration."""
    question = form(
        "Which ones?",
        untitledSingle={"type": "string", "enum": CHOICES},
        titledSingle={"type": "string", "oneOf": TITLED},
        legacyEnum={"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]},
        untitledMulti={"type": "array", "items": {"type": "string", "enum": CHOICES}},
        titledMulti={"type": "array", "items": {"anyOf": TITLED}},
    )
    return await request_input(talk, question)


async def test_missing_capability(_: Arguments, talk: Talk) -> CallToolResult:
    """Needs a client that offers its model."""
    if talk.client_capabilities is None or talk.client_capabilities.sampling is None:
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This call needs the client's model.",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return text_result("The client offers its model.")


async def test_input_required_result_elicitation(_: Arguments, talk: Talk) -> Answer:
    """Requests a name, until it is given."""
    message = answer_of(talk, "user_name")
    if not isinstance(message, ElicitResult):
        return InputRequiredResult(
            input_requests={"user_name": form("What is your name?", name=TEXT)}
        )
    return text_result(f"Hello, {(message.content or {}).get('name')}!")


async def test_input_required_result_sampling(_: Arguments, talk: Talk) -> Answer:
    """Asks the model, by its result."""
    message = answer_of(talk, "capital_question")
    if message is None:
        question = sample("What is the capital of France?")
        return InputRequiredResult(input_requests={"capital_question": question})
    return text_result(f"The model said: {message.content}")


async def test_input_required_result_list_roots(_: Arguments, talk: Talk) -> Answer:
    """Asks for the client's folders."""
    message = answer_of(talk, "client_roots")
    if message is None:
        return InputRequiredResult(input_requests={"client_roots": roots()})
    return text_result(f"The folders: {', '.join(str(root.uri) for root in message.roots)}")


async def test_input_required_result_request_state(_: Arguments, talk: Talk) -> Answer:
    """Remembers something from round to round."""
    if answer_of(talk, "confirm") is None:
        question = form("Please confirm", ok={"type": "boolean"})
        return InputRequiredResult(input_requests={"confirm": question}, request_state="asked")
    return text_result("state-ok" if talk.request_state == "asked" else "state-lost")


async def test_input_required_result_tampered_state(_: Arguments, talk: Talk) -> Answer:
    """Stores a value that only this client may change."""
    return await test_input_required_result_request_state(_, talk)


async def test_input_required_result_multiple_inputs(_: Arguments, talk: Talk) -> Answer:
    """Asks three questions at once."""
    schema = {
        "user_name": form("What is your name?", name=TEXT),
        "greeting": sample("Generate a greeting", 50),
        "client_roots": roots(),
    }
    if any(answer_of(talk, key) is None for key in schema):
        return InputRequiredResult(input_requests={**schema}, request_state="three")
    return text_result("All three were answered.")


async def test_input_required_result_multi_round(_: Arguments, talk: Talk) -> Answer:
    """Asks one question after the other."""
    if talk.request_state is None:
        question = form("Step 1: What is your name?", name=TEXT)
        return InputRequiredResult(input_requests={"step1": question}, request_state="first")
    if talk.request_state == "first":
        question = form("Step 2: What is your favorite color?", color=TEXT)
        return InputRequiredResult(input_requests={"step2": question}, request_state="second")
    return text_result("Both were answered.")


async def test_input_required_result_capabilities(_: Arguments, talk: Talk) -> Answer:
    """Asks only what the client can answer."""
    able = talk.client_capabilities
    schema: dict[str, Any] = {}
    if able is not None and able.sampling is not None:
        schema["model"] = sample("Say something")
    if able is not None and able.elicitation is not None:
        schema["user"] = form("Say something", text=TEXT)
    return InputRequiredResult(input_requests=schema) if schema else text_result("Nobody to ask.")


async def test_input_required_result_prompt(
    talk: Talk,
) -> InputRequiredResult | str:
    """A prompt that asks its user first."""
    message = answer_of(talk, "user_context")
    if message is None:
        question = form("What context should the prompt use?", context=TEXT)
        return InputRequiredResult(input_requests={"user_context": question})
    return f"Use this context: {message.content}"


ASKING: tuple[AnsweringTool, ...] = (
    tool(test_sampling, accepting(prompt=TEXT)),
    tool(test_elicitation, accepting(message=TEXT)),
    tool(test_elicitation_sep1034_defaults),
    tool(test_elicitation_sep1330_enums),
    tool(test_missing_capability),
    tool(test_input_required_result_elicitation),
    tool(test_input_required_result_sampling),
    tool(test_input_required_result_list_roots),
    tool(test_input_required_result_request_state),
    tool(test_input_required_result_tampered_state),
    tool(test_input_required_result_multiple_inputs),
    tool(test_input_required_result_multi_round),
    tool(test_input_required_result_capabilities),
)
