"""A scripted model that plans, chooses and composes answers."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

ScriptedAnswer = str | dict[str, Any] | Callable[[str], Any]
SHAPE = re.compile(r'"title": "(Understanding|Plan|Choice|Composition|Rewrite)"')


@dataclass
class ScriptedChat:
    """Answers by the shape that is asked for: its answers in turn, and the last one for ever.

    A callable answer is given the prompt; a shape without answers is declined. `prompts` holds
    what was asked, by shape.
    """

    answers: dict[str, list[ScriptedAnswer]]
    prompts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __call__(self, body: dict[str, Any]) -> str | dict[str, Any]:
        shape = _shape(body)
        prompt = body["messages"][1]["content"]
        self.prompts.setdefault(shape, []).append(prompt)
        answers = self.answers.get(shape, [{"refusal": "This is not in the script."}])
        reply = answers.pop(0) if len(answers) > 1 else answers[0]
        return reply(prompt) if callable(reply) else reply


def _shape(body: dict[str, Any]) -> str:
    response_schema = body.get("response_format", {}).get("json_schema")
    if response_schema:
        return response_schema["name"]
    match = SHAPE.search(body["messages"][0]["content"])
    assert match, "no schema was sent"
    return match[1]


def understanding(
    *parts: str, must_not: Sequence[str] = (), unavailable: Sequence[str] = ()
) -> str:
    return json.dumps(
        {
            "question": "...",
            "interpretations": [],
            "must_not": list(must_not),
            "unavailable": list(unavailable),
            "route": "mixed",
            "parts": [{"id": f"p{n}", "text": text} for n, text in enumerate(parts, 1)],
        }
    )


def called(**calls: tuple[str, dict[str, Any]]) -> str:
    """Return a plan of calls by id: a tool with its arguments."""
    return json.dumps(
        {
            "calls": [
                {
                    "id": name,
                    "message_to_user": f"Trying {name}",
                    "tool": tool,
                    "arguments": json.dumps(arguments),
                }
                for name, (tool, arguments) in calls.items()
            ],
            "strategies": [],
        }
    )


def plan(**strategies: str | tuple[str, str]) -> str:
    """Return strategies by id: a command, or a command with its query."""
    pairs = [
        (name, (strategy, None) if isinstance(strategy, str) else strategy)
        for name, strategy in strategies.items()
    ]
    return json.dumps(
        {
            "strategies": [
                {"id": name, "message_to_user": f"Trying {name}", "query": query, "command": sql}
                for name, (sql, query) in pairs
            ]
        }
    )


def choice(what: str, execution_of: str | None = None, missing: str = "") -> Callable[[str], str]:
    """Return a choice, of the execution of the strategy named."""

    def reply_to(prompt: str) -> str:
        match = re.search(rf'"strategy_id":"{execution_of}","execution_id":"(\w+)"', prompt)
        chosen = match[1] if match else execution_of
        arguments = {"next": what, "execution_id": chosen, "why": "it fits", "missing": missing}
        return json.dumps(arguments)

    return reply_to


def composition(
    text: str, *records: tuple[str, int], answered: bool = True, missing: str | None = None
) -> str:
    cited = [{"kind": kind, "id": number, "reason": "It fits."} for kind, number in records]
    return json.dumps({"answered": answered, "text": text, "records": cited, "missing": missing})
