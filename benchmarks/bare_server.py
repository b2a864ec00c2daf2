"""The floor: a server of the same SDK with one tool that returns a constant."""

from mcp.server import MCPServer

server = MCPServer("bare", version="0")


@server.tool()
async def constant() -> str:
    """Return the same text always."""
    return "constant"


if __name__ == "__main__":
    server.run()
