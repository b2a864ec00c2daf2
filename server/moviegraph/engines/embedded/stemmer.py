"""Stemmers: inflected forms of a word share a stem; of English words also irregular forms."""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from moviegraph.contract.languages import is_english, language_name
from moviegraph.engines.embedded.graph_files import ENGLISH_STEMS
from moviegraph.errors import GraphError

VOWEL = re.compile(r"[aeiouy]")
DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
SHORT = re.compile(r"[^aeiou][aeiouy][^aeiouwxy]$")
RUNS = re.compile(r"[aeiouy]+[^aeiouy]+")
IRREGULAR_FORMS = Path(__file__).with_name("irregular_forms.txt")  # a lemma and its forms per line
PLURALS = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "wolves": "wolf",
    "wives": "wife",
    "shelves": "shelf",
    "teeth": "tooth",
    "feet": "foot",
}
NO_PLURALS = frozenset("abdomen acumen amen dolmen omen regimen specimen stamen yemen".split())


def _irregular() -> dict[str, tuple[str, ...]]:
    """Return the lemmas of each form: `leaves` is a form of `leave` and of `leaf`."""
    lemmas: dict[str, tuple[str, ...]] = {}
    for forms in map(str.split, IRREGULAR_FORMS.read_text(encoding="utf-8").splitlines()):
        for form in forms:
            lemmas[form] = tuple(dict.fromkeys((*lemmas.get(form, ()), forms[0])))
    return lemmas


class Stemmer:
    """Plural, past, participle and gerund endings removed, by the first steps of Porter's rules."""

    def __init__(self) -> None:
        self._irregular = _irregular()

    def stems(self, word: str) -> tuple[str, ...]:
        """Return the stems of a lower-case word; other scripts and numbers stay as they are."""
        lemmas = self._irregular.get(word)
        if lemmas is not None:
            # No regular stem has this form, so "lay" and "lie" stay apart.
            return tuple(f"{lemma}=" for lemma in lemmas)
        regular = len(word) > 2 and word.isascii() and word.isalpha()
        stem = _ending(_plural(_compound(word))) if regular else word
        return (f"{word}=" if stem in self._irregular.get(stem, ()) else stem,)


def _compound(word: str) -> str:
    """Return the singular of a compound such as `werewolves` or `salesmen`."""
    for plural, singular in PLURALS.items():
        if word.endswith(plural) and len(word) > len(plural) + 2 and word not in NO_PLURALS:
            return word.removesuffix(plural) + singular
    return word


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("xes", "zes", "ches", "shes")):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _ending(word: str) -> str:
    if word.endswith("eed"):
        return _final(word[:-1] if _measure(word[:-3]) else word)
    for ending in ("ing", "ed"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) > 1 and VOWEL.search(stem):
            return _final(_restored(stem))
    return _final(word)


def _restored(stem: str) -> str:
    """Undo the change by an ending: the e of `hop(e)ing`, the doubled letter of `hopping`."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if DOUBLED.search(stem) and not stem.endswith(("ll", "ss", "zz")):
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and SHORT.search(stem) else stem


def _final(word: str) -> str:
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        return word[:-1] + "i"
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    stem = word[:-1]
    measure = _measure(stem)
    if word.endswith("e") and (measure > 1 or (measure == 1 and not SHORT.search(stem))):
        return stem
    return word


def _measure(word: str) -> int:
    """Count the runs of vowels that consonants follow."""
    return len(RUNS.findall(word))


PACKAGE, EXTRA = "snowballstemmer", "languages"
NO_STEMS = "none"
ALGORITHMS = {"BRAZILIAN": "portuguese"}
Stems = Callable[[str], tuple[str, ...]]


def stems_of_language(language: str) -> str:
    """Return which stems an index of texts in a language has, for the graph's manifest.

    These are "english", such as "german 3.1" by this version of snowballstemmer, or "none".
    """
    if is_english(language):
        return ENGLISH_STEMS
    name = language_name(language)
    algorithm = ALGORITHMS.get(name, name.lower())
    installed = _installed()
    if not installed or algorithm not in _snowball().algorithms():
        return NO_STEMS
    return f"{algorithm} {installed}"


def open_stemmer(stems: str) -> Stems:
    """Return the function from a lower-case word to its stems, as a manifest names them.

    Raises:
        GraphError: The index was made by a version of snowballstemmer that is not installed.
    """
    if stems == ENGLISH_STEMS:
        return Stemmer().stems
    if stems == NO_STEMS:
        return lambda word: (word,)
    algorithm, _, made_by = stems.partition(" ")
    if _installed() != made_by:
        raise GraphError(
            f"The full-text index has the word stems of {PACKAGE} {made_by} ({algorithm}), and "
            f"{_installed() or 'no version'} is installed.",
            hint=f"Install {PACKAGE} {made_by} (pip install 'moviegraph[{EXTRA}]'), or load the "
            "graph again.",
        )
    stemmer = _snowball().stemmer(algorithm)
    return lambda word: (stemmer.stemWord(word),)


def stems_note(recipe: Mapping[str, Any], language: str) -> str:
    """Return what an operator should know of a graph without stems; nothing of others."""
    if recipe.get("stems") != NO_STEMS:
        return ""
    return (
        f'Full text finds words of the language "{language}" only as they are written: '
        f"{PACKAGE} is not installed (pip install 'moviegraph[{EXTRA}]'), or does not know it."
    )


def _installed() -> str:
    """Return major and minor version of the package; with them its stems may change."""
    try:
        return ".".join(version(PACKAGE).split(".")[:2])
    except PackageNotFoundError:
        return ""


def _snowball() -> Any:
    return import_module(PACKAGE)
