"""English words that recall weighs: numbers, pairs that exclude each other, and light words."""

import re
from collections.abc import Iterable, Iterator

NUMBER_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15",
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "once": "1",
    "twice": "2", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
}  # fmt: skip
STRIFE = r"(?:fight|fought|war|struggl|battl|kill|vot|testif)\w{0,4}"
# Words of a row exclude those of another row of the same group.
GROUPS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("<", r"before|until|up to|earlier|older|prior"), (">", r"after|since|later|newer|onwards?"),
     ("between", r"between"),),
    (("<", r"at most|less than|fewer than|under|below|no more than|shorter"),
     (">", r"at least|more than|over|above|no less than|longer"), ("=", r"exactly"),),
    (("max", r"most|largest|biggest|greatest|highest|longest|commonest|often|frequent|best|top"),
     ("min", r"least|fewest|smallest|lowest|rarest|rarely|seldom|shortest|worst"),),
    (("first", r"oldest|earliest|first"), ("last", r"newest|latest|last|recent|recently"),
     ("new", r"new|modern"), ("old", r"old|classic"),),
    (("count", r"how many|count|(?:what is|what's|give me|tell me) the number of"),
     ("mean", r"average|mean"), ("sum", r"total|sum"), ("each", r"per|for each|by year"),),
    tuple((unit, rf"(?:per|by|each|every|a) {unit}") for unit in ("year", "decade", "century")),
    (("for", rf"{STRIFE}\s+for"), ("against", rf"{STRIFE}\s+(?:against|with)")),
    (("day", r"day(?:-?time|light)?"), ("night", r"nights?(?:-?time)?"),),
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
    (("good", r"good"), ("bad", r"bad|evil"),), (("love", r"loves?|loving"),
     ("hate", r"hat(?:e|es|red)"),),
    (("short", r"short"), ("long", r"long"),), (("future", r"future"), ("past", r"past"),),
    (("true", r"true|real"), ("made up", r"fictional|invented"),),
)  # fmt: skip
NEGATION = re.compile(
    r"\b(?:not|no|never|without|except\w*|excluding|nor|neither|other than|apart from|besides|"
    r"instead)\b|n['\u2019]t\b",
    re.I,
)
# Light words of two sides; a question with one of them alone is another than one with the other.
SIDES = (
    (
        re.compile(r"\b(?:from|out of|away from)\b(?!\s+(?:the\s+)?\d)", re.I),
        re.compile(
            r"\b(?:to|into|towards?)\s+(?!(?:be|have|see|watch|learn|make|do|get|find)\b)", re.I
        ),
    ),
    (
        re.compile(r"\b(?:set|takes?\s+place|taking\s+place|happens?|happening)\b", re.I),
        re.compile(r"\b(?:made|released|shot|produced|came\s+out)\b", re.I),
    ),
)
# Light words that one figure does to another, so that it matters which is which.
DEED = re.compile(
    r"\b(\w+)\s+(?:finds?|takes?|gives?|makes?|sees?|tells?|uses?|gets?|knows?|wants?|shows?)\s+"
    r"(?:an?|the|his|her|its|their)\s+(\w+)",
    re.I,
)
# Words that carry no condition of their own, whatever the contract is about.
LIGHT = frozenset(
    """
    a about again all already also although am an and any anything are as at back be because
    been being best by can come comes common could deal deals did do does each either else
    every everything explore explores explored exploring feature features featuring find for
    from get give go good had happen happens has have having how i if in into is it its itself
    just kind know large largest let like likely list located look looking made make many may
    me mine more most much my name named names number of often on one ones or other our out
    over please plot plots present quite rather recommend record records related said same say
    says see seen set sets she should show shows similar so some somebody someone something
    sort stories story suggest take taken takes tell than that the their them themselves then
    there these they thing things this those to too us use used very want was watch watched
    way we were what when where which while who whom whose will with would you your whole
    frequent frequently consist consists per
    called count connect connected connection connects play plays playing appear appears
    appearing occur occurs
    """.split()
)
COMPILED = tuple(
    tuple((name, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I)) for name, words in group)
    for group in GROUPS
)


def grouped(text: str) -> Iterator[tuple[str, str]]:
    """Yield the group and the row of each word that excludes others."""
    for place, group in enumerate(COMPILED):
        for name, pattern in group:
            if pattern.search(text):
                yield f"group {place}", name


def stems(words: Iterable[str]) -> Iterator[str]:
    """Yield each word without its ending, as far as simple."""
    for word in words:
        yield _stem(word)


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word.removesuffix("y").removesuffix("e") if len(word) > 4 else word


LIGHT_STEMS = frozenset(stems(LIGHT))
