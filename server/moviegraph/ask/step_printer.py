"""The steps of `ask` as they happen, one line each."""

from collections.abc import Callable

from moviegraph.ask.evidence import failures
from moviegraph.ask.reasoner import Choice, Plan, Understanding
from moviegraph.llm.language_model import TokenUsage
from moviegraph.text import plural, printable
from moviegraph.tool_client import Result

MAX_CHARS = 300


class StepPrinter:
    """Where steps are printed; everything but the model's own sentences is a tool's."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def title(self, text: str) -> None:
        """Print the head of a step."""
        self._write(printable(text))

    def note(self, text: str) -> None:
        """Print one line of a step."""
        line = printable(" ".join(text.split()))
        self._write(f"  {line[:MAX_CHARS]}{'...' if len(line) > MAX_CHARS else ''}")

    def context(self, context: Result) -> None:
        """Print what the server knows about the words of the question."""
        self.title("Context")
        self.note(f"tables {', '.join(context['tables'])}")
        for each in context["entities"]:
            words = each["text"] or "semantic"
            self.note(f"{words}: {each['kind']} {each['id']} {each['name']}")
        for note in context["notes"]:
            self.note(note)

    def understanding(self, understood: Understanding) -> None:
        """Print how the model takes the question apart."""
        for part in understood.parts:
            self.note(f"{part.id}: {part.text}")
        for what in understood.must_not:
            self.note(f"exclude: {what}")
        for gap in understood.unavailable:
            self.note(f"not in the graph: {gap}")

    def plan(self, plan: Plan) -> None:
        """Print what each strategy tries."""
        for each in plan.strategies:
            self.note(f"{each.id}: {each.message_to_user}")

    def refused(self, because: str) -> None:
        """Print why the server refused a plan."""
        self.note(f"the plan was refused: {because}")
        self.note("the model is asked again")

    def run(self, run: Result) -> None:
        """Print what became of each strategy, with every attempt that failed."""
        for each in run["executions"]:
            for failure in failures(each):
                self.note(f"{each['strategy_id']} failed: {failure}")
            rules = [attempt["rule"] for attempt in each["attempts"] if attempt.get("rule")]
            if rules and each["status"] != "failed":
                self.note(f"{each['strategy_id']} repaired: {', '.join(rules)}")
            self.note(f"{each['strategy_id']}: {_became(each)}")
        self.note(f"best: {run['why']}")

    def choice(self, choice: Choice, run: Result) -> None:
        """Print what the model wants next."""
        chosen = (
            each["strategy_id"]
            for each in run["executions"]
            if each["execution_id"] == choice.execution_id
        )
        what = " ".join((choice.next, *list(chosen)[:1]))
        self.note(f"next: {what}, because {choice.why}")

    def expansion(self, expanded: Result) -> None:
        """Print what expanding brought."""
        self.title("Expansion")
        self.note(expanded["chosen_because"])
        self.note(f"{plural(expanded['row_count'], 'row')}, {expanded['added']} of them new")

    def usage(self, usage: TokenUsage, of_server: int = 0) -> None:
        """Print what the model was asked, and how much of it by the server."""
        if not usage.requests:
            return
        tokens = f"{plural(usage.prompt, 'token')} in, {usage.completion:,} out"
        if usage.silent:
            tokens = f"tokens not reported for {usage.silent}" + (
                f", plus {tokens}" if usage.tokens else ""
            )
        share = f", {of_server} of them to the server" if of_server else ""
        self.title(f"Model: {plural(usage.requests, 'response')}{share}; {tokens}")


def _became(execution: Result) -> str:
    quality = execution["quality"]
    score = f", score {quality['score']:.2f}" if quality else ""
    return f"{execution['status']}, {plural(execution['row_count'], 'row')}{score}"
