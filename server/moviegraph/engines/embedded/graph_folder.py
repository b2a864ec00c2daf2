"""The folder of an embedded graph: its files, its manifest, and its atomic replacement."""

import ctypes
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from moviegraph.contract.loader import CARRIED
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_files import (
    DATABASE,
    ENGLISH_STEMS,
    FULLTEXT,
    MANIFEST,
    REBUILD,
    GraphFiles,
    StoredNodes,
    vector_files,
)
from moviegraph.engines.graph_records import FORMAT, AliasRecord, Manifest, id_bits
from moviegraph.engines.retrieval_primitives import KIND_BITS
from moviegraph.errors import GraphError

ALIASES = "aliases.json"
# Also of a former contract, what databases leave beside their files, what file managers put there.
OWN = re.compile(
    r"manifest\.json|graph\.duckdb(\.wal)?|fulltext\.sqlite(-wal|-shm|-journal)?|vectors/[^/]+\.npy"
    r"|aliases\.json|contract/(contract\.toml|tables/[^/]+\.md|examples/[^/]+\.sql)"
    r"|((vectors|contract|contract/tables|contract/examples)/)?(\.DS_Store|Thumbs\.db|desktop\.ini)"
)
MAX_NAMED = 5
HERE = -100  # AT_FDCWD: paths are as given
EXCHANGE = 2  # RENAME_EXCHANGE, https://man7.org/linux/man-pages/man2/rename.2.html
AliasRow = tuple[str, int, str]


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest: the last file of a build, so that its presence means complete."""
    text = json.dumps(asdict(manifest), indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def write_contract(folder: Path, contract: Contract) -> None:
    """Write the files of a contract into a graph folder, where `read_contract` finds it."""
    for name, text in contract.files.items():
        path = folder / CARRIED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def is_graph_folder(folder: Path) -> bool:
    """Return whether a folder contains a graph, of any version."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path, contract: Contract) -> Manifest:
    """Read and check the manifest of a graph folder.

    Raises:
        GraphError: The folder is missing, half-built, of a different format or contract.
    """
    if not folder.is_dir():
        raise GraphError(f"There is no graph folder at {folder}.", hint=REBUILD)
    if not (folder / MANIFEST).is_file():
        raise GraphError(
            f"{folder} is not a graph, or its build did not finish: {MANIFEST} is missing.",
            hint=REBUILD,
        )
    manifest = _parsed(folder)
    _check(folder, manifest, contract)
    return manifest


