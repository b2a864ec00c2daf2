"""Finds the JSON in what a language model wrote around it."""

import re

FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)


def json_in(text: str) -> str:
    """Return the content of a code fence, else the outermost braces, else the text itself."""
    text = text.strip()
    if text.startswith("{"):
        return text
    if fenced := FENCE.search(text):
        return fenced[1].strip()
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1] if 0 <= begin < end else text
