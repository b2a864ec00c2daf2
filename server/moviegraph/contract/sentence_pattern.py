"""Patterns of sentences, as a contract writes them: words, `a|b`, `*` and `{name}`."""

import re

ANY = "*"
NAME = "{name}"
LEAST_WORDS = 2
_NO_WORD = re.compile(r"[\W_]++")


def folded(text: str) -> str:
    """Return the words of a text in lower case, a blank between two, without punctuation."""
    return _NO_WORD.sub(" ", text.lower()).strip()


class SentencePattern:
    """A sentence with gaps: `*` for any words or none, `a|b` for either, `{name}` for the node."""

    def __init__(self, pattern: str) -> None:
        tokens = pattern.split()
        self.words = sum(token not in (ANY, NAME) for token in tokens)
        runs = [run.split() for run in f" {' '.join(tokens)} ".split(ANY)]
        self._runs = [
            re.compile(_run(run, starts=place == 0, ends=place == len(runs) - 1))
            for place, run in enumerate(runs)
            if run
        ]

    def fits(self, words: str) -> bool:
        """Return whether the words of a sentence fit, folded and with a blank at each end."""
        at = 0
        for run in self._runs:
            match = run.search(words, at)
            if match is None:
                return False
            at = match.end() - 1
        return True


def _run(tokens: list[str], *, starts: bool, ends: bool) -> str:
    words = " ".join(_either(token) for token in tokens)
    return ("\\A" if starts else "") + f" {words} " + ("\\Z" if ends else "")


def _either(token: str) -> str:
    if token == NAME:
        return re.escape(NAME)
    return f"(?:{'|'.join(re.escape(folded(word)) for word in token.split('|'))})"
