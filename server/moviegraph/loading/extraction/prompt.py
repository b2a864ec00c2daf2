"""The prompts of extraction: files of the package, filled from the contract and the texts.

They stand in a folder of their own, because those above it are offered to clients.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moviegraph.content import content_folder
from moviegraph.contract.placeholders import PLACEHOLDER, fill
from moviegraph.errors import ContractError

FOLDER = "load"
MARK = "\n---\n"
TAG = re.compile(r"^<(\w+)>$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoadingPrompt:
    """What is said to the model once (system) and of each text (user), with placeholders.

    Attributes:
        name: Name of the file.
        version: Name and digest of the file, so that no change of words goes unseen.
        system: The task.
        user: What it is to be done with.
    """

    name: str
    version: str
    system: str
    user: str

    def of_task(self, values: Mapping[str, str]) -> str:
        """Return the task with its values. Raises ContractError where names do not agree."""
        return self._filled(self.system, values)

    def of_text(self, values: Mapping[str, str]) -> str:
        """Return the rest with its values. Raises ContractError where names do not agree.

        No value can end or open one of the tags that it stands between.
        """
        tags = "|".join(TAG.findall(self.user))
        opening = re.compile(rf"<(?=\s*/?\s*(?:{tags})\b)", re.IGNORECASE)
        fenced = {
            name: opening.sub("\u2039", value) if tags else value for name, value in values.items()
        }
        return self._filled(self.user, fenced)

    def _filled(self, template: str, values: Mapping[str, str]) -> str:
        unused = sorted(set(values) - set(PLACEHOLDER.findall(template)))
        if unused:
            raise ContractError(
                f"prompts/{FOLDER}/{self.name}.md does not use {{{{{unused[0]}}}}}."
            )
        return fill(template, values)


def loading_prompt(name: str, folder: Path | None = None) -> LoadingPrompt:
    """Return a prompt of this installation. Raises ContractError."""
    path = (folder or content_folder("prompts") / FOLDER) / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ContractError(f"prompts/{FOLDER}/{name}.md cannot be read.") from error
    system, mark, user = text.partition(MARK)
    if not mark:
        raise ContractError(f"prompts/{FOLDER}/{name}.md has no line of --- between its parts.")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return LoadingPrompt(name, f"{name}-{digest}", system.strip(), user.strip())
