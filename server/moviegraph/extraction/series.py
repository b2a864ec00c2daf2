"""Series by titles: records whose titles share a stem, where the model confirms it."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.extraction.cluster_merging import ANSWER_TOKENS, NAMES, SameNames
from moviegraph.extraction.clusters import Mention, commonest, purpose, shortened, without_brackets
from moviegraph.extraction.mentions import Relations
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.extraction.questions import Questionnaire, loading_prompt
from moviegraph.names import fold_mention, singular
from moviegraph.sql.contains import STOP_WORDS

PROMPT = "find_series"
STAGE = "Finding series"
MAX_TITLES = 24
MAX_TEXT = 160
SUBTITLE = re.compile(r"(?:\s*:|\s[-\u2013\u2014])\s.*$")
COUNT = re.compile(
    r"[\s,]+(?:(?:part|chapter|episode|vol(?:ume)?\.?|book|no\.)\s+)?"
    r"(?:\d{1,3}|[ivx]+|one|two|three|four|five|six|seven|eight|nine|ten)$",
    re.IGNORECASE,
)


def stem(title: str) -> str:
    """Return a title without brackets, subtitle, and a number at the end.

    Terminator 2: Judgment Day -> Terminator
    """
    base = SUBTITLE.sub("", without_brackets(" ".join(title.split())))
    return COUNT.sub("", base) or base


def title_groups(titles: Mapping[int, str]) -> list[list[int]]:
    """Return the ids of titles that may be of one series: of one stem, or that begin with one."""
    stems = {key: singular(fold_mention(stem(title))) for key, title in titles.items()}
    groups: dict[str, list[int]] = defaultdict(list)
    for key, form in stems.items():
        groups[form].append(key)
    starting: dict[str, list[int]] = defaultdict(list)
    for key, form in stems.items():
        words = form.split()
        starts = (" ".join(words[:count]) for count in range(1, len(words)))
        for start in (start for start in starts if start in groups):
            if not STOP_WORDS.issuperset(start.split()):
                starting[start].append(key)
                break
    for start, keys in starting.items():
        if len(groups[start]) + len(keys) <= MAX_TITLES:  # a common word starts many titles
            groups[start] += keys
    return [
        chunk
        for group in map(sorted, groups.values())
        for start in range(0, len(group), MAX_TITLES)
        if len(chunk := group[start : start + MAX_TITLES]) > 1
    ]


def mentions_of_series(
    nodes: Sequence[NodeRecord],
    edges: Sequence[EdgeRecord],
    relations: Relations,
    mentions: Sequence[Mention],
    runner: QuestionRunner,
) -> list[Mention]:
    """Return mentions of series that titles show together, though none does alone.

    Args:
        nodes: All loaded nodes.
        edges: All loaded edges.
        relations: Those that are extracted; series are what limits names, or has name suffixes.
        mentions: What the texts name.
        runner: The language model.
    """
    owners = {name for table in relations.contract.nodes for name in table.named_within or ()}
    found: list[Mention] = []
    records = {node.id: node for node in nodes if node.kind == relations.kind.name}
    titles = {key: node.name for key, node in records.items()}
    groups = title_groups(titles) if len(records) > 1 else []
    prompt = loading_prompt(PROMPT)
    for edge in relations.edges:
        target = relations.target(edge)
        if edge.name not in owners and not target.name_suffixes:
            continue
        names = {node.id: node.name for node in nodes if node.kind == target.name}
        known = {
            link.source: names[link.target]
            for link in edges
            if link.kind == edge.name and link.target in names
        }
        known |= {m.source: m.name for m in mentions if m.edge == edge.name}
        lacking = [group for group in groups if not known.keys() >= set(group)]
        values = {"kind": target.name, "description": purpose(target.description)}
        questions = [
            prompt.question(
                tuple(group),
                values,
                "\n".join(_line(records[key]) for key in group),
                SameNames,
                ANSWER_TOKENS,
            )
            for group in lacking
        ]
        sheet = Questionnaire(prompt, SameNames, SameNames.part, NAMES)
        answers = runner.answered(questions, sheet, STAGE)
        for group in lacking:
            answer = answers.get(tuple(group))
            for thing in answer.same if answer else ():
                keys = [group[number - 1] for number in thing.numbers]
                named = [known[key] for key in keys if key in known]
                name = commonest(named) if named else stem(titles[keys[0]])
                for key in (key for key in keys if key not in known):
                    found.append(Mention(key, edge.name, name, " ".join(titles[key].split())))
                    known[key] = name
    return found


def _line(record: NodeRecord) -> str:
    facts = {"title": record.name, "text": shortened(record.content, MAX_TEXT)}
    return json.dumps(facts, ensure_ascii=False)
