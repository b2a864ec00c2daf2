"""The node classes and arguments of sqlglot in legitimate statements, as a stored snapshot."""

import json
from pathlib import Path

from golden.corpus import cases
from golden.decisions import allowed
from sqlglot import exp

FILE = Path(__file__).parent / "tree_shapes.json"
Shapes = dict[str, list[str]]


def corpus_shapes() -> Shapes:
    """Return the classes and arguments of the validated trees of the legitimate corpora."""
    by_key: dict[str, set[str]] = {}
    for corpus in ("honest", "originals"):
        for case in cases(corpus):
            for node in allowed(case.sql).tree.walk():
                by_key.setdefault(type(node).__name__, set()).update(_arguments(node))
    return {name: sorted(by_key[name]) for name in sorted(by_key)}


def stored() -> Shapes:
    """Return the snapshot."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def store() -> None:
    """Write the snapshot again, after a review of its difference."""
    FILE.write_text(json.dumps(corpus_shapes(), indent=1) + "\n", encoding="utf-8")


def _arguments(node: exp.Expr) -> set[str]:
    return {name for name, value in node.args.items() if value not in (None, False, [], ())}
