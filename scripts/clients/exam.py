"""Puts a framework's connection to a server through the plan, and says what a model saw."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from clients.calls import PLAN, Call


@dataclass(frozen=True)
class Seen:
    """What a model is shown of an answer, and whether it is told that the call failed."""

    shown: Any
    failed: bool

    @property
    def text(self) -> str:
        """All of it as one text."""
        if isinstance(self.shown, str):
            return self.shown
        return json.dumps(self.shown, ensure_ascii=False, default=str)


class NotOffered(Exception):
    """The framework has no way to do it."""


class Connection(Protocol):
    """A framework connected to a server."""

    async def tools(self) -> list[str]: ...
    async def call(self, tool: str, arguments: dict[str, Any]) -> Seen: ...
    async def prompts(self) -> list[str]: ...
    async def prompt(self, name: str, arguments: dict[str, str]) -> str: ...
    async def resources(self) -> list[str]: ...
    async def read(self, uri: str) -> str: ...


@dataclass
class Marks:
    """What held, what did not and why, what the framework cannot do, and what a model saw."""

    held: list[str]
    failed: dict[str, str]
    not_offered: list[str]
    channels: dict[str, str]

    async def take(self, name: str, work: Callable[[], Awaitable[str]]) -> None:
        """Do one thing; the work returns what is wrong, or nothing."""
        try:
            wrong = await work()
        except NotOffered:
            self.not_offered.append(name)
            return
        except Exception as error:  # noqa: BLE001 - whatever a framework raises is its mark
            wrong = f"{type(error).__name__}: {error}"[:600]
        if wrong:
            self.failed[name] = wrong
        else:
            self.held.append(name)


async def examine(connection: Connection) -> Marks:
    """Do all of the plan over one connection."""
    marks = Marks([], {}, [], {})
    await marks.take("list tools", lambda: _same(PLAN.tools, connection.tools))
    for call in PLAN.calls:
        name = f"refused {call.tool}" if call.fails else call.tool
        await marks.take(name, lambda call=call: _called(connection, call, marks))
    await marks.take("list prompts", lambda: _same(PLAN.prompts, connection.prompts))
    await marks.take("get prompt", lambda: _prompted(connection))
    await marks.take("list resources", lambda: _among(PLAN.resources, connection.resources))
    for uri, words in PLAN.read.items():
        await marks.take(f"read {uri}", lambda uri=uri, words=words: _read(connection, uri, words))
    return marks


async def _same(wanted: tuple[str, ...], listing: Callable[[], Awaitable[list[str]]]) -> str:
    result = await listing()
    lacking = sorted(set(wanted) - set(result))
    more = sorted(set(result) - set(wanted))
    return f"lacks {lacking}, has also {more}" if lacking or more else ""


async def _among(wanted: tuple[str, ...], listing: Callable[[], Awaitable[list[str]]]) -> str:
    lacking = sorted(set(wanted) - set(await listing()))
    return f"lacks {lacking}" if lacking else ""


async def _called(connection: Connection, call: Call, marks: Marks) -> str:
    seen = await connection.call(call.tool, call.arguments)
    if seen.failed != call.fails:
        return f"the model is told that it {'failed' if seen.failed else 'went well'}: {seen.text}"
    marks.channels["error" if call.fails else "result"] = channel(seen.text)
    return _lacking(seen.text, call.words)


async def _prompted(connection: Connection) -> str:
    text = await connection.prompt(PLAN.prompt.name, PLAN.prompt.arguments)
    return _lacking(text, PLAN.prompt.words)


async def _read(connection: Connection, uri: str, words: tuple[str, ...]) -> str:
    return _lacking(await connection.read(uri), words)


def _lacking(text: str, words: tuple[str, ...]) -> str:
    lacking = [word for word in words if word not in text]
    return f"{lacking} not in {text[:300]!r}" if lacking else ""


def channel(text: str) -> str:
    """Say which part of a result a model was shown, by the form that only one of them has."""
    bare = text.replace("\\", "").replace(" ", "")
    marks = {
        "text": ("columns:[", "not_select:", "not_found:"),
        "structured": ('"columns":[', '"error":{"code"', "'error':{'code'"),
    }
    result = [name for name, forms in marks.items() if any(form in bare for form in forms)]
    return " and ".join(result) or "?"
