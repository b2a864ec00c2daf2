"""Text: safe printing, numbers with nouns, network addresses."""

from __future__ import annotations

import ipaddress
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import date, time
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

SAFE_INTEGER = 2**53


def shorten(text: str, length: int) -> str:
    """Return the text, truncated to a length that includes the ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def plural(number: int, singular: str, many: str | None = None) -> str:
    """Return such as "1 row" or "2,000 rows"; `many` where it is not `one` with an s."""
    return f"{number:,} {singular if number == 1 else many or f'{singular}s'}"


def without_names(text: str, names: Set[str]) -> str:
    """Return text without the sentences that contain one of these names, unless in quotes.

    An item of a list or a row of a table that begins with one is omitted whole.
    """
    if not names:
        return text
    pattern = re.compile(rf"(?<![\w'\"])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w'\"])")
    blocks: list[str] = []
    for block in BLOCK.split(text):
        if not pattern.search(block):
            blocks.append(block)
        elif not pattern.match(block.lstrip(" -*|`")):
            kept = [part for part in SENTENCE.split(block) if not pattern.search(part)]
            blocks += ["".join(kept).rstrip().removesuffix(";")] if kept else []
    return "\n".join(blocks)


def without_names_in(value: Any, names: Set[str], *, is_server_text: bool = False) -> Any:
    """Return members of a result without the sentences of the server that contain a name.

    Members that come from the caller or from records are unchanged.
    """
    if not names:
        return value
    if isinstance(value, str):
        return without_names(value, names) if is_server_text else value
    if isinstance(value, Mapping):
        return {
            key: without_names_in(part, names, is_server_text=key in SERVER_TEXTS)
            for key, part in cast("Mapping[str, Any]", value).items()
        }
    if isinstance(value, list | tuple):
        parts = cast("Sequence[Any]", value)
        cleaned = [without_names_in(p, names, is_server_text=is_server_text) for p in parts]
        return [part for part in cleaned if part or not is_server_text]
    return value


SERVER_TEXTS = frozenset("chosen_because hint message notes rules why".split())
SENTENCE = re.compile(r"(?<=[.;!?]\s)")
BLOCK = re.compile(r"\n(?=\s*(?:[-*|#]|\d+\.|\n|$))")


def printable(text: str) -> str:
    """Return sanitized text with tabs as spaces."""
    return sanitize(text).replace("\t", " ")


# `sanitize` removes terminal controls and invisible characters. No filter reads the text after
# it, so removal cannot join what a filter kept apart (the risk of Unicode TR #36, section 3.5).
# The rule: docs/concepts/threat_model.md.
VERBATIM_KEYS = frozenset({"sql"})
REPLACEMENTS = {"newline": "\n", "blank": " ", "meaningless": "\N{REPLACEMENT CHARACTER}"}
# Escape sequences as ECMA-48 writes them: CSI, control strings, then all others. A string that
# nothing ends loses its introducer alone, and no part of a text is looked at more than twice.
SEQUENCES = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]",
    r"(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x00-\x08\x0a-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)",
    r"\x1b[ -/]*[0-~]",
)
CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
# Default_Ignorable_Code_Point of the Unicode Character Database, but for joiners and selectors,
# with bidirectional controls (UAX #9) and interlinear annotation.
INVISIBLE = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
# Surrogates without their half, private use, and the noncharacters of each plane.
MEANINGLESS = r"\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\U000f0000-\U0010ffff" + "".join(
    rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(15)
)
JOINING = r"\u200c\u200d\ufe0e\ufe0f"
SUSPECT = re.compile(
    rf"[{CONTROLS}{INVISIBLE}{JOINING}\ud800-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff"
    r"\U0002fffe\U0002ffff\U0003fffe-\U0010ffff]"
)
REMOVED = re.compile(
    rf"(?P<newline>\r\n?)|(?P<blank>[\x0b\x0c\x85\u2028\u2029])|{'|'.join(SEQUENCES)}"
    f"|[{CONTROLS}{INVISIBLE}]|(?P<meaningless>[{MEANINGLESS}])"
)
JOINERS = re.compile(f"[{JOINING}]+")
# Scripts in which joiners distinguish words (UAX #31, section 2.3): Arabic to Mandaic, the scripts
# of India and of their kin, Mongolian, Arabic forms, and those beyond the basic plane.
CURSIVE = re.compile(
    r"[\u0600-\u08ff\u0900-\u109f\u1780-\u18af\u1a00-\u1bff\ua800-\uabff\ufb50-\ufdcf\ufdf0-\ufdff"
    r"\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
PICTURE = re.compile(
    r"[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f"
    r"\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)')
BREAKS = re.compile(r"[\n\t]+")


def sanitize(text: str) -> str:
    """Return text without control and escape sequences and without hidden characters.

    Newlines and tabs stay, and so do joiners and selectors where a script or an emoji needs them.
    """
    if (text.isascii() and text.isprintable()) or not SUSPECT.search(text):
        return text
    text = replace_surrogates(text)
    text = REMOVED.sub(lambda match: REPLACEMENTS.get(match.lastgroup or "", ""), text)
    return JOINERS.sub(_replace_joiners, text)


def one_line(text: str) -> str:
    """Return sanitized text without line breaks and tabs."""
    return BREAKS.sub(" ", sanitize(text))


def sanitize_cell(text: str) -> str:
    """Return sanitized text; in a JSON document also what its escapes hide."""
    text = sanitize(text)
    if "\\u" in text and text.lstrip()[:1] in ("{", "["):
        return LITERAL.sub(_sanitize_literal, text)
    return text


def json_compatible(value: Any) -> Any:
    """Return a value made of JSON types only: nothing is rounded, and bytes never leave.

    Decimals and integers beyond 2^53 become strings, dates ISO strings, NaN and infinities null.
    """
    if isinstance(value, str):
        return sanitize_cell(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [json_compatible(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"  # str() writes a small one as 1E-7
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {
            sanitize(str(name)): replace_surrogates(member)
            if name in VERBATIM_KEYS and isinstance(member, str)
            else json_compatible(member)
            for name, member in cast("Mapping[Any, Any]", value).items()
        }
    raise TypeError(f"a value of type {type(value).__name__} has no form in a result")


def replace_surrogates(text: str) -> str:
    """Return text that can be written as UTF-8: lone surrogates become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def hidden_characters(text: str) -> tuple[str, ...]:
    """Return the code points of a text that `sanitize` removes, each once."""
    if sanitize(text) == text:
        return ()
    return tuple(
        dict.fromkeys(f"U+{ord(char):04X}" for char in SUSPECT.findall(text) if char != "\r")
    )


