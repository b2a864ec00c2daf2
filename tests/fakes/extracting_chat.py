"""A language model for extraction: its mentions are scripted by the title of the text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NamedEvidence = Sequence[tuple[str, str]]
Lists = Mapping[str, NamedEvidence]
ScriptedAnswer = Lists | str | dict[str, Any]
NUMBER = re.compile(r'^\{"number": (\d+)', re.MULTILINE)
TITLE = re.compile(r"<title>\n(.*?)\n</title>", re.DOTALL)


@dataclass
class ExtractingChat:
    """Answers questions about texts by their title, and those that follow as a good model would.

    `said` holds lists of (name, evidence) by edge, or an answer as it is; a text that it does not
    know names nothing. `asked` holds the shapes asked for, with the title or the name.
    """

    said: Mapping[str, ScriptedAnswer] = field(default_factory=dict[str, ScriptedAnswer])
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def __call__(self, body: dict[str, Any]) -> str | dict[str, Any]:
        shape = body["response_format"]["json_schema"]
        prompt = body["messages"][1]["content"]
        if shape["name"] == "Extraction":
            return self._read(prompt, list(shape["schema"]["properties"]))
        self.asked.append((shape["name"], ""))
        if shape["name"] == "SameNames":
            same = list(self._together(prompt)) if '"title": ' in prompt else []
            return json.dumps({"same": same})
        text = "It is what stories of this collection turn to again."
        numbers = range(1, prompt.count('{"number": ') + 1)
        return json.dumps({"texts": [{"number": number, "text": text} for number in numbers]})

    def _together(self, prompt: str) -> Iterator[dict[str, Any]]:
        """Yield the titles of each paragraph, as one series that the first one names."""
        for paragraph in prompt.split("\n\n"):
            numbers = [int(number) for number in NUMBER.findall(paragraph)]
            yield {"numbers": numbers, "canonical": numbers[0]}

    @property
    def titles(self) -> list[str]:
        """The titles of the texts that were read, in order."""
        return [title for shape, title in self.asked if shape == "Extraction"]

    def _read(self, prompt: str, edges: list[str]) -> str | dict[str, Any]:
        match = TITLE.search(prompt)
        assert match, "the title reaches the model"
        self.asked.append(("Extraction", match[1]))
        reply = self.said.get(match[1], {})
        if isinstance(reply, str) or "refusal" in reply or "content" in reply:
            return reply if isinstance(reply, str) else dict(reply)
        return extraction(edges, reply)


def extraction(edges: Sequence[str], said: Mapping[str, Any]) -> str:
    """Return an answer with a list for each edge."""
    lists = {
        edge: [{"name": name, "evidence": evidence} for name, evidence in said.get(edge, ())]
        for edge in edges
    }
    return json.dumps(lists)
