"""Comparison with public MCP servers."""
