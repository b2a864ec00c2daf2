"""Walks a question through a running server, as any MCP client would; every fact is a tool's."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp import Client

from moviegraph.demo.walkthrough import IdList, Walkthrough
from moviegraph.tool_client import Result, ToolClient, records

SHOWN = 10
CANDIDATES = 20
EXPANDED = 60
LIKE_TOP = 5
OnStep = Callable[[str, Result], None]


@dataclass(frozen=True, slots=True)
class Film:
    """One record of the answer, with what it shares with the seen ones, by label."""

    id: int
    name: str
    year: int | None
    content: str
    found_by: tuple[str, ...]
    shares: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Tour:
    """One walk; `on_step` is told each step's name and result as it is done."""

    client: Client
    plan: Walkthrough
    on_step: OnStep

    async def walk(self) -> list[Film]:
        """Ask, plan, run, expand and explain; return the records found, best first."""
        question = self.plan.question
        context = await self._call("get_planning_context", question=question)
        self.on_step("context", context)
        run = await self._call(
            "run_strategies",
            question=question,
            strategies=[each.model_dump() for each in self.plan.strategies],
        )
        self.on_step("strategies", run)
        expanded = await self._expand(run)
        self.on_step("likeness", await self._likeness())
        films = await self._films(run, expanded)
        self.on_step("films", {"count": len(films)})
        return films

    async def _call(self, tool: str, **arguments: Any) -> Result:
        return await ToolClient(self.client).call(tool, **arguments)

    async def _expand(self, run: Result) -> Result:
        if run.get("best") is None:
            return {"columns": [], "rows": []}
        expanded = await self._call("expand_strategy", execution_id=run["best"], top=EXPANDED)
        self.on_step("expansion", expanded)
        return expanded

    async def _likeness(self) -> Result:
        """Return what one call finds that names the seen series in `like` and in `exclude`."""
        seen = [f"{self.plan.seen_kind}:{self.plan.seen}"]
        result = await self._call("semantic_search", like=seen, exclude=seen, top=LIKE_TOP)
        names = [row["Name"] for row in records(result)]
        return {"seen": seen[0], "nodes": names, "notes": result["notes"]}

    async def _films(self, run: Result, expanded: Result) -> list[Film]:
        """Read the candidates, fused ones first, and keep those that were not seen."""
        found = self._candidates(run, expanded)
        ids = IdList(tuple(found)[:CANDIDATES])
        if not ids.ids:
            return []
        answer = await self._call("run_readonly_sql", sql=ids.into(self.plan.films.command))
        rows = {row["Id"]: row for row in records(answer) if row["Series"] != self.plan.seen}
        kept = IdList(tuple(each for each in ids.ids if each in rows)[:SHOWN])
        shares = {label: await self._shares(label, kept) for label in self._labels()}
        return [
            Film(
                id=each,
                name=rows[each]["Name"],
                year=rows[each]["ReleaseYear"],
                content=rows[each]["Content"],
                found_by=found[each],
                shares={label: by[each] for label, by in shares.items() if each in by},
            )
            for each in kept.ids
        ]

    def _candidates(self, run: Result, expanded: Result) -> dict[int, tuple[str, ...]]:
        """Return ids with the strategies that found them, in the order of the fused list."""
        films: dict[int, tuple[str, ...]] = {}
        for row in records(run["fused"]):
            if row["Kind"] == self.plan.kind:
                by = row["FoundBy"]
                films[row["Id"]] = tuple(by.split(", ")) if isinstance(by, str) else tuple(by)
        for row in records(expanded):
            films.setdefault(row["Id"], ("expansion",))
        return films

    def _labels(self) -> tuple[str, ...]:
        return tuple(reason.label for reason in self.plan.reasons)

    async def _shares(self, label: str, ids: IdList) -> dict[int, str]:
        if not ids.ids:
            return {}
        reason = next(each for each in self.plan.reasons if each.label == label)
        arguments = {"query": reason.query} if reason.query else {}
        answer = await self._call("run_readonly_sql", sql=ids.into(reason.command), **arguments)
        return {row["Id"]: row["Shared"] for row in records(answer)}
