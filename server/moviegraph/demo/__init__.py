"""The main scenario, run as an MCP client."""
