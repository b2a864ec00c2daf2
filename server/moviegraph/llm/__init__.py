"""The language-model port."""
