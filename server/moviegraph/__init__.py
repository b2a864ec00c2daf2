"""Retrieval from a movie knowledge graph over the Model Context Protocol."""

__version__ = "0.1.0"
