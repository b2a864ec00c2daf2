"""A refused statement as rules see it, and the edits that they propose."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, wraps
from types import FunctionType
from typing import cast

from sqlglot.errors import SqlglotError

from moviegraph.contract.model import Contract
from moviegraph.errors import Span
from moviegraph.repair.statement_tree import StatementTree, read_tree
from moviegraph.repair.tokens import (
    RawToken,
    TokenRange,
    closing_parenthesis,
    listed,
    past_parenthesis,
    split,
)
from moviegraph.sql.decision import Decision, RefusalError, Refused
from moviegraph.sql.guard import judge
from moviegraph.sql.lexer import Region, regions

TreeChange = Callable[[StatementTree], None]
MAX_SHOWN_CHARS = 160


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A half-open range of the text, and the text that replaces it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Correction:
    """The edits of one rule, and the reason why they keep the meaning."""

    edits: tuple[Edit, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Change:
    """One named change that a repair made."""

    rule: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """The statement after repair; without changes it is the one that was given.

    `rest` is what the guard still refuses if no rule helped.
    """

    sql: str
    changes: tuple[Change, ...] = ()
    rest: Refused | None = None


def without_overlaps(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits in order, without those that overlap an earlier one."""
    separate: list[Edit] = []
    for edit in sorted(edits):
        if not separate or edit.start >= separate[-1].end:
            separate.append(edit)
    return tuple(separate)


def apply(sql: str, edits: tuple[Edit, ...]) -> str:
    """Return the text with every edit made."""
    parts: list[str] = []
    index = 0
    for edit in edits:
        parts += [sql[index : edit.start], edit.text]
        index = edit.end
    return "".join([*parts, sql[index:]])


def describe_change(rule: str, sql: str, correction: Correction) -> Change:
    """Return the change as it is reported: the text around the edits, before and after."""
    edits = correction.edits
    start, end = edits[0].start, edits[-1].end
    if end - start <= MAX_SHOWN_CHARS:
        before = sql[start:end]
        moved = tuple(Edit(e.start - start, e.end - start, e.text) for e in edits)
        after = apply(before, moved)
    else:
        before = " ... ".join(sql[e.start : e.end] for e in edits if e.end > e.start)
        after = " ... ".join(e.text for e in edits if e.text)
    why = correction.why
    if (start, end) == (0, len(sql)):
        gone, new = _words_without(before, after), _words_without(after, before)
        before, after = _differing(before.split(), after.split())
        if gone and " " in before:
            why += f" Replaced: {gone}; new: {new or 'nothing'}."
    return Change(rule, _shown(before), _shown(after), why)


def _words_without(text: str, other: str) -> str:
    """Return the words and longer operators of a text that another does not have."""
    try:
        known = {token.upper for token in split(other)} | {"AS"}
        words = (token.text for token in split(text) if len(token.upper) > 1)
    except RefusalError:  # a string, name or comment does not end
        return ""
    return ", ".join(word for word in dict.fromkeys(words) if word.upper() not in known)


def _differing(before: list[str], after: list[str]) -> tuple[str, str]:
    """Return two statements without the words that they begin and end with in common."""
    before, after = ([word for word in words if word != "AS"] for words in (before, after))
    for _ in range(2):  # from the front, then from the back
        while before and after and before[0] == after[0]:
            before, after = before[1:], after[1:]
        before, after = before[::-1], after[::-1]
    return " ".join(before), " ".join(after)


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 2 * MAX_SHOWN_CHARS else f"{plain[: 2 * MAX_SHOWN_CHARS]}..."


def correct(edits: Iterable[Edit], why: str) -> Correction | None:
    """Return a correction of the edits that do not overlap, or None where there are none."""
    separate = without_overlaps(edits)
    return Correction(separate, why) if separate else None


@dataclass(frozen=True)
class CalledFunction:
    """A call `NAME(a, b)`: the index of the name, and the ranges of its arguments."""

    index: int
    last: int
    arguments: tuple[TokenRange, ...]


