"""Checks of a framework's connection to a server, and what its model receives."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from clients.calls import PLAN, Call


@dataclass(frozen=True)
class ModelView:
    """Content that a model receives for a call, and whether the framework marks it as failed."""

    content: Any
    failed: bool

    @property
    def text(self) -> str:
        """The content as one text."""
        if isinstance(self.content, str):
            return self.content
        return json.dumps(self.content, ensure_ascii=False, default=str)


class NotOffered(Exception):
    """The framework does not support the operation."""


class Connection(Protocol):
    """A framework connected to a server."""

    async def tools(self) -> list[str]: ...
    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView: ...
    async def prompts(self) -> list[str]: ...
    async def prompt(self, name: str, arguments: dict[str, str]) -> str: ...
    async def resources(self) -> list[str]: ...
    async def read(self, uri: str) -> str: ...


@dataclass
class Outcomes:
    """Checks by outcome, a reason for each failure, and the parts of results that models see."""

    passed: list[str]
    failed: dict[str, str]
    not_offered: list[str]
    channels: dict[str, str]

    async def record(self, name: str, check: Callable[[], Awaitable[str]]) -> None:
        """Run one check, which returns its problem or nothing."""
        try:
            problem = await check()
        except NotOffered:
            self.not_offered.append(name)
            return
        except Exception as error:  # noqa: BLE001 - any exception of a framework is a failed check
            problem = f"{type(error).__name__}: {error}"[:600]
        if problem:
            self.failed[name] = problem
        else:
            self.passed.append(name)


async def examine(connection: Connection) -> Outcomes:
    """Run all checks of the plan over one connection."""
    outcomes = Outcomes([], {}, [], {})
    await outcomes.record("list tools", lambda: _list_difference(PLAN.tools, connection.tools))
    for call in PLAN.calls:
        name = f"refused {call.tool}" if call.fails else call.tool
        await outcomes.record(name, lambda call=call: _check_call(connection, call, outcomes))
    await outcomes.record(
        "list prompts", lambda: _list_difference(PLAN.prompts, connection.prompts)
    )
    await outcomes.record("get prompt", lambda: _check_prompt(connection))
    await outcomes.record(
        "list resources", lambda: _missing_items(PLAN.resources, connection.resources)
    )
    for uri, words in PLAN.read.items():
        await outcomes.record(
            f"read {uri}", lambda uri=uri, words=words: _check_resource(connection, uri, words)
        )
    return outcomes


async def _list_difference(
    expected: tuple[str, ...], listing: Callable[[], Awaitable[list[str]]]
) -> str:
    names = await listing()
    lacking = sorted(set(expected) - set(names))
    extra = sorted(set(names) - set(expected))
    return f"lacks {lacking}, also has {extra}" if lacking or extra else ""


async def _missing_items(
    expected: tuple[str, ...], listing: Callable[[], Awaitable[list[str]]]
) -> str:
    lacking = sorted(set(expected) - set(await listing()))
    return f"lacks {lacking}" if lacking else ""


async def _check_call(connection: Connection, call: Call, outcomes: Outcomes) -> str:
    view = await connection.call(call.tool, call.arguments)
    if view.failed != call.fails:
        return f"the model sees {'failure' if view.failed else 'success'}: {view.text}"
    outcomes.channels["error" if call.fails else "result"] = channel(view.text)
    return _missing_words(view.text, call.words)


async def _check_prompt(connection: Connection) -> str:
    text = await connection.prompt(PLAN.prompt.name, PLAN.prompt.arguments)
    return _missing_words(text, PLAN.prompt.words)


async def _check_resource(connection: Connection, uri: str, words: tuple[str, ...]) -> str:
    return _missing_words(await connection.read(uri), words)


def _missing_words(text: str, words: tuple[str, ...]) -> str:
    lacking = [word for word in words if word not in text]
    return f"{lacking} not in {text[:300]!r}" if lacking else ""


def channel(text: str) -> str:
    """Return which part of a result the model received, by forms that only one of them has."""
    compact = text.replace("\\", "").replace(" ", "")
    forms_of = {
        "text": ("columns:[", "not_select:", "not_found:"),
        "structured": ('"columns":[', '"error":{"code"', "'error':{'code'"),
    }
    channels = [name for name, forms in forms_of.items() if any(form in compact for form in forms)]
    return " and ".join(channels) or "?"
