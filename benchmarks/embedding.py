"""The local embedder compared with a bare loop over the same model in the same run.

The bare loop is the usual code without this project: the `tokenizers` package, truncation at 256
tokens, one text per run of onnxruntime. Both alternate on the same blocks of text. CPU time counts,
so other load on the machine affects both alike.
"""

import argparse
import gzip
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is loaded, below

import numpy as np
import onnxruntime
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from benchmarks import report
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.settings import content_folder

TARGET = 0.85
BLOCK = 50
Embed = Callable[[Sequence[str]], Any]


def main() -> None:
    """Measure, print and store the values."""
    arguments = _arguments()
    texts = plots(arguments.source, arguments.count)
    measurements = measure(texts)
    report.table(
        f"Embedding {len(texts)} plots, one thread",
        ("", "texts per CPU second"),
        [
            ("bare loop", f"{measurements['bare_per_second']:.1f}"),
            ("LocalEmbedder", f"{measurements['embedder_per_second']:.1f}"),
            ("ratio", f"{measurements['ratio']:.3f}"),
            ("target", f">= {TARGET}"),
        ],
    )
    report.table(
        "A query",
        ("", "ms of CPU"),
        [
            ("new", f"{measurements['query_ms']:.2f}"),
            ("cached", f"{measurements['remembered_query_ms']:.3f}"),
            ("loading the model", f"{measurements['load_ms']:.0f}"),
        ],
    )
    print(f"Written: benchmarks/results/{report.write('embedding', measurements).name}")


def plots(source: Path, count: int) -> list[str]:
    """Return the first texts of a file of nodes, or of a folder's file of movies."""
    file = source
    if source.is_dir():
        file = next(iter(sorted(source.glob("nodes_Movie.jsonl*"))))
    open_file = gzip.open if file.suffix == ".gz" else open
    with open_file(file, "rt", encoding="utf-8") as lines:
        return [str(json.loads(line)["content"]) for line in islice(lines, count)]


def measure(texts: list[str]) -> dict[str, Any]:
    """Return the values of both loops, and of queries."""
    embedder = LocalEmbedder()
    load_seconds = _cpu(embedder.load)
    bare = bare_loop(Path(str(files("moviegraph.embeddings"))) / "minilm")
    _check_vectors(embedder.embed, bare, texts[:20])
    ours, theirs = _alternate(embedder.embed, bare, texts)
    queries = [f"a story about {text[:40]}" for text in texts[:100]]
    first_times = [_cpu(lambda query=query: embedder.embed([query])) for query in queries]
    cached_times = [_cpu(lambda query=query: embedder.embed([query])) for query in queries]
    return {
        "texts": len(texts),
        "mean_characters": round(statistics.mean(map(len, texts))),
        "bare_per_second": round(len(texts) / theirs, 1),
        "embedder_per_second": round(len(texts) / ours, 1),
        "ratio": round(theirs / ours, 3),
        "target": TARGET,
        "query_ms": round(statistics.median(first_times) * 1000, 2),
        "remembered_query_ms": round(statistics.median(cached_times) * 1000, 3),
        "load_ms": round(load_seconds * 1000),
    }


def bare_loop(folder: Path) -> Embed:
    """Return the loop with which the embedder is compared."""
    tokenizer = _tokenizer(folder / "vocab.txt")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = str(folder / "model.int8.onnx")
    session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def embed(texts: Sequence[str]) -> Any:
        rows: list[Any] = []
        for text in texts:
            ids = np.array([tokenizer.encode(text).ids], np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            rows.append(session.run(None, inputs)[0][0])
        return np.stack(rows)

    return embed


def _tokenizer(vocabulary: Path) -> Tokenizer:
    tokens = vocabulary.read_bytes().decode().removesuffix("\n").split("\n")
    ids = {token: token_id for token_id, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    template = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.post_processor = template
    tokenizer.enable_truncation(256)
    return tokenizer


def _alternate(ours: Embed, theirs: Embed, texts: list[str]) -> tuple[float, float]:
    seconds = [0.0, 0.0]
    for start in range(0, len(texts), BLOCK):
        block = texts[start : start + BLOCK]
        loops = [(0, ours), (1, theirs)]
        for index, embed in loops if start // BLOCK % 2 else reversed(loops):
            seconds[index] += _cpu(lambda embed=embed, block=block: embed(block))
    return seconds[0], seconds[1]


def _check_vectors(ours: Embed, theirs: Embed, texts: list[str]) -> None:
    if not np.allclose(ours(texts), theirs(texts), atol=1e-5):
        raise SystemExit("The vectors of the two loops differ, so they cannot be compared.")


def _cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, nargs="?", default=content_folder("data"))
    parser.add_argument("--count", type=int, default=1000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
