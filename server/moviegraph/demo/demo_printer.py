"""Printer of the demo: 80 columns, color on a terminal, plain when piped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from moviegraph.text import plural
from moviegraph.tool_client import Result

if TYPE_CHECKING:
    from moviegraph.demo.scenario import Film

WIDTH = 80
INDENT = 6


class DemoPrinter:
    """Printer of one demo, which numbers its steps."""

    def __init__(self, console: Console | None = None, *, has_options: bool = False) -> None:
        self.console = console or Console(width=WIDTH, highlight=False)
        self.has_options = has_options
        self.steps = 0

    def question(self, text: str) -> None:
        """Print the question."""
        self._line(f"[bold]Question[/bold]  {escape(text)}")

    def step(self, name: str, result: Result) -> None:
        """Print one step."""
        printers = {
            "context": self._context,
            "strategies": self._strategies,
            "expansion": self._expansion,
            "likeness": self._likeness,
            "search": self._search,
            "shared": self._shared,
            "exclusion": self._exclusion,
        }
        if name in printers:
            printers[name](result)

    def films(self, films: list[Film]) -> None:
        """Print the answer: each record with what it shares with the seen ones."""
        self._title("What to watch next", "run_readonly_sql for the reasons")
        if not films:
            self._line("  Nothing in this graph is similar to the films that were seen.")
        for number, film in enumerate(films, 1):
            year = f" ({film.year})" if film.year else ""
            self._line(f"  [bold cyan]{number:>2}. {escape(film.name)}{year}[/bold cyan]")
            self._inset(f"[dim]{escape(_first_sentence(film.content))}[/dim]")
            for label, shared in film.shares.items():
                self._inset(f"{label}: {escape(shared)}")
            self._inset(f"[dim]found by: {escape(', '.join(film.found_by))}[/dim]")

    def _context(self, result: Result) -> None:
        self._title("Planning context", "get_planning_context")
        self._inset(f"tables: {escape(', '.join(result['tables']))}")
        for entity in result["entities"]:
            words = entity["text"] or "semantic"
            node = f"{entity['kind']} {entity['id']} {entity['name']}"
            edges = plural(entity["linked"], "edge")
            self._inset(f"{escape(words)}: {escape(node)} ({edges})")
        for example in result["examples"]:
            self._inset(f"[dim]example: {escape(example['question'])}[/dim]")

    def _strategies(self, result: Result) -> None:
        executions: list[dict[str, Any]] = result["executions"]
        number = plural(len(executions), "strategy", "strategies")
        self._title(f"{number} in one call", "run_strategies")
        for execution in executions:
            name, purpose = execution["strategy_id"], execution["message_to_user"]
            self._inset(f"[bold]{escape(name)}[/bold]: {escape(purpose)}")
        self.console.print()
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
        for heading in ("strategy", "status"):
            table.add_column(heading)
        for heading in ("rows", "similar", "agree", "new", "score"):
            table.add_column(heading, justify="right")
        for execution in executions:
            is_best = execution["execution_id"] == result["best"]
            table.add_row(*_execution_cells(execution, is_best=is_best))
        self.console.print(Padding(table, (0, 0, 0, 2)))
        self.console.print()
        for execution in executions:
            self._repairs(execution)
        self._inset(f"[green]best[/green]: {escape(result['why'])}")
        fused = len(result["fused"]["rows"])
        self._inset(
            f"fused by reciprocal rank: {plural(fused, 'record')}, each with the strategies that "
            "found it"
        )

    def _repairs(self, execution: Result) -> None:
        for attempt in execution["attempts"]:
            if attempt.get("code"):
                self._inset(
                    f"[yellow]{escape(execution['strategy_id'])} failed[/yellow] "
                    f"({attempt['code']}): {escape(attempt['message'])}"
                )
        rules = [attempt["rule"] for attempt in execution["attempts"] if attempt.get("rule")]
        if rules and execution["status"] != "failed":
            self._inset(f"[green]repaired[/green] by rule: {escape(', '.join(rules))}")

    def _expansion(self, result: Result) -> None:
        self._title("Expand the best strategy", "expand_strategy")
        self._inset(escape(result["chosen_because"]))
        self._inset(f"{plural(result['row_count'], 'row')}, {result['added']} of them new")

    def _likeness(self, result: Result) -> None:
        self._title("Shorter: like and exclude", "semantic_search")
        self._inset(f"like {escape(result['seen'])}, exclude {escape(result['seen'])}")
        self._nodes(result)

    def _search(self, result: Result) -> None:
        self._title("Semantic, full-text and link search", result["tool"])
        self._inset(f"query: {escape(result['text'])}")
        self._nodes(result)

    def _shared(self, result: Result) -> None:
        self._title(f"Nodes that share {result['edge']} with {result['name']}", "graph_traverse")
        for name, via in result["rows"]:
            self._inset(f"[bold cyan]{escape(name)}[/bold cyan]  {escape(via or '')}")
        if not result["rows"]:
            self._inset("No results.")

    def _exclusion(self, result: Result) -> None:
        self._title(f"The same search without {result['name']}", f"{result['tool']} with exclude")
        self._nodes(result)

    def _nodes(self, result: Result) -> None:
        """Print names, best first, and the notes of the tool."""
        for number, name in enumerate(result["nodes"], 1):
            self._inset(f"[bold cyan]{number}. {escape(name)}[/bold cyan]")
        if not result["nodes"]:
            self._inset("No results.")
        for note in result.get("notes", ()):
            self._inset(f"[dim]{escape(note)}[/dim]")

    def next_steps(self) -> None:
        """Print where the calls were recorded, and what to do next."""
        serve = "moviegraph serve" + (", with the options of this demo" if self.has_options else "")
        self.console.print()
        self._line("[bold]Next[/bold]")
        self._line("  See these calls        moviegraph journal, or moviegraph journal --web")
        self._line("  Connect a client       docs/guides/clients.md in the repository; it runs")
        self._line(f"                         {serve}")
        self._line("  Serve your own data    moviegraph init FILE --into FOLDER")

    def _title(self, text: str, tool: str) -> None:
        self.steps += 1
        self.console.print()
        self._line(f"[bold]{self.steps}. {escape(text)}[/bold]  [dim]{tool}[/dim]")

    def _inset(self, markup: str) -> None:
        """Print wrapped and indented, without trailing spaces."""
        text = Text.from_markup(markup)
        for line in text.wrap(self.console, self.console.width - INDENT):
            line.rstrip()
            self._line(Text(" " * INDENT).append_text(line))

    def _line(self, text: str | Text) -> None:
        self.console.print(text)


def _execution_cells(execution: Result, *, is_best: bool) -> tuple[str, ...]:
    quality: Result = execution.get("quality") or {}
    status = execution["status"]
    color = {"ok": "green", "empty": "yellow", "failed": "red"}[status]
    name = escape(execution["strategy_id"])
    return (
        f"[bold]{name}[/bold]" if is_best else name,
        f"[{color}]{status}[/{color}]",
        str(execution["row_count"]),
        *(_number(quality.get(key)) for key in ("similarity", "agreement", "novelty", "score")),
    )


def _number(value: Any) -> str:
    return "-" if value is None else f"{float(value):.2f}"


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]
