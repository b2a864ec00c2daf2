"""One call of a tool: how names are resolved."""
