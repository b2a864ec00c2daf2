"""The main job, walked through as an MCP client."""
