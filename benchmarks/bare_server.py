"""Baseline: a server of the same SDK with one tool that returns a constant.

Over stdio, or over HTTP with `--port PORT`.
"""

import sys

from mcp.server import MCPServer

server = MCPServer("bare", version="0", log_level="WARNING")


@server.tool()
async def constant() -> str:
    """Return a constant."""
    return "constant"


if __name__ == "__main__":
    if "--port" in sys.argv:
        server.run("streamable-http", port=int(sys.argv[sys.argv.index("--port") + 1]))
    else:
        server.run()
