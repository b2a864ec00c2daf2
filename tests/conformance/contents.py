"""Tools that the suite calls by name: every kind of content, errors, logs and progress."""

from typing import Any

import anyio
from conformance.forms import AnsweringTool, Arguments, Talk, accepting, text_result, tool
from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextResourceContents,
)

# One transparent pixel, and a WAV header without samples.
IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
AUDIO = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
STEP = 0.05


def image() -> ImageContent:
    return ImageContent(type="image", data=IMAGE, mime_type="image/png")


def embedded(uri: str, text: str, kind: str = "text/plain") -> EmbeddedResource:
    resource = TextResourceContents(uri=uri, text=text, mime_type=kind)
    return EmbeddedResource(type="resource", resource=resource)


async def test_simple_text(_: Arguments, __: Talk) -> CallToolResult:
    """Answers with text."""
    return text_result("This is a simple text response for testing.")


async def test_image_content(_: Arguments, __: Talk) -> CallToolResult:
    """Answers with an image."""
    return text_result(image())


async def test_audio_content(_: Arguments, __: Talk) -> CallToolResult:
    """Answers with sound."""
    return text_result(AudioContent(type="audio", data=AUDIO, mime_type="audio/wav"))


async def test_embedded_resource(_: Arguments, __: Talk) -> CallToolResult:
    """Answers with a resource."""
    return text_result(
        embedded("test://embedded-resource", "This is an embedded resource content.")
    )


async def test_multiple_content_types(_: Arguments, __: Talk) -> CallToolResult:
    """Answers with text, an image and a resource."""
    data = embedded(
        "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
    )
    return text_result("Multiple content types test:", image(), data)


async def test_error_handling(_: Arguments, __: Talk) -> CallToolResult:
    """Fails."""
    return text_result("This tool intentionally returns an error for testing", error=True)


async def test_tool_with_logging(_: Arguments, talk: Talk) -> CallToolResult:
    """Logs three times."""
    for text in ("started", "processing data", "completed"):
        subject = "Tool" if text.startswith("processing") else "Tool execution"
        await talk.info(f"{subject} {text}")  # pyright: ignore[reportDeprecated]
        await anyio.sleep(STEP)
    return text_result("Logged three times.")


async def test_tool_with_progress(_: Arguments, talk: Talk) -> CallToolResult:
    """Tells three times how far it is."""
    for done in (0, 50, 100):
        await talk.report_progress(done, 100, f"{done} of 100")
        await anyio.sleep(STEP)
    return text_result("Told three times how far it was.")


async def json_schema_2020_12_tool(_: Arguments, __: Talk) -> CallToolResult:
    """Shows that a schema arrives whole."""
    return text_result("Accepted.")


async def test_header_argument(arguments: Arguments, _: Talk) -> CallToolResult:
    """Takes an argument that an HTTP header repeats."""
    return text_result(str(arguments.get("region")))


def contact_schema() -> dict[str, Any]:
    """Return a schema with the words of JSON Schema 2020-12 that the suite looks for."""
    text = {"type": "string"}
    place = {
        "$anchor": "addressDef",
        "type": "object",
        "properties": {"street": text, "city": text},
    }
    phone: dict[str, Any] = {"properties": {"contactMethod": {"const": "phone"}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": place},
        "properties": {
            "name": text,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": text,
            "email": text,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": phone | {"required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }


CONTENTS: tuple[AnsweringTool, ...] = (
    tool(test_simple_text),
    tool(test_image_content),
    tool(test_audio_content),
    tool(test_embedded_resource),
    tool(test_multiple_content_types),
    tool(test_error_handling),
    tool(test_tool_with_logging),
    tool(test_tool_with_progress),
    tool(json_schema_2020_12_tool, contact_schema()),
    tool(test_header_argument, accepting(region={"type": "string", "x-mcp-header": "Region"})),
)
