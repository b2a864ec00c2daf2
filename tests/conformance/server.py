"""The shipped server with everything besides that the conformance suite calls by name.

It is started by `scripts/conformance.py`, as `python -m conformance.server`.
"""

import base64
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from conformance.asking import ASKING, test_input_required_result_prompt
from conformance.contents import CONTENTS, IMAGE, embedded, image
from mcp.server import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    EmptyResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)

from moviegraph.cli.http_runner import HttpRunner
from moviegraph.http.application import PATH, application
from moviegraph.server import create_server
from moviegraph.settings import Settings, read_settings
from moviegraph_tools.call_runner import Shutdown

HOST = "127.0.0.1"


def fixture_server(settings: Settings, ending: Shutdown) -> MCPServer[Any]:
    """Return the server of create_server, with the suite's tools, resources and prompts."""
    tools = (*CONTENTS, *ASKING)
    server = create_server(settings, eager=True, ending=ending, further_tools=tools)
    add_resources(server)
    add_prompts(server)
    add_handlers(server)
    return server


def add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    async def static_text() -> str:  # pyright: ignore[reportUnusedFunction]
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    async def static_binary() -> bytes:  # pyright: ignore[reportUnusedFunction]
        return base64.b64decode(IMAGE)

    @server.resource("test://watched-resource", mime_type="text/plain")
    async def watched() -> str:  # pyright: ignore[reportUnusedFunction]
        return "Watched."

    @server.resource("test://template/{id}/data", mime_type="application/json")
    async def template(id: str) -> str:  # pyright: ignore[reportUnusedFunction]
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def add_prompts(server: MCPServer[Any]) -> None:
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:
        embedded_resource = embedded(resourceUri, "Embedded resource content for testing.")
        return [
            UserMessage(embedded_resource),
            UserMessage("Please process the embedded resource above."),
        ]

    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(image()), UserMessage("Please analyze the image above.")]

    prompts: tuple[Callable[..., Any], ...] = (
        test_simple_prompt,
        test_prompt_with_arguments,
        test_prompt_with_embedded_resource,
        test_prompt_with_image,
        test_input_required_result_prompt,
    )
    for prompt in prompts:
        server.add_prompt(Prompt.from_function(prompt, description="A prompt of the suite."))


def add_handlers(server: MCPServer[Any]) -> None:
    """Answer what only 2025-11-25 knows, and the SDK leaves to its low level."""

    async def accepted(_: Any, __: Any) -> EmptyResult:
        return EmptyResult()

    low = server._lowlevel_server
    low.add_request_handler("logging/setLevel", SetLevelRequestParams, accepted)
    low.add_request_handler("resources/subscribe", SubscribeRequestParams, accepted)
    low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, accepted)


def main() -> None:
    """Serve until a signal."""
    settings = read_settings(environment=os.environ)
    ending = Shutdown()
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        app = application(fixture_server(settings, ending), HOST, port, ())
        sys.stderr.write(f"serves http://{HOST}:{port}{PATH}\n")
        sys.stderr.flush()
        HttpRunner(app, ending).run(sockets=[listener])


if __name__ == "__main__":
    main()