def _parsed(folder: Path) -> Manifest:
    try:
        record: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise GraphError(
                f"{folder} has format {record['format']}; this version reads format {FORMAT}.",
                hint=REBUILD,
            )
        _require_types(record)
        return Manifest.from_record(record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise GraphError(f"{folder / MANIFEST} cannot be read.", hint=REBUILD) from error


def _require_types(record: Mapping[str, Any]) -> None:
    """Raise TypeError unless the members that are used have their declared types."""
    texts = [record[name] for name in ("contract", "contract_hash", "content_hash", "source")]
    counted = [record["counts"], record["vectors"]]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    if not all(isinstance(mapping, dict) for mapping in (*counted, record["recipe"])):
        raise TypeError
    if not all(_is_count(number) for mapping in counted for number in mapping.values()):
        raise TypeError


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check(folder: Path, manifest: Manifest, contract: Contract) -> None:
    if manifest.contract_hash != contract.hash:
        raise GraphError(
            f"{folder} was built for another contract (hash {manifest.contract_hash}, "
            f"the served contract {contract.name} has {contract.hash}).",
            hint="Leave --contract out where the folder carries its own contract, or name the "
            "contract of this graph with --contract FOLDER, or load the data again.",
        )
    required = [folder / DATABASE, folder / FULLTEXT, folder / ALIASES]
    for table in manifest.vectors:
        required += vector_files(folder, table)
    missing = [str(path.relative_to(folder)) for path in required if not path.is_file()]
    if missing:
        raise GraphError(f"{folder} lacks {', '.join(missing)}.", hint=REBUILD)


@contextmanager
def building(target: Path) -> Generator[Path]:
    """Yield a temporary sibling to build in, and put it in the target's place on success.

    An open reader of the old folder continues with its open files.

    Raises:
        GraphError: The target exists and is no graph folder, or contains other files too.
    """
    target = target.absolute()
    require_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(target)
    built = Path(tempfile.mkdtemp(prefix=f".{target.name}.building-", dir=target.parent))
    try:
        yield built
        built.chmod(0o755)
        require_target(target)  # a build may take hours
        _swap(built, target)
    finally:
        shutil.rmtree(built, ignore_errors=True)


def _clear_leftovers(target: Path) -> None:
    """Remove what killed builds left, and put back a graph that one had just taken away."""
    for leftover in target.parent.glob(f".{target.name}.building-*"):
        if (leftover / "old" / MANIFEST).is_file() and not target.exists():
            (leftover / "old").rename(target)
        shutil.rmtree(leftover, ignore_errors=True)


def require_target(target: Path) -> None:
    """Raise GraphError if the target of a new graph contains other files, which would be lost."""
    if target.is_file() or (
        target.is_dir() and any(target.iterdir()) and not is_graph_folder(target)
    ):
        raise GraphError(
            f"{target} exists and is not a graph folder; nothing was changed.",
            hint="Name a new or empty folder, or an existing graph folder to replace. A folder of "
            "sources, or of what `moviegraph init` wrote, is never replaced.",
        )
    strangers = _strangers(target)
    if strangers:
        first_files = ", ".join(strangers[:MAX_NAMED])
        more = f" and {len(strangers) - MAX_NAMED:,} more" if len(strangers) > MAX_NAMED else ""
        raise GraphError(
            f"{target} contains files that are not part of a graph: {first_files}{more}; "
            "nothing was changed.",
            hint="Move them out of the folder, or name a different folder.",
        )


def _strangers(folder: Path) -> list[str]:
    """Return the files in a folder that are none of a graph's."""
    files = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return sorted(name for name in files if not OWN.fullmatch(name))


def require_same_domain(target: Path, contract: Contract) -> None:
    """Raise GraphError if a graph that would be replaced has a different contract.

    A graph of an older version of the contract may be replaced, and so may one that is damaged.
    """
    try:
        record: dict[str, Any] = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
        name: str = record["contract"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    if name != contract.name:
        raise GraphError(
            f"{target} contains a graph of the contract {name}, and this load is for the contract "
            f"{contract.name}; nothing was changed.",
            hint="Load into another folder, or remove that one first.",
        )


def require_same_source(target: Path, source: str) -> None:
    """Raise GraphError if a graph that would be replaced was loaded from another source."""
    try:
        stored = json.loads((target / MANIFEST).read_text(encoding="utf-8"))["source"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if stored != source:
        raise GraphError(
            f"{target} contains a graph of {stored}, and this load is of {source}; nothing was "
            "changed.",
            hint="Load into another folder, or replace that graph with --replace.",
        )


def _swap(built: Path, target: Path) -> None:
    if not target.exists():
        built.rename(target)
        return
    if swap_folders(built, target):  # a process that is killed leaves the one or the other
        return
    removed = Path(tempfile.mkdtemp(prefix=f".{target.name}.building-", dir=target.parent))
    old = removed / "old"
    try:
        target.rename(old)
    except OSError as error:
        raise GraphError(
            f"{target} is in use and cannot be replaced.", hint="Stop the server that reads it."
        ) from error
    try:
        built.rename(target)
    except OSError:
        old.rename(target)
        raise
    finally:
        shutil.rmtree(removed, ignore_errors=True)


def swap_folders(first: Path, second: Path) -> bool:
    """Exchange two folders, and return whether that was done.

    Not on every system, nor on every file system; nothing was changed where it was not done.
    """
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return rename(HERE, os.fsencode(first), HERE, os.fsencode(second), EXCHANGE) == 0


def graph_files(folder: Path, contract: Contract, manifest: Manifest | None = None) -> GraphFiles:
    """Return what a process opens of a graph, as plain data; without a manifest, of no rows."""
    counts: Mapping[str, int] = manifest.counts if manifest else {}
    space = manifest.space if manifest else None
    nodes = tuple(
        StoredNodes(
            name=node.name,
            has_small_key=id_bits(node) < KIND_BITS,
            label=node.label,
            searchable=node.searchable,
            rows=counts.get(node.name, 0),
            vectors=space.dimensions if space and manifest and node.name in manifest.vectors else 0,
        )
        for node in contract.nodes
    )
    edges = tuple((edge.name, len(edge.pairs)) for edge in contract.edges)
    recipe: Mapping[str, Any] = manifest.recipe if manifest else {}
    return GraphFiles(str(folder), nodes, edges, str(recipe.get("stems", ENGLISH_STEMS)))


def write_aliases(folder: Path, aliases: Sequence[AliasRecord]) -> None:
    """Write the aliases of a graph."""
    rows = [[alias.kind, alias.id, alias.alias] for alias in aliases]
    text = json.dumps(rows, ensure_ascii=False)
    (folder / ALIASES).write_text(text + "\n", encoding="utf-8")


def read_aliases(folder: Path) -> list[AliasRow]:
    """Return kind, id and alias of each other name.

    Raises:
        GraphError: The file is missing or damaged.
    """
    path = folder / ALIASES
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return [(str(kind), int(key), str(alias)) for kind, key, alias in rows]
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise GraphError(f"{path} cannot be read.", hint=REBUILD) from error
