"""Serves one client over standard input and output."""

import logging
from contextlib import closing
from functools import partial
from typing import Any, cast

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server

from moviegraph.cli.standard_input import mend_standard_input
from moviegraph.cli.standard_output import Wire, take_standard_output

LOG = logging.getLogger("moviegraph")
GONE = (BrokenPipeError, ConnectionResetError)


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes standard input, or has gone when it is to be answered."""
    mend_standard_input()
    wire = take_standard_output()
    try:
        if wire is None:
            server.run("stdio")
            return
        with closing(wire):
            anyio.run(partial(_served, server, wire))
    except* GONE:
        facts = {"event": "client_gone"}
        LOG.warning("The client disconnected before the response was sent.", extra={"facts": facts})


async def _served(server: MCPServer[Any], wire: Wire) -> None:
    """Serve as `MCPServer.run` does, which takes no streams of its caller's."""
    output = cast("anyio.AsyncFile[str]", wire)  # the SDK only writes to it and flushes it
    async with stdio_server(stdout=output) as (incoming, outgoing):
        low = server._lowlevel_server  # pyright: ignore[reportPrivateUsage]
        await low.run(incoming, outgoing, low.create_initialization_options())
