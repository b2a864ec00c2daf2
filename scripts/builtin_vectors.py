"""Writer of the vectors of the built-in graph: data/vectors/SPACE.npz, for the local model.

Texts that have a vector are not embedded again. `--check` writes nothing, and exits with 1 if a
text has no vector, or a vector no text.
"""

import argparse
import sys
from pathlib import Path

from moviegraph.cli.streams import ProgressLines
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedding_store import write_vectors
from moviegraph.engines.graph_records import embed_texts, text_digest
from moviegraph.loading.folder_loader import shipped_vectors, vectors_file
from moviegraph.loading.preparation import prepare_source
from moviegraph.loading.row_validation import Rejects
from moviegraph.settings import content_folder

BATCH = 64


def embedded_texts(data: Path) -> dict[bytes, str]:
    """Return the embedded texts of the data by digest."""
    tables = prepare_source(data, load_contract(), Rejects()).nodes
    texts = (text for table in tables for text in table.embedded_texts())
    return {text_digest(text): text for text in texts}


def main() -> int:
    """Write, or check, the vectors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="only report whether they are complete"
    )
    check: bool = parser.parse_args().check
    data = content_folder("data")
    embedder = LocalEmbedder()
    shipped = shipped_vectors(data, embedder.space)
    texts = embedded_texts(data)
    missing = [digest for digest in texts if digest not in shipped]
    unused = len(shipped.keys() - texts.keys())
    print(f"{len(texts)} texts, {len(missing)} without a vector, {unused} vectors without a text")
    if check:
        return 1 if missing or unused else 0
    if missing or unused:
        stored = {digest: shipped[digest] for digest in texts if digest in shipped}
        progress = ProgressLines()
        for start in range(0, len(missing), BATCH):
            part = missing[start : start + BATCH]
            vectors = embed_texts(embedder, [texts[digest] for digest in part])
            stored.update(zip(part, vectors.astype("float16"), strict=True))
            progress.show("Embedding", start + len(part), len(missing))
        path = vectors_file(data, embedder.space)
        path.parent.mkdir(exist_ok=True)
        write_vectors(path, stored, embedder.space)
        print(f"written: {path.relative_to(data.parent)}, {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
