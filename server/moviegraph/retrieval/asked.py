"""What a question asks exactly: the numbers, names, filters and exclusions that recall compares.

Two questions may share an answer only when all of these agree; likeness in meaning alone cannot
tell "after 1990" from "before 1990", nor "except Alien" from "Alien".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.retrieval.exclusions import named_exclusions
from moviegraph.retrieval.wording import aliases, occurrence

NUMBER_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15",
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "once": "1",
    "twice": "2", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
}  # fmt: skip
# Words of a row exclude those of another row of the same group.
GROUPS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("<", r"before|until|up to|earlier|older|prior"), (">", r"after|since|later|newer|onwards?"),
     ("between", r"between"),),
    (("<", r"at most|less than|fewer than|under|below|no more than|shorter"),
     (">", r"at least|more than|over|above|no less than|longer"), ("=", r"exactly"),),
    (("max", r"most|largest|biggest|greatest|highest|longest|commonest|often|best|top"),
     ("min", r"least|fewest|smallest|lowest|rarest|rarely|seldom|shortest|worst"),),
    (("first", r"oldest|earliest|first"), ("last", r"newest|latest|last|recent|recently"),
     ("new", r"new|modern"), ("old", r"old|classic"),),
    (("count", r"how many|count|(?:what is|what's|give me|tell me) the number of"),
     ("mean", r"average|mean"), ("sum", r"total|sum"), ("each", r"per|for each|by (?:year|genre)"),),
    (("only", r"only|just|solely"),),
    (("man", r"m[ae]n|male|males|boys?|he|his|himself"),
     ("woman", r"wom[ae]n|females?|girls?|she|her|herself"),),
    (("brother", r"brothers?"), ("sister", r"sisters?"),), (("father", r"fathers?|dads?"),
     ("mother", r"mothers?|mums?|moms?"),), (("son", r"sons?"), ("daughter", r"daughters?"),),
    (("husband", r"husbands?"), ("wife", r"wife|wives"),), (("king", r"kings?"),
     ("queen", r"queens?"),), (("hero", r"hero(?:es)?|heroines?|protagonists?"),
     ("villain", r"villains?|antagonists?"),),
    (("die", r"die[sd]?|dying|dead|killed"), ("live", r"survive[sd]?|surviving|lives?|alive"),),
    (("win", r"wins?|winning|won|victory"), ("lose", r"los(?:e|es|ing|t)|defeat(?:ed)?"),),
    (("happy", r"happy|happily|cheerful|joyful|uplifting|warm|cosy|hopeful|feel-?good"),
     ("sad", r"sad|tragic|bleak|depressing|melancholic?|hopeless|unhappy"),
     ("funny", r"funny|hilarious|humorous|light-?hearted"), ("dark", r"dark|grim|scary|serious"),),
    (("rich", r"rich|wealthy"), ("poor", r"poor|poverty"),), (("young", r"young|teenage\w*"),
     ("aged", r"elderly|aged|old (?:man|woman|people)"),),
    (("good", r"good"), ("bad", r"bad|evil"),), (("love", r"loves?|loving"), ("hate", r"hat(?:e|es|red)"),),
    (("short", r"short"), ("long", r"long"),), (("future", r"future"), ("past", r"past"),),
    (("true", r"true|real"), ("made up", r"fictional|invented"),),
)  # fmt: skip
COMPILED = tuple(
    tuple((name, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I)) for name, words in group)
    for group in GROUPS
)
NEGATION = re.compile(
    r"\b(?:not|no|never|without|except\w*|excluding|nor|neither|other than|apart from|besides|"
    r"instead)\b|n['’]t\b",
    re.I,
)
# Words that carry no condition of their own, whatever the contract is about.
LIGHT = frozenset(
    """
    a about again all already also although am an and any anything are as at back be because been
    being best by can come comes common could deal deals did do does each either else every everything
    explore explores explored exploring feature features featuring find for from get give go good had
    happen happens has have having how i if in into is it its itself just kind know large largest let
    like likely list located look looking made make many may me mine more most much my name named names
    number of often on one ones or other our out over please plot plots present quite rather recommend
    record records related said same say says see seen set sets she should show shows similar so some
    somebody someone something sort stories story suggest take taken takes tell than that the their them
    themselves then there these they thing things this those to too us use used very want was watch watched
    way we were what when where which while who whom whose will with would you your whole called count
    connect connected connection connects play plays playing appear appears appearing occur occurs
    """.split()
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What must agree exactly (`facts`), and the words that carry the rest, in order.

    A name must stand in the other question too, letter by letter, with capitals or without.
    """

    facts: frozenset[tuple[str, str]]
    words: tuple[str, ...]
    names: frozenset[str]
    spelt: frozenset[str]

    def agrees(self, other: "Asked") -> bool:
        """Whether a rewording may lie between the two, but no other condition.

        A word that only one of them has is a further condition; one word in the place of one other
        is another condition, however near in meaning ("dogs", "cats"). The same words in another
        order ask the same only where a whole part moved to the front or to the end.
        """
        if self.facts != other.facts or self.names - other.spelt or other.names - self.spelt:
            return False
        mine, others = set(self.words), set(other.words)
        if mine == others:
            return ("joined", "and") in self.facts or _turned(self.words, other.words)
        fewer, more = sorted((len(mine - others), len(others - mine)))
        return fewer > 0 and more > 1