@dataclass
class RefusedStatement:
    """One statement that failed, as every rule sees it.

    `code`, `span` and `suggestions` are the refusal's; `accepted` is one that only an engine
    refused.
    """

    sql: str
    contract: Contract
    code: str = ""
    span: Span | None = None
    suggestions: tuple[str, ...] = ()
    accepted: bool = False
    decisions: dict[str, Decision] = field(
        default_factory=dict[str, Decision], compare=False, repr=False
    )

    def decide(self, text: str) -> Decision:
        """Return the decision of the guard on a text; each is validated once per repair."""
        if text not in self.decisions:
            self.decisions[text] = judge(text, self.contract)
        return self.decisions[text]

    @cached_property
    def readable(self) -> bool:
        """Return whether every string, name and comment ends."""
        try:
            split(self.sql)
        except RefusalError:
            return False
        return True

    @cached_property
    def tokens(self) -> tuple[RawToken, ...]:
        """The tokens of the text; none where it cannot be split."""
        try:
            return split(self.sql)
        except RefusalError:
            return ()

    @cached_property
    def masked(self) -> str:
        """The text in upper case, with x for a character of a literal, _ for one of a name.

        Comments are spaces; a text that cannot be split has none.
        """
        parts = [_masked(self.sql, part) for part in (regions(self.sql) if self.readable else ())]
        return "".join(parts)

    @cached_property
    def parsed(self) -> StatementTree | None:
        """The syntax tree, or None where the text has none."""
        return read_tree(self.sql, self.contract)

    @cached_property
    def _copies(self) -> list[StatementTree]:
        """Copies of the tree that a rule has left as they were."""
        return []

    def tree(self) -> StatementTree | None:
        """Return a syntax tree to change, or None where the text has none."""
        if not self._copies and self.parsed is not None:
            self._copies.append(self.parsed.copy())
        return self._copies.pop() if self._copies else None

    def rewritten(
        self, tree: StatementTree, why: str, *, faithful: bool = True
    ) -> Correction | None:
        """Return the correction that writes a changed tree, or None where nothing was changed.

        Args:
            tree: The tree that a rule has changed.
            why: The sentence that says why the change keeps the meaning.
            faithful: Whether the tree before the change must have the words of the statement.
        """
        parsed = self.parsed
        if parsed is None or parsed.is_same(tree):
            self._copies.append(tree)
            return None
        if faithful and not parsed.is_faithful():
            return None
        try:
            return correct([Edit(0, len(self.sql), tree.sql())], why)
        except SqlglotError:
            return None

    def upper(self, index: int) -> str:
        """Return the bare word or mark at an index in upper case, or ''."""
        return self._uppers[index] if 0 <= index < len(self._uppers) else ""

    @cached_property
    def _uppers(self) -> tuple[str, ...]:
        return tuple(token.upper for token in self.tokens)

    def call_at(self, index: int) -> CalledFunction | None:
        """Return the call that begins with a token, if it is one, and closed."""
        if self.tokens[index].kind != "word" or self.upper(index + 1) != "(":
            return None
        closing = closing_parenthesis(self.tokens, index + 1)
        if closing is None or self.upper(index - 1) == ".":
            return None
        arguments = listed(self.tokens, TokenRange(index + 2, closing))
        return CalledFunction(index, closing + 1, tuple(arguments))

    def words(self, first: int, *expected: str) -> bool:
        """Return whether the words are consecutive from an index on."""
        return all(self.upper(first + index) == word for index, word in enumerate(expected))

    def text(self, within: TokenRange) -> str:
        """Return the text of a range of tokens."""
        span_tokens = self.tokens[within.first : within.last]
        return self.sql[span_tokens[0].start : span_tokens[-1].end] if span_tokens else ""

    def start(self, index: int) -> int:
        """Return where a token begins; past the last one, where the text ends."""
        return self.tokens[index].start if index < len(self.tokens) else len(self.sql)

    def over(self, call: CalledFunction, text: str) -> Edit:
        """Return the edit that puts a text in the place of a whole call."""
        return Edit(self.start(call.index), self.tokens[call.last - 1].end, text)

    def calls(self, *names: str) -> Iterator[CalledFunction]:
        """Yield the calls of functions of these names (of any, without names)."""
        for index, name in enumerate(self._uppers):
            call = self.call_at(index) if not names or name in names else None
            if call is not None:
                yield call

    def operand_before(self, index: int) -> int:
        """Return the index at which the qualified name that ends before `index` begins."""
        current = index - 1
        while current > 1 and self.upper(current - 1) == "." and self.tokens[current - 2].is_name:
            current -= 2
        return max(current, 0)

    def operand_after(self, index: int) -> int:
        """Return the index past the operand that begins after `index`."""
        current = index + 1
        while self.upper(current + 1) == ".":
            current += 2
        if self.upper(current) != "(":
            current += 1
        past = past_parenthesis(self.tokens, current) if self.upper(current) == "(" else current
        return min(past, len(self.tokens))

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Lower-case names of tables, CTEs and select items, as far as tokens show them."""
        return frozenset(
            token.name.lower()
            for index, token in enumerate(self.tokens)
            if token.is_name
            and (self.upper(index - 1) == "AS" or self.upper(index + 1) in (".", "AS"))
        )

    def refuse(self, decision: Refused) -> None:
        """Take the reason of a refusal; the text stays."""
        self.code, self.span = decision.code, decision.span
        self.suggestions = decision.suggestions


def _masked(sql: str, part: Region) -> str:
    size = part.end - part.start
    if part.kind == "string":
        return f"'{'x' * (size - 2)}'"
    if part.kind == "code":
        code = sql[part.start : part.end]
        upper = code.upper()
        return upper if len(upper) == size else code
    return ("_" if part.kind == "name" else " ") * size


def flat(statement: RefusedStatement, within: TokenRange) -> list[int]:
    """Return the token indexes of a range outside parentheses."""
    indexes, index = list[int](), within.first
    while index < within.last:
        indexes.append(index)
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    return indexes


def tree_rule(why: str, *, faithful: bool = True) -> Callable[[TreeChange], FunctionType]:
    """Return a decorator that makes a rule of a function which changes a syntax tree.

    `why` says why the change keeps the meaning. If `faithful`, only a tree with the words of the
    statement is changed.
    """

    def decorate(change: TreeChange) -> FunctionType:
        @wraps(change)
        def rule(statement: RefusedStatement) -> Correction | None:
            tree = statement.tree()
            if tree is None:
                return None
            change(tree)
            return statement.rewritten(tree, why, faithful=faithful)

        return cast("FunctionType", rule)

    return decorate
