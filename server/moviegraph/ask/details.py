"""Reads whole records by their keys."""

from collections.abc import Iterable
from dataclasses import dataclass

from moviegraph.ask.kinds import Key
from moviegraph.tool_client import Result, ToolClient, ToolFailedError


@dataclass(frozen=True, slots=True)
class Details:
    """Calls `get_records`, with at most as many ids at once as the server lists rows."""

    tools: ToolClient
    most: int

    async def read(self, keys: Iterable[Key]) -> dict[str, Result]:
        """Return the records of nodes by kind; a kind of which none is left is left out."""
        by_kind: dict[str, list[int]] = {}
        for kind, number in dict.fromkeys(keys):
            by_kind.setdefault(kind, []).append(number)
        found: dict[str, Result] = {}
        for kind, ids in by_kind.items():
            for start in range(0, len(ids), self.most):
                result = await self._some(kind, ids[start : start + self.most])
                if result is not None:
                    found.setdefault(kind, {**result, "rows": []})["rows"] += result["rows"]
        return found

    async def _some(self, kind: str, ids: list[int]) -> Result | None:
        try:
            return await self.tools.call("get_records", kind=kind, ids=ids, detail="concise")
        except ToolFailedError as error:
            if error.code == "not_found":
                return None
            raise
