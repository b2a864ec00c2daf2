"""Extraction: what a text names, told by a language model and checked against the text."""
