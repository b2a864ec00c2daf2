"""What an extraction did, in numbers for whoever loads."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moviegraph.loading.extraction.asking import Asker, Tally
from moviegraph.loading.extraction.fold import Folded
from moviegraph.loading.extraction.mentions import Extracted
from moviegraph.text import plural

SHOWN = 5


@dataclass(frozen=True, slots=True)
class ExtractionSummary:
    """What an extraction did.

    Attributes:
        lines: Its result, a sentence each.
        notes: What was left undone, and why.
        failures: The first texts whose questions failed.
        failed: How many these were.
        open: How many questions on the names in the answers were not answered, or not asked.
    """

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    failed: int
    open: int = 0


def summary_of(
    asker: Asker, kind: str, found: Extracted, names: Mapping[int, str], folded: Folded
) -> ExtractionSummary:
    """Return the numbers of an extraction.

    Args:
        asker: What was asked.
        kind: The kind of nodes that were read.
        found: What they name.
        names: Names of these nodes, by id.
        folded: What became of the names.
    """
    lines = (*_asked(asker), *_found(kind, found), *_folded(folded))
    failures = [f"{kind} {each} ({names[each]}): {why}" for each, why in found.failed.items()]
    shown = tuple(failures[:SHOWN])
    return ExtractionSummary(lines, folded.notes, shown, len(failures), folded.open)


def _asked(asker: Asker) -> Iterator[str]:
    for stage, tally in asker.tallies.items():
        if tally != Tally():
            yield (
                f"{stage}: {plural(tally.answered, 'request')} answered, {tally.kept:,} "
                f"already answered, {tally.failed:,} failed"
            )
    usage, dollars = asker.spending.usage, asker.spending.dollars
    price = f", ${dollars:,.4f}" if dollars else ""
    guessed = f" (estimated for {usage.silent:,})" if usage.silent else ""
    told = f"{plural(usage.prompt, 'token')} in, {usage.completion:,} out"
    yield f"{asker.name}: {told}{guessed}{price}"


def _found(kind: str, found: Extracted) -> Iterator[str]:
    kept = Counter(each.edge for each in found.mentions)
    yield f"names with evidence: {_listed(kept)}; {found.silent:,} {kind} without names"
    if found.dropped:
        yield f"names dropped: {_listed(found.dropped_of)}"


def _folded(folded: Folded) -> Iterator[str]:
    made = Counter(node.kind for node in folded.nodes)
    merged = {kind: count for kind, count in folded.merged.items() if count}
    yield f"new nodes: {_listed(made)}; {plural(len(folded.edges), 'new edge')}"
    if merged:
        yield f"names merged by the model: {_listed(merged)}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "none"
