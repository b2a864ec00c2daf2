"""The steps of `ask` and `demo` as they happen."""

import textwrap
from collections.abc import Callable

from moviegraph.ask.evidence import failures
from moviegraph.ask.reasoner import Choice, Plan, Understanding
from moviegraph.llm.language_model import TokenUsage
from moviegraph.text import plural, printable
from moviegraph.tool_client import Result

MAX_CHARS = 300


class StepPrinter:
    """Printer of steps; text is from tools, except the sentences of the model.

    Args:
        write: Writes a line.
        width: Maximum width of lines, which are wrapped.
    """

    def __init__(self, write: Callable[[str], None], width: int = 1_000) -> None:
        self.write = write
        self._width = width

    def title(self, text: str) -> None:
        """Print the title of a step."""
        self._wrap(printable(text), "")

    def note(self, text: str, level: int = 1) -> None:
        """Print one line of a step."""
        line = printable(" ".join(text.split()))
        shortened = f"{line[:MAX_CHARS]}{'...' if len(line) > MAX_CHARS else ''}"
        self._wrap(shortened, "  " * level)

    def _wrap(self, line: str, indent: str) -> None:
        lines = textwrap.wrap(line, self._width, initial_indent=indent, subsequent_indent=indent)
        for part in lines:
            self.write(part)

    def context(self, context: Result) -> None:
        """Print the planning context of the question."""
        self.note(f"tables {', '.join(context['tables'])}")
        for entity in context["entities"]:
            words = entity["text"] or "semantic"
            self.note(f"{words}: {entity['kind']} {entity['id']} {entity['name']}")
        for note in context["notes"]:
            self.note(note)

    def understanding(self, understood: Understanding) -> None:
        """Print how the model analyzed the question."""
        for part in understood.parts:
            self.note(f"{part.id}: {part.text}")
        for name in understood.must_not:
            self.note(f"exclude: {name}")
        for gap in understood.unavailable:
            self.note(f"not in the graph: {gap}")

    def plan(self, plan: Plan) -> None:
        """Print the purpose of each call and strategy."""
        for step in (*plan.calls, *plan.strategies):
            self.note(f"{step.id}: {step.message_to_user}")

    def refused(self, reason: str) -> None:
        """Print why the server rejected a plan."""
        self.note(f"the plan was refused: {reason}")
        self.note("the model corrects it")

    def run(self, run: Result) -> None:
        """Print the outcome of each strategy, with every failed attempt."""
        for execution in run["executions"]:
            name = execution["strategy_id"]
            for failure in failures(execution):
                self.note(f"{name} failed: {failure}")
            rules = [attempt["rule"] for attempt in execution["attempts"] if attempt.get("rule")]
            if rules and execution["status"] != "failed":
                self.note(f"{name} repaired: {', '.join(rules)}")
            self.note(f"{name}: {_outcome(execution)}")
        self.note(f"best: {run['why']}")

    def choice(self, choice: Choice, run: Result) -> None:
        """Print the next step of the model."""
        strategy_ids = (
            execution["strategy_id"]
            for execution in run["executions"]
            if execution["execution_id"] == choice.execution_id
        )
        step = " ".join((choice.next, *list(strategy_ids)[:1]))
        self.note(f"next: {step}, because {choice.why}")

    def expansion(self, expanded: Result) -> None:
        """Print the result of an expansion."""
        self.note(expanded["chosen_because"])
        self.note(f"{plural(expanded['row_count'], 'row')}, {expanded['added']} of them new")

    def usage(self, usage: TokenUsage, of_server: int = 0) -> None:
        """Print requests and tokens of the model, with the share of the server."""
        if not usage.requests:
            return
        tokens = f"{plural(usage.prompt, 'token')} in, {usage.completion:,} out"
        if usage.silent:
            tokens = f"tokens not reported for {usage.silent}" + (
                f", plus {tokens}" if usage.tokens else ""
            )
        share = f", {of_server} of them to the server" if of_server else ""
        self.title(f"Model: {plural(usage.requests, 'response')}{share}; {tokens}")


def _outcome(execution: Result) -> str:
    quality = execution["quality"]
    score = f", score {quality['score']:.2f}" if quality else ""
    return f"{execution['status']}, {plural(execution['row_count'], 'row')}{score}"
