"""Where a person reads a record: an address made from the operator's template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from moviegraph.search.connector import Reference


@dataclass(frozen=True, slots=True)
class Permalink:
    """A template with `{kind}`, `{id}` and `{name}`; what is put into it is percent-encoded."""

    template: str

    def of(self, reference: Reference) -> str:
        """Return the address of a record."""
        address = self.template.replace("{kind}", quote(reference.kind.lower(), safe=""))
        address = address.replace("{id}", str(reference.key))
        return address.replace("{name}", quote(reference.title, safe=""))
