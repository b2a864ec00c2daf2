"""The page where people look at a result: written once, for hosts of MCP Apps and for the journal."""
