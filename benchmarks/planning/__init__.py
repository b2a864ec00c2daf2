"""Nodes of the planning context for questions about two graphs."""
