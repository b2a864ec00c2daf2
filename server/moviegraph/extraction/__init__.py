"""Extraction of the names in a text by a language model, checked against the text."""
