"""MetaQA: questions over film triples, written by others, answered by one `graph_traverse` call.

`python -m benchmarks.metaqa FOLDER` reads `kb.txt.gz`, `Nhop_qa_test.txt.gz` and
`Nhop_qa_test_qtype.txt.gz` (https://github.com/yuyuz/MetaQA, CC BY 3.0) from a folder of yours,
loads the triples without vectors, and asks the same questions in each run. The topic entity stands
in brackets, and the type of the question names the relations to follow, which a model has to find
out; the published systems find them too. A question counts as answerable if following the relations
in the triples gives just the answers of the data set: some of those are incomplete, and the folder
may lack triples.
"""

import argparse
import gzip
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import report
from benchmarks.server_process import ServerProcess, launch_python

HOPS = (1, 2, 3)
PUBLISHED = {1: 99.1, 2: 99.9, 3: 99.6}  # best Hits@1
PUBLISHED_TRIPLES = 133_582
KINDS = {  # by relation; each leads from a film
    "directed_by": "Person",
    "written_by": "Person",
    "starred_actors": "Person",
    "release_year": "Year",
    "in_language": "Language",
    "has_tags": "Tag",
    "has_genre": "Genre",
    "has_imdb_votes": "Votes",
    "has_imdb_rating": "Rating",
}
RELATIONS = {  # by the word of a question's type
    "director": "directed_by",
    "writer": "written_by",
    "actor": "starred_actors",
    "year": "release_year",
    "language": "in_language",
    "tags": "has_tags",
    "tag": "has_tags",
    "genre": "has_genre",
}
FILM = "Film"
CONTRACT = """
name = "metaqa"
title = "Films of MetaQA"
version = "1.0"
schema = "dbo"
description = "Films with people, years, tags, genres and languages."
"""
NODE = """
[nodes.{kind}]
description = "{kind}."
[nodes.{kind}.columns]
Id = {{ type = "INT", nullable = false, description = "Key." }}
Name = {{ type = "NVARCHAR(400)", nullable = false, searchable = true, description = "Name." }}
"""
EDGE = """
[edges.{edge}]
from = "Film"
to = "{kind}"
meaning = "{words}"
"""
Triples = dict[str, dict[str, set[str]]]  # relation: film: objects


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers, the kind of its topic entity, and the relations to follow."""

    text: str
    topic: str
    kind: str
    path: tuple[str, ...]
    answers: set[str]


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a packed file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file)


def read_triples(folder: Path) -> Triples:
    """Return the triples by relation and film."""
    triples: Triples = {relation: defaultdict(set) for relation in KINDS}
    for line in lines(folder / "kb.txt.gz"):
        film, relation, value = line.split("|")
        triples[relation][film].add(value)
    return triples


def read_questions(folder: Path, hops: int) -> list[Question]:
    """Return the test questions of so many hops."""
    texts = lines(folder / f"{hops}hop_qa_test.txt.gz")
    types = lines(folder / f"{hops}hop_qa_test_qtype.txt.gz")
    return [_question(line, kind.split("_to_")) for line, kind in zip(texts, types, strict=True)]


def _question(line: str, steps: Sequence[str]) -> Question:
    text, answers = line.split("\t")
    topic = re.search(r"\[(.+?)\]", text)
    assert topic is not None
    kind = FILM if steps[0] == "movie" else KINDS[RELATIONS[steps[0]]]
    # Each step joins a film with something else: the word that is not "movie" names the relation.
    path = tuple(
        RELATIONS[after if before == "movie" else before] for before, after in pairwise(steps)
    )
    return Question(text, topic[1], kind, path, set(answers.split("|")))


def followed(question: Question, triples: Triples, inverse: Triples) -> set[str]:
    """Return what the relations of a question lead to, without the topic entity itself.

    As in the data set, no step returns to the topic entity.
    """
    reached, is_film = {question.topic}, question.kind == FILM
    for relation in question.path:
        steps = (triples if is_film else inverse)[relation]
        reached = {value for name in reached for value in steps.get(name, ())}
        is_film = not is_film
        if is_film == (question.kind == FILM):
            reached.discard(question.topic)
    return reached


def write_source(folder: Path, triples: Triples) -> None:
    """Write the folders `contract` and `source`, with nodes and edges as JSON Lines."""
    kinds = [FILM, *dict.fromkeys(KINDS.values())]
    contract = [CONTRACT, *(NODE.format(kind=kind) for kind in kinds)]
    contract += [
        EDGE.format(edge=relation.upper(), kind=kind, words=relation.replace("_", " "))
        for relation, kind in KINDS.items()
    ]
    (folder / "contract").mkdir()
    (folder / "contract" / "contract.toml").write_text("\n".join(contract), encoding="utf-8")
    names: dict[str, set[str]] = {kind: set() for kind in kinds}
    for relation, films in triples.items():
        names[FILM] |= films.keys()
        names[KINDS[relation]] |= set().union(*films.values())
    ids = {
        kind: {name: key for key, name in enumerate(sorted(found), 1)}
        for kind, found in names.items()
    }
    source = folder / "source"
    source.mkdir()
    with (source / "graph.jsonl").open("w", encoding="utf-8") as file:
        for kind in kinds:
            for name, key in ids[kind].items():
                file.write(json.dumps({"kind": kind, "id": key, "name": name}) + "\n")
        for relation, kind in KINDS.items():
            for film, values in triples[relation].items():
                for value in values:
                    edge = {"from": ids[FILM][film], "to": ids[kind][value]}
                    file.write(json.dumps({"kind": relation.upper(), **edge}) + "\n")


def ask(server: ServerProcess, question: Question, top: int) -> list[str]:
    """Return the names that one call finds, best first; none if no triple has the topic entity."""
    arguments = {
        "start_kind": question.kind,
        "start": [question.topic],
        "path": [relation.upper() for relation in question.path],
        "top": top,
    }
    result = server.call("graph_traverse", arguments)["structuredContent"]
    if "error" in result:
        if result["error"]["code"] != "not_found":
            raise RuntimeError(result["error"]["message"])
        return []
    rows: list[list[Any]] = result["rows"]
    position = result["columns"].index("Name")
    return [row[position] for row in rows]


def is_named(server: ServerProcess, question: Question) -> bool:
    """Return whether the planning context names the topic entity, its brackets removed."""
    text = question.text.replace("[", "").replace("]", "")
    context = server.call_checked("get_planning_context", question=text)["structuredContent"]
    return any(entity["name"] == question.topic for entity in context["entities"])


def measure(folder: Path, count: int, contexts: int) -> dict[str, Any]:
    """Return the figures of all hops."""
    triples = read_triples(folder)
    inverse: Triples = {relation: defaultdict(set) for relation in KINDS}
    for relation, films in triples.items():
        for film, values in films.items():
            for value in values:
                inverse[relation][value].add(film)
    number = sum(len(values) for films in triples.values() for values in films.values())
    figures: dict[str, Any] = {
        "triples": number,
        "triples_percent": round(100 * number / PUBLISHED_TRIPLES, 1),
    }
    with TemporaryDirectory() as place:
        write_source(Path(place), triples)
        graph = Path(place) / "graph"
        command = ("load", str(Path(place) / "source"), "--into", str(graph), "--no-embeddings")
        contract = ("--contract", str(Path(place) / "contract"))
        subprocess.run([sys.executable, "-m", "moviegraph", *command, *contract], check=True)
        arguments = ("-m", "moviegraph", "serve", "--graph", str(graph))
        quiet = {"MOVIEGRAPH_JOURNAL": str(Path(place) / "journal.sqlite"), "MOVIEGRAPH_TOP": "20"}
        with (
            ServerProcess(launch_python(*arguments, **quiet)) as default,
            ServerProcess(launch_python(*arguments, **quiet | {"MOVIEGRAPH_TOP": "1000"})) as wide,
        ):
            default.open()
            wide.open()
            for hops in HOPS:
                chosen = random.Random(hops).sample(read_questions(folder, hops), count)
                figures[str(hops)] = _hop(default, wide, chosen, contexts, triples, inverse)
    return figures


def _hop(
    default: ServerProcess,
    wide: ServerProcess,
    questions: Sequence[Question],
    contexts: int,
    triples: Triples,
    inverse: Triples,
) -> dict[str, Any]:
    answerable = exact = exact_default = first = 0
    seconds: list[float] = []
    for question in questions:
        start = time.perf_counter()
        found = ask(wide, question, 1_000)
        seconds.append(time.perf_counter() - start)
        first += bool(found) and found[0] in question.answers
        if followed(question, triples, inverse) == question.answers:
            answerable += 1
            exact += set(found) == question.answers
            exact_default += set(ask(default, question, 20)) == question.answers
    named = sum(is_named(default, question) for question in questions[:contexts])
    return {
        "questions": len(questions),
        "answerable": answerable,
        "exact": exact / answerable,
        "exact_with_20_rows": exact_default / answerable,
        "hits_at_1": first / len(questions),
        "published_hits_at_1": PUBLISHED[len(questions[0].path)] / 100,
        "topic_named": named / contexts,
        "ms_median": 1000 * statistics.median(seconds),
        "ms_p95": 1000 * statistics.quantiles(seconds, n=20)[-1],
    }


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=1_000, help="of each number of hops")
    parser.add_argument("--contexts", type=int, default=200, help="planning contexts of these")
    options = parser.parse_args()
    figures = measure(options.folder, options.questions, options.contexts)
    rows = [
        (
            f"{hops}",
            f"{hop['answerable']} of {hop['questions']}",
            f"{hop['exact']:.1%}",
            f"{hop['exact_with_20_rows']:.1%}",
            f"{hop['hits_at_1']:.1%}",
            f"{hop['published_hits_at_1']:.1%}",
            f"{hop['topic_named']:.1%}",
            f"{hop['ms_median']:.1f}, {hop['ms_p95']:.1f}",
        )
        for hops, hop in ((hops, figures[str(hops)]) for hops in HOPS)
    ]
    header = (
        "hops",
        "answerable",
        "exact",
        "exact, 20 rows",
        "Hits@1, all",
        "published",
        "topic named",
        "ms: median, p95",
    )
    report.table(f"MetaQA, {figures['triples_percent']} % of its triples", header, rows)
    print(report.write("metaqa", figures))


if __name__ == "__main__":
    main()
