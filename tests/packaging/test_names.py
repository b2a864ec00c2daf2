"""Names of public classes occur once in the packages."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGES = (Path("server/moviegraph"), Path("tools/moviegraph_tools"))
ROOT = Path(__file__).parents[2]


def sources() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def repeated(paths_by_name: dict[str, list[Path]]) -> dict[str, list[Path]]:
    return {name: paths for name, paths in paths_by_name.items() if len(paths) > 1}


def test_public_class_names_occur_once() -> None:
    classes: dict[str, list[Path]] = defaultdict(list)
    for path in sources():
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                classes[statement.name].append(path)
    assert classes
    assert repeated(classes) == {}
