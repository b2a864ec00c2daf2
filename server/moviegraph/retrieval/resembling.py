"""What a query asks for beside its words: likeness to named nodes, and what is left out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.retrieval.clear_wishes import (
    Spoken,
    meant,
    repeated,
    spoken,
    told_only,
    unread,
)
from moviegraph.retrieval.exclusions import (
    ALIAS,
    Exclusion,
    Negated,
    exclusions,
    left_out,
    read_negations,
)
from moviegraph.retrieval.likened import ENDS, LIKENESS, Example, Likened, likened
from moviegraph.retrieval.names import Named, equal_names
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.relatives import joining, members, relative_kind
from moviegraph.retrieval.wording import LEADING, QUOTES, content_words, words_for
from moviegraph.sql.statements import id_list, literal

LOOSE = re.compile(r"^(?:[\s,;:]|\b(?:and|n?or|but)\b)+|(?:[\s,;:]|\b(?:and|n?or|but)\b)+$", re.I)
JOINING = re.compile(r"\b(?:and|n?or)\s+$", re.I)
LONGEST_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class Wish:
    """The text to search with, the conditions that nodes meet under the alias m, and notes.

    `examples` are the keys of the nodes whose likeness is wanted.
    """

    text: str
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    examples: tuple[int, ...] = ()


def wished(recording: Recording, node: NodeTable, text: str) -> Wish:
    """Read a query: `similar to NAME` by the text of that node, `but not NAME` as a condition.

    Names count if the graph holds them, so a query without any is searched as it stands.
    """
    contract = recording.session.contract
    negated = read_negations(recording, node, text)
    like = Likened() if _is_of_a_name(text, negated) else likened(recording, node, text)
    named = [Named(each.key, each.name) for each in like.examples]
    found = exclusions(recording, text, node, named, negated)
    said = spoken(contract, node, text, negated.said)
    if like.examples:
        held = [each for each in found if each.kinds or _held(recording, node, each)]
        wish = _without(recording, node, text, held, said)
        wish = replace(wish, notes=(*wish.notes, *like.notes))
        return _resembling(recording, node, wish, like.examples)
    named = [each for each in found if each.kinds]
    known = meant(contract, named, said)
    wish = _without(recording, node, text, known, said)
    wish = replace(wish, notes=(*wish.notes, *map(_still_in, told_only(named, known))))
    wish = _by_left_out(recording, node, wish, known)
    return wish if wish.examples else replace(wish, notes=(*wish.notes, *like.notes))


def _is_of_a_name(text: str, negated: Negated) -> bool:
    """Whether the word of likeness belongs to a name that is left out: Some Like It Hot."""
    match = LIKENESS.search(text)
    return match is not None and any(
        each.at < match.start() < each.end and each.what.casefold() in negated.bearers
        for each in negated.said
    )


def _still_in(exclusion: Exclusion) -> str:
    what = exclusion.what
    return f"{what!r} may tell the story and was not left out; for that, write 'but not {what}'."


def _held(recording: Recording, node: NodeTable, exclusion: Exclusion) -> bool:
    """Whether a condition by mere words leaves anything out."""
    return bool(
        recording.read(
            f"SELECT TOP (1) {ALIAS}.{node.key} FROM {node.name} AS {ALIAS} "
            f"WHERE NOT ({exclusion.where})"
        )
    )


def _without(
    recording: Recording,
    node: NodeTable,
    text: str,
    found: list[Exclusion],
    said: list[Spoken],
) -> Wish:
    """Cut what is left out from the text, and make it a condition; say what could not be."""
    contract = recording.session.contract
    unknown = list(unread(contract, node, found, said))
    words = [(each.at, each.text) for each in found]
    words += [(each.at, each.read) for each in repeated(found, said)]
    rest = _cut(text, [*words, *((each.at, each.read) for each in unknown)])
    if not content_words(rest) - words_for(contract, node.name):  # the unknown is all there is
        rest = _cut(text, [*words, *((each.at, each.read) for each in unknown if each.named)])
    kept = tuple(each.where for each in found)
    told = _told(contract, node, found)
    whats = dict.fromkeys(each.what.strip(QUOTES) for each in unknown)
    unheard = (
        f"Nothing was left out for {each!r}: {_why(recording, node, each)}." for each in whats
    )
    return Wish(rest if rest.strip(ENDS) else text, kept, (*told, *unheard))


def _cut(text: str, words: Sequence[tuple[int, str]]) -> str:
    """Return a text without words that begin at places in it, nor what joins them to others."""
    if not words:
        return text
    for at, each in sorted(words):
        joining = JOINING.search(text, 0, at)
        start, end = joining.start() if joining else at, at + len(each)
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return " ".join(LOOSE.sub("", text).split())


def _why(recording: Recording, node: NodeTable, what: str) -> str:
    """Say why a wish left nothing out."""
    if kind := relative_kind(recording.session.contract, node, what):
        return f"no {kind} of an example is known"
    name = " ".join(each for each in what.split() if each.lower() not in LEADING)
    if named := equal_names(recording, node, [name]).get(name.casefold()):
        title = named[0].name
        return (
            f"only the {node.name} {title!r} has that name; for that one, write 'but not {title}'"
        )
    return "the graph holds nothing of that name"


def _told(contract: Contract, node: NodeTable, found: Sequence[Exclusion]) -> list[str]:
    """Say what is left out: what bears a name or is linked to it, and what only says words."""
    notes: list[str] = []
    if named := ", ".join(_shown(contract, node, each) for each in found if each.kinds):
        notes.append(f"Left out, as the query says: {named}.")
    if words := " or ".join(repr(each.what) for each in found if not each.kinds):
        notes.append(f"Left out by words alone: every {node.name} that says {words}.")
    return notes


def _shown(contract: Contract, node: NodeTable, exclusion: Exclusion) -> str:
    """Return the name, with its kind where the name alone would be read otherwise."""
    what, kinds = exclusion.what, exclusion.kinds
    group = kinds in {(each.name,) for each in joining(contract, node)} and what != kinds[0]
    title = kinds == (node.name,) and what.islower()
    return f"the {kinds[0]} {what!r}" if group or title else repr(what)


def _resembling(
    recording: Recording, node: NodeTable, wish: Wish, examples: Sequence[Example]
) -> Wish:
    """Rank by likeness to examples, which are left out."""
    contract = recording.session.contract
    texts, shown, kept = list[str](), list[str](), list[str]()
    for each in examples:
        text, title = _described(recording, node, each.key, each.name)
        texts.append(text[: LONGEST_TEXT // len(examples)])
        shown.append(title)
        condition = f"{ALIAS}.{node.label} <> {literal(each.name)}"
        if each.group:
            shown[-1] += f", of the {each.group[0]} {each.group[1]!r}"
            condition = left_out(contract, node, *each.group) or condition
        elif each.told:
            condition = f"{ALIAS}.{node.key} <> {each.key}"
        kept.append(condition)
    are = "are" if len(examples) > 1 else "is"
    note = f"Ranked by likeness to {' and '.join(shown)}, which {are} left out."
    text = " ".join(filter(None, texts)) or wish.text
    keys = tuple(each.key for each in examples)
    return Wish(text, (*wish.kept, *kept), (*wish.notes, note), keys)


def _described(recording: Recording, node: NodeTable, key: int, name: str) -> tuple[str, str]:
    """Return the text of a node, and its name with its key and what tells it from others."""
    column = node.disambiguated_by
    columns = f"n.{node.text}, n.{column}" if column else f"n.{node.text}"
    read = f"SELECT TOP (1) {columns} FROM {node.name} AS n WHERE n.{node.key} IN {id_list([key])}"
    text, *values = recording.read(read)[0]
    value = f", {column} {values[0]}" if values and values[0] is not None else ""
    return text or "", f"{name!r} ({key}{value})"


def _by_left_out(
    recording: Recording, node: NodeTable, wish: Wish, found: Sequence[Exclusion]
) -> Wish:
    """Rank by likeness to a node of what is both likened to and left out: like a figure."""
    match = LIKENESS.search(wish.text)
    rest = match["rest"].strip(ENDS).casefold() if match else ""
    contract = recording.session.contract
    for each in found:
        group = contract.node(each.kinds[-1])
        if group is None or group is node or not node.text or rest != each.what.casefold():
            continue
        named = equal_names(recording, group, [each.what]).get(each.what.casefold(), ())
        for one in members(recording, node, group, named):
            text, title = _described(recording, node, one.key, one.name)
            note = f"Ranked by likeness to {title}, of {each.what!r}."
            notes = (*wish.notes, note)
            return Wish(text[:LONGEST_TEXT] or wish.text, wish.kept, notes, (one.key,))
    return wish
