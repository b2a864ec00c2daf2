"""The page where people look at a result, for hosts of MCP Apps and for the journal."""