def asked(question: str, contract: Contract) -> Asked:
    """Return what a question asks exactly; relative dates are written out before."""
    text = _aliased(question, contract)
    light = _light(contract)
    facts = {*_numbers(question), *_grouped(text), *_excluded(question, light)}
    if re.search(r"\band\b", question, re.I):
        facts.add(("joined", "and"))
    spelt = frozenset(re.findall(r"[^\W_]+", text.lower()))
    words = tuple(dict.fromkeys(_carrying(text, light)))
    return Asked(frozenset(facts), words, frozenset(_names(text)), spelt)


def _turned(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return any(words[at:] + words[:at] == others for at in range(max(1, len(words))))


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    for word in re.findall(r"\w+", text.lower()):
        if word in NUMBER_WORDS or any(letter.isdigit() for letter in word):
            yield "number", NUMBER_WORDS.get(word, word)


def _grouped(text: str) -> Iterator[tuple[str, str]]:
    for place, group in enumerate(COMPILED):
        for name, pattern in group:
            if pattern.search(text):
                yield f"group {place}", name


def _excluded(text: str, light: frozenset[str]) -> Iterator[tuple[str, str]]:
    for _, what, _ in named_exclusions(text):
        yield "without", " ".join(sorted(_carrying(what, light)))
    yield "negated", str(NEGATION.search(text) is not None)


def _aliased(text: str, contract: Contract) -> str:
    """Write every other name as the name in the graph."""
    for alias in aliases(text, contract):
        found = occurrence(alias.alias, text)
        if found is not None and alias.name.lower() not in text.lower():
            text = text[: found.start()] + alias.name + text[found.end() :]
    return text


def _names(text: str) -> Iterator[str]:
    """Yield what is written as a name: capitals within a sentence, and quoted words."""
    for sentence in re.split(r"[.!?:]\s+", text):
        words = re.findall(r"[^\W_]+", sentence)
        yield from (word.lower() for word in words[1:] if word[0].isupper() and len(word) > 1)
    for quoted in re.findall(r"[\"“]([^\"”]+)[\"”]", text):
        yield from re.findall(r"\w+", quoted.lower())


def _carrying(text: str, light: frozenset[str]) -> Iterator[str]:
    """Yield the stems of the words that carry a condition, in order."""
    words = re.findall(r"[^\W_]+", re.sub(r"['’]s\b", "", text.lower()))
    return (stem for stem in _stems(words) if stem not in light)


def _light(contract: Contract) -> frozenset[str]:
    target = contract.nodes[0].name.lower()
    return frozenset(_stems((*LIGHT, target, f"{target}s", "graph", *_own_words(contract))))


def _own_words(contract: Contract) -> list[str]:
    """Return the words for the first kind of node; those for the others are conditions."""
    target = contract.nodes[0].name
    return [each.word.lower() for each in contract.glossary.keywords if each.table == target]


def _stems(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield _stem(word)


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word.removesuffix("y").removesuffix("e") if len(word) > 4 else word
