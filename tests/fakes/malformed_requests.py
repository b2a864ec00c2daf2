"""Requests that no legitimate client sends, by family: bodies, headers, methods, paths, framing."""

import json
import os
import random
import re
from collections.abc import Iterator
from typing import Any

from fakes.http_clients import LEGACY, MODERN
from fakes.raw_http import head

JSON = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
}
HELLO = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}
Pair = tuple[str, str]
DEEP = 50_000
ROUNDS = int(os.environ.get("MOVIEGRAPH_FUZZ_ROUNDS", "300"))
SEED = int(os.environ.get("MOVIEGRAPH_FUZZ_SEED", "8"))
# What no answer may tell of how the server is made.
INSIDE = re.compile(
    r'Traceback|File "|\.py\b|site-packages|pydantic|validation error|input_value|JSONRPC[A-Z]|'
    r"starlette|anyio|duckdb|sqlite|/tmp/|/home/|/usr/|0x[0-9a-f]{8}|[A-Z][a-z]+(?:Error|Request)\b"
)


def message(method: str, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    request_message = {"jsonrpc": "2.0", "id": 1, "method": method}
    return request_message | {"params": {**(params or {}), "_meta": META}} | more


def request(
    address: str, body: bytes | str | dict[str, Any], headers: list[Pair] | None = None, **more: Any
) -> bytes:
    """Return a posted body with its correct length."""
    if isinstance(body, dict):
        body = json.dumps(body)
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    length = ("Content-Length", str(len(data)))
    return head(address, headers=[*(JSON if headers is None else headers), length], **more) + data


def modern(address: str, body: dict[str, Any], name: str | None = None) -> bytes:
    name_headers = [("Mcp-Name", name)] if name is not None else []
    report = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", str(body["method"]))]
    return request(address, body, [*JSON, *report, *name_headers])


def call(address: str, tool: str, arguments: Any) -> bytes:
    return modern(address, message("tools/call", {"name": tool, "arguments": arguments}), tool)


BODIES: dict[str, bytes | str] = {
    "empty": "",
    "cut": '{"jsonrpc":',
    "batch": json.dumps([message("tools/list")] * 3),
    "empty batch": "[]",
    "null": "null",
    "a number": "1",
    "a string": '"x"',
    "deep lists": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "deep parameters": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
    + "[" * 900
    + "]" * 900
    + "}}",
    "a huge integer": '{"jsonrpc":"2.0","id":' + "9" * 10_000 + ',"method":"ping"}',
    "a huge exponent": '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    "NaN": '{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    "duplicate members": '{"jsonrpc":"2.0","id":1,"method":"ping","id":2,"method":"tools/list"}',
    "a fraction as id": '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "true as id": '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "an object as id": '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "a surrogate as id": '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    "a surrogate as method": '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "surrogates as names": '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
    '{"name":"\\ud800","arguments":{"\\udc00":1}}}',
    "NUL escaped": '{"jsonrpc":"2.0","id":1,"method":"tools/list\\u0000"}',
    "NUL behind": '{"jsonrpc":"2.0","id":1,"method":"ping"}\x00',
    "a mark of byte order": '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}',
    "UTF-16": '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
    "a surrogate in UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    "version 1": '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    "no version": '{"id":1,"method":"ping"}',
    "a list as method": '{"jsonrpc":"2.0","id":1,"method":[]}',
    "a list as parameters": '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
    "a text as parameters": '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}',
    "a response": '{"jsonrpc":"2.0","id":1,"result":{}}',
    "an error": '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    "a text as _meta": '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":"x"}}',
    "beyond the limit": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
    + "y" * 1_000_000
    + '"}}',
}
HEADERS: dict[str, list[Pair]] = {
    "none": [],
    "no Accept": JSON[:1],
    "Accept garbage": [JSON[0], ("Accept", 'x/y;q="')],
    "text": [("Content-Type", "text/plain"), JSON[1]],
    "form": [("Content-Type", "application/x-www-form-urlencoded"), JSON[1]],
    "UTF-16": [("Content-Type", "application/json; charset=utf-16"), JSON[1]],
    "unknown version": [*JSON, ("MCP-Protocol-Version", "1999-01-01")],
    "version garbage": [*JSON, ("MCP-Protocol-Version", "'\"\udcff{}")],
    "two versions": [*JSON, ("MCP-Protocol-Version", MODERN), ("MCP-Protocol-Version", "x")],
    "other method": [*JSON, ("MCP-Protocol-Version", MODERN), ("Mcp-Method", "ping")],
    "method garbage": [*JSON, ("MCP-Protocol-Version", MODERN), ("Mcp-Method", "=?base64?!?=")],
    "forged session": [*JSON, ("Mcp-Session-Id", "f" * 32)],
    "session path": [*JSON, ("Mcp-Session-Id", "../../etc/passwd")],
    "session bytes": [*JSON, ("Mcp-Session-Id", "\udcff\udc80")],
    "session huge": [*JSON, ("Mcp-Session-Id", "s" * 30_000)],
    "huge": [*JSON, ("X-Huge", "a" * 60_000)],
    "many": [*JSON, *((f"X-{number}", "a") for number in range(1_000))],
    "expectation": [*JSON, ("Expect", "the unexpected")],
    "websocket": [*JSON, ("Connection", "Upgrade"), ("Upgrade", "websocket")],
    "HTTP/2": [*JSON, ("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c")],
    "other host": [("Host", "evil.example"), *JSON],
    "empty host": [("Host", ""), *JSON],
    "broken host": [("Host", "[::1"), *JSON],
    "other origin": [*JSON, ("Origin", "http://evil.example")],
    "null origin": [*JSON, ("Origin", "null")],
    "compressed": [*JSON, ("Content-Encoding", "gzip")],
    "stream resumed": [*JSON, ("Last-Event-ID", "../x")],
    "token garbage": [*JSON, ("Authorization", "Bearer \udcff")],
    "forwarded": [*JSON, ("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-Host", "evil.example")],
}
METHODS = ("DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "NONSENSE", "post", "P\x01ST")
PATHS = (
    *(
        "/ //mcp /mcp/ /mcp/../ /mcp/.. /%6dcp /mcp%2f /mcp%00 /mcp% /mcp?x=%ff /mcp;x /mcp#x"
    ).split(),
    *(
        "/%2e%2e/mcp /healthz/../mcp /mcp\\ http://evil.example/mcp * /%ff /../../etc/passwd"
    ).split(),
    "/.well-known/oauth-protected-resource/mcp",
    "/" + "a" * 50_000,
)
CALLS: dict[str, tuple[dict[str, Any], str | None]] = {
    "a list of arguments": (
        message("tools/call", {"name": "fix_sql", "arguments": []}),
        "fix_sql",
    ),
    "a number as tool": (message("tools/call", {"name": 5}), "5"),
    "an unknown tool": (message("tools/call", {"name": "__class__"}), "__class__"),
    "a file": (message("resources/read", {"uri": "file:///etc/passwd"}), "file:///etc/passwd"),
    "a way up": (
        message("resources/read", {"uri": "moviegraph://tables/..%2f..%2fetc"}),
        "moviegraph://tables/..%2f..%2fetc",
    ),
    "no address": (message("resources/read", {"uri": "::"}), "::"),
    "an unknown prompt": (message("prompts/get", {"name": "nope"}), "nope"),
    "a number as argument": (
        message("prompts/get", {"name": "research", "arguments": {"question": 5}}),
        "research",
    ),
    "no argument": (message("prompts/get", {"name": "research", "arguments": {}}), "research"),
    "no reference": (message("completion/complete", {"ref": {"type": "x"}}), None),
    "an unknown method": (message("no/such"), None),
    "no filter": (message("subscriptions/listen", {"x": 1}), None),
    "a cursor": (message("tools/list", {"cursor": "../x"}), None),
    "a level": (message("logging/setLevel", {"level": "debug"}), None),
}


def framings(address: str) -> Iterator[tuple[str, bytes]]:
    """Yield requests whose length is wrong, given twice or missing."""
    body = json.dumps(message("tools/list")).encode()

    def posted(*pairs: Pair) -> bytes:
        return head(address, headers=[*JSON, *pairs])

    chunked = ("Transfer-Encoding", "chunked")
    smuggled = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    yield "length and chunks", posted(("Content-Length", "5"), chunked) + smuggled
    yield "chunks and length", posted(chunked, ("Content-Length", "5")) + smuggled
    yield "two lengths", posted(("Content-Length", "5"), ("Content-Length", "6")) + b"abcdef"
    yield "a negative length", posted(("Content-Length", "-1")) + body
    yield "a signed length", posted(("Content-Length", "+5")) + body
    yield "a list of lengths", posted(("Content-Length", "5, 6")) + body
    yield "a huge length", posted(("Content-Length", "9" * 30))
    yield "a length beyond the limit", posted(("Content-Length", "2000000"))
    yield "an unknown coding", posted(("Transfer-Encoding", "x")) + body
    yield "two codings", posted(chunked, ("Transfer-Encoding", "identity")) + smuggled
    yield "a tab before a coding", posted(("Transfer-Encoding", "\tchunked,identity")) + smuggled
    yield "a broken chunk", posted(chunked) + b"zz\r\nabc"
    yield "a chunk cut short", posted(chunked) + b"5\r\nab"
    yield "a chunk of no end", posted(chunked) + b"f" * 30 + b"\r\nabc"
    yield "a long extension", posted(chunked) + b"1;" + b"a" * 70_000 + b"\r\nx\r\n0\r\n\r\n"
    yield "many chunks", posted(chunked) + b"1\r\n \r\n" * 20_000 + b"0\r\n\r\n"
    yield "a body cut short", posted(("Content-Length", "500")) + body[:20]
    yield "newlines alone", b"POST /mcp HTTP/1.1\nHost: x\nContent-Length: 0\n\n"
    yield "no host", b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n"
    yield "HTTP/1.0", b"POST /mcp HTTP/1.0\r\n\r\n"
    yield "HTTP/9", b"GET / HTTP/9.9\r\n\r\n"
    yield "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 500
    yield "a blank in a name", posted(("X : ", "y"), ("Content-Length", "0"))
    yield "a NUL in a header", posted(("X", "a\x00b"), ("Content-Length", "0"))
    yield "a folded header", posted(("X", "y\r\n z"), ("Content-Length", "0"))
    yield "a head cut short", b"POST /mcp HT"
    yield "nothing", b""


def mutations(seed: int, rounds: int) -> Iterator[bytes]:
    """Yield legitimate messages with some bytes or values changed."""
    chance = random.Random(seed)
    seeds = [
        message("tools/list"),
        message("initialize", HELLO),
        message("tools/call", {"name": "run_readonly_sql", "arguments": {"sql": "SELECT 1 AS a"}}),
        message("resources/read", {"uri": "moviegraph://stats"}),
        message("prompts/get", {"name": "research", "arguments": {"question": "soup"}}),
        message("completion/complete", {"ref": {"type": "ref/resource", "uri": "x"}}),
    ]
    for _ in range(rounds):
        choice = chance.choice(seeds)
        if chance.random() < 0.5:
            yield json.dumps(_mutate(choice, chance)).encode("utf-8", "surrogatepass")
        else:
            yield _bytes_changed(json.dumps(choice).encode(), chance)


def _mutate(value: Any, chance: random.Random) -> Any:
    odd = [None, True, -1, 2**70, 1e308, "", "\x00", "\ud800", [], {}, [[]], {"": {}}, "x" * 5_000]
    if chance.random() < 0.15:
        return chance.choice(odd)
    if isinstance(value, dict):
        return {name: _mutate(inner, chance) for name, inner in value.items()}
    return value


def _bytes_changed(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed))
        match chance.randrange(3):
            case 0:
                changed[at] = chance.randrange(256)
            case 1:
                del changed[at : at + chance.randint(1, 20)]
            case _:
                changed[at:at] = chance.randbytes(3)
        if not changed:
            break
    return bytes(changed)