def _replace_joiners(match: re.Match[str]) -> str:
    """Return a run of joiners and selectors if a script or an emoji needs it, else nothing."""
    run, text = match.group(), match.string
    previous = text[match.start() - 1 : match.start()]
    following = text[match.end() : match.end() + 1]
    if set(run) in ({"\u200c"}, {"\u200d"}):
        run = run[0]
    if PICTURE.match(previous):
        is_join = run in ("\u200d", "\ufe0f\u200d") and PICTURE.match(following)
        return run if is_join or run in ("\ufe0e", "\ufe0f") else ""
    is_joiner = run in ("\u200c", "\u200d")
    return run if is_joiner and CURSIVE.match(previous) and CURSIVE.match(following) else ""


def _sanitize_literal(match: re.Match[str]) -> str:
    """Return a JSON string, rewritten only if something is removed from it."""
    literal = match.group()
    if "\\u" not in literal:
        return literal
    try:
        text: str = json.loads(literal, strict=False)
    except ValueError:
        return literal
    cleaned = sanitize(text)
    return literal if cleaned == text else json.dumps(cleaned, ensure_ascii=False)


LABEL = r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
HOST = re.compile(rf"(?P<name>{LABEL}(?:\.{LABEL})*\.?|\[(?P<six>[0-9a-f:.]+)\])(?::(?P<port>.+))?")
ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>.+)")
DEFAULT_PORTS = {"http": "80", "https": "443"}
MAX_PORT = 65_535


def read_host(text: str) -> str:
    """Return a host with its port, `*` for any, in lowercase (RFC 3986, section 3.2.2).

    Raises:
        ValueError: No request can have it; names in other scripts are sent as `xn--` ones.
    """
    match = HOST.fullmatch(text.lower())
    if match is None:
        raise ValueError(text)
    if match["six"]:
        ipaddress.IPv6Address(match["six"])
    port = match["port"]
    if port not in (None, "*") and not (
        re.fullmatch(r"[0-9]{1,5}", port) and 0 < int(port) <= MAX_PORT
    ):
        raise ValueError(text)
    return match[0]


def read_origin(text: str) -> str:
    """Return an origin as browsers send it: in lowercase, without the port of its scheme.

    Raises:
        ValueError: It is not an origin, or its port is `*`.
    """
    match = ORIGIN.fullmatch(text.lower())
    if match is None:
        raise ValueError(text)
    host = read_host(match["host"])
    name, port = HOST.fullmatch(host).group("name", "port")  # type: ignore[union-attr]
    if port == "*":
        raise ValueError(text)
    return f"{match['scheme']}://{name if port == DEFAULT_PORTS.get(match['scheme']) else host}"


def read_network(text: str) -> str:
    """Return an address, or a network without bits of a host. Raises ValueError."""
    if "/" in text:
        return str(ipaddress.ip_network(text, strict=False))
    return str(ipaddress.ip_address(text))


def is_loopback(host: str) -> bool:
    """Return whether only this machine responds under a name or address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# Tokens per character, at most: measured on random text with vocabularies of 100,000 and 200,000
# words. Plain English has half as many. Unlisted characters have one token per byte.
SPACE, LETTER, PUNCTUATION, ALPHABET, IDEOGRAM = 0.25, 0.55, 1.0, 1.0, 2.0
ALPHABETS = range(0xA0, 0x590)  # Latin, Greek, Cyrillic, Armenian
IDEOGRAMS = (range(0x3040, 0x3100), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4))


def max_tokens(text: str) -> float:
    """Return a number of tokens that no usual vocabulary exceeds; a token has at least one byte."""
    size = len(text.encode("utf-8", "replace"))
    return min(float(size), sum(_cost(char) * count for char, count in Counter(text).items()))


def _cost(char: str) -> float:
    if char.isascii():
        return LETTER if char.isalpha() else SPACE if char == " " else PUNCTUATION
    if ord(char) in ALPHABETS:
        return ALPHABET
    is_ideogram = any(ord(char) in block for block in IDEOGRAMS)
    return IDEOGRAM if is_ideogram else float(len(char.encode("utf-8", "surrogatepass")))
