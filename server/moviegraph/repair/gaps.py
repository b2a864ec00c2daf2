"""Where two operands meet with nothing between them: the word or mark that T-SQL needs there."""

from dataclasses import dataclass, field

from moviegraph.repair.outline import past_parenthesis
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.reserved import RESERVED

SIGNS = frozenset("= < > <= >= <> != LIKE BETWEEN IN".split())
CONDITIONS = frozenset({"WHERE", "HAVING", "ON", "WHEN"})
LISTS = frozenset({"SELECT", "GROUP", "ORDER", "LIST"})
ALONE = frozenset({"EXISTS", "MATCH", "CONTAINS", "FREETEXT"})
CALLED = frozenset("LEFT RIGHT COALESCE NULLIF CONVERT TRY_CONVERT CURRENT_TIMESTAMP".split())
NULLARY = frozenset({"NULL", "CURRENT_TIMESTAMP", "CURRENT_DATE"})
JOINS = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER"})
STRANGE = frozenset(
    """
    PIVOT UNPIVOT VALUES TABLESAMPLE USING QUALIFY LIMIT WINDOW DIV MOD XOR REGEXP RLIKE SIMILAR
    GLOB ILIKE INTERVAL NATURAL LATERAL ASOF FILTER SEPARATOR EXCLUDE STRAIGHT_JOIN SOUNDS OVERLAPS
    """.split()
)
SOFT = frozenset("APPLY OFFSET SETS IGNORE RESPECT NULLS ABSENT LEADING TRAILING BOTH".split())
REST = frozenset({"FOR", "OFFSET", "OPTION", "FETCH"})
ARMS = frozenset({"UNION", "EXCEPT", "INTERSECT"})
CLAUSES = REST | ARMS | {"SELECT", "FROM", "WHERE", "HAVING", "GROUP", "ORDER", "WITH"}


@dataclass(slots=True)
class Frame:
    """What has been read between two parentheses, of a CASE, or of the whole.

    Attributes:
        clause: The clause that is being read; LIST for arguments, VALUE for arithmetic.
        ended: Whether an operand has just ended.
        signed: Whether the condition has its comparison.
        complete: Whether the condition has all that it needs.
        either: Whether conditions of this clause are joined by OR.
        named: Whether the item has its alias, or the source its one.
        joining: Whether a JOIN waits for its ON.
        between: Whether BETWEEN waits for its AND.
    """

    clause: str
    ended: bool = False
    signed: bool = False
    complete: bool = False
    either: bool = False
    named: bool = False
    joining: bool = False
    between: bool = False
    case: bool = False
    seen: set[str] = field(default_factory=set[str])

    def enter(self, clause: str) -> None:
        """Begin a clause, or the next condition or item of one."""
        self.clause = clause
        self.either = False
        self.seen.add(clause)
        self.next()

    def next(self) -> None:
        """Begin the next condition or item."""
        self.ended = self.signed = self.complete = self.named = self.between = False

    def operand(self) -> None:
        """Note that an operand has been read."""
        self.ended = True
        self.complete = self.complete or (self.signed and not self.between)


@dataclass(frozen=True, slots=True)
class Gap:
    """A place before a piece at which a word is missing, and the word."""

    index: int
    word: str


class Reader:
    """Reads the pieces once, and notes every gap with the one word that fits there."""

    def __init__(self, statement: RefusedStatement) -> None:
        self.statement = statement
        self.gaps: list[Gap] = []
        self.lost = False
        self._frames = [Frame("")]

    def read(self) -> list[Gap]:
        """Return the gaps in order; none where the text is of a kind that is not known here."""
        index = 0
        while index < len(self.statement.tokens) and not self.lost:
            index = self._step(index)
        return [] if self.lost else self.gaps

    @property
    def _frame(self) -> Frame:
        return self._frames[-1]

    def _step(self, index: int) -> int:
        word = self.statement.upper(index)
        if (word in STRANGE and self.statement.upper(index + 1) != "(") or self.statement.words(
            index, "DISTINCT", "ON"
        ):
            self.lost = True
        if word == "TOP" or self.statement.words(index, "FOR", "PATH"):
            return self._skipped(index)
        if word == "(":
            return self._opened(index)
        if word in (")", "END") and len(self._frames) > 1:
            self._closed(word)
        elif self._is_operand(index):
            return self._operand(index)
        elif self.statement.tokens[index].kind == "mark":
            self._mark(word)
        else:
            self._word(index, word)
        return index + 1

    def _skipped(self, index: int) -> int:
        """Step over TOP with its number, and over FOR PATH of a source."""
        if self.statement.upper(index) == "FOR":
            self._frame.clause = "FROM" if self._frame.clause == "FROM" else "REST"
            return index + 2
        past = index + 2
        if self.statement.upper(index + 1) == "(":
            past = past_parenthesis(self.statement.tokens, index + 1)
        while self.statement.upper(past) in ("PERCENT", "WITH", "TIES", "APPROXIMATE", "APPROX"):
            past += 1
        return past

    def _opened(self, index: int) -> int:
        """Enter a parenthesis; what stands before it says what it holds."""
        before, inside = self.statement.upper(index - 1), self.statement.upper(index + 1)
        frame = self._frame
        if frame.ended and self._is_gap(index):
            self._note(index)
        if before == "MATCH":
            frame.operand()
            frame.complete = True
            return past_parenthesis(self.statement.tokens, index)
        if inside in ("SELECT", "WITH"):
            self._frames.append(Frame(""))
        elif before == "OVER" or self.statement.words(index - 2, "WITHIN", "GROUP"):
            self._frames.append(Frame("OVER"))
        elif frame.clause in CONDITIONS and (before in CONDITIONS | {"AND", "OR", "NOT", "("}):
            self._frames.append(Frame("WHERE"))
        else:
            listed = before == "IN" or self._is_call(index - 1)
            self._frames.append(Frame("LIST" if listed else "VALUE"))
        return index + 1

    def _closed(self, word: str) -> None:
        inner = self._frame
        if (word == "END") is not inner.case:
            self.lost = True
            return
        self._frames.pop()
        self._frame.operand()
        if inner.clause == "WHERE" and inner.complete:
            self._frame.complete = True

    def _is_call(self, index: int) -> bool:
        token = self.statement.tokens[index] if index >= 0 else None
        word = token.upper if token else ""
        return token is not None and token.is_name and (word not in RESERVED or word in CALLED)

    def _is_gap(self, index: int) -> bool:
        """Whether a parenthesis behind an operand is no call, no list of columns and no hint."""
        clause = self._frame.clause
        queries = self.statement.upper(index + 1) == "SELECT"
        return clause in CONDITIONS or (clause in LISTS and queries)

    def _is_operand(self, index: int) -> bool:
        token, word = self.statement.tokens[index], self.statement.upper(index)
        if token.kind != "word":
            return token.kind != "mark" or (word == "*" and not self._frame.ended)
        if word in SOFT or (word == "GROUPING" and self.statement.upper(index + 1) == "SETS"):
            return False
        if word in ALONE or word in NULLARY or word == "CASE":
            return True
        return word not in RESERVED or (word in CALLED and self.statement.upper(index + 1) == "(")

    def _operand(self, index: int) -> int:
        """Read a name with its dots, a value, or the head of a call or CASE."""
        frame, word = self._frame, self.statement.upper(index)
        if frame.ended and not self._is_alias(index):
            self._note(index)
        past = index + 1
        if not self.statement.tokens[index].is_name:
            past += self.statement.upper(past) == "."
        while self.statement.upper(past) == "." and past + 1 < len(self.statement.tokens):
            past += 2
        if word == "CASE":
            self._frames.append(Frame("CASE", case=True))
        elif self._calls(past):
            frame.ended = False
            frame.signed = frame.signed or word in ALONE
        else:
            frame.operand()
        return past

    def _calls(self, past: int) -> bool:
        """Whether a name is called: a column with a blank behind it is not."""
        before = self.statement.tokens[past - 1]
        if self.statement.upper(past) != "(" or not before.is_name:
            return False
        apart = before.end < self.statement.start(past)
        dotted = self.statement.upper(past - 2) == "."
        return not (apart and (dotted or self._is_column(before.name)))

    def _is_column(self, name: str) -> bool:
        return any(node.column(name) is not None for node in self.statement.contract.nodes)

    def _is_alias(self, index: int) -> bool:
        """Whether a name behind an operand names the item or source; the first one does."""
        frame, token = self._frame, self.statement.tokens[index]
        single = token.is_name and self.statement.upper(index + 1) not in (".", "(")
        if frame.clause == "SELECT" and token.kind == "string":
            single = True
        behind = self.statement.upper(index + 1)
        fits = frame.clause in ("SELECT", "FROM", "LIST") and single and not frame.named
        if not fits or behind in SIGNS or behind == "IS" or self._is_missing_from(index):
            return False
        if frame.clause == "LIST":
            return self.statement.upper(index - 1) == "AS"
        frame.named = True
        return True

    def _is_missing_from(self, index: int) -> bool:
        select = next(iter(self.statement.around(index)), None)
        lacks = select is not None and "FROM" not in select.clauses
        return lacks and self._is_table(index) and self._frame.clause == "SELECT"

    def _is_table(self, index: int) -> bool:
        name, contract = self.statement.tokens[index].name, self.statement.contract
        known = contract.node(name) or contract.edge(name)
        return known is not None or name.lower() in self.statement.cte_names

    def _note(self, index: int) -> None:
        if self._frame.clause in ("OVER", "REST", ""):
            return
        word = self._missing(index)
        if word is None:
            self.lost = True
            return
        self.gaps.append(Gap(index, word))
        self._mark(word) if word in ("=", ",") else self._word(index, word)

    def _missing(self, index: int) -> str | None:
        """Return what must stand before an operand that follows another one."""
        frame = self._frame
        if self._is_missing_from(index):
            return "FROM"
        if frame.clause in LISTS or (
            frame.clause == "WITH" and self.statement.words(index + 1, "AS", "(")
        ):
            return ","
        if frame.clause == "FROM":
            return self._missing_in_from(index)
        if frame.clause == "THEN":
            return "ELSE" if self.statement.upper(index + 1) == "END" else None
        if frame.clause not in CONDITIONS:
            return None
        return self._missing_in_condition(index)

    def _missing_in_from(self, index: int) -> str | None:
        if self._is_table(index) and self.statement.upper(index + 1) != ".":
            return None if self._frame.joining else ","
        if self._frame.joining:
            return "ON"
        return None if "WHERE" in self._frame.seen else "WHERE"

    def _missing_in_condition(self, index: int) -> str | None:
        frame = self._frame
        if frame.clause == "WHEN" and (frame.complete or "OPERAND" in frame.seen):
            return "THEN"
        if frame.complete:
            return None if frame.either or frame.clause == "WHEN" else "AND"
        if frame.between:
            return "AND"
        if frame.signed:
            return None
        if self.statement.upper(index) == "(":
            return "IN"
        token = self.statement.tokens[index]
        if token.kind == "string":
            return "LIKE" if "%" in token.name else "="
        # A number could be compared by any sign; two columns are joined.
        return "=" if token.is_name and frame.clause == "ON" else None

    def _mark(self, word: str) -> None:
        frame = self._frame
        if word == ",":
            frame.next()
            frame.joining = False
        elif word == ";":
            frame.enter("")
        elif word in SIGNS:
            frame.signed, frame.ended = True, False
        elif word != ".":
            frame.ended = False

    def _word(self, index: int, word: str) -> None:
        frame = self._frame
        if word in ("AND", "OR"):
            self._logical(word)
        elif word in SIGNS or word == "IS":
            frame.signed, frame.ended = True, False
            frame.between = word == "BETWEEN"
        elif frame.case and word in ("WHEN", "THEN", "ELSE"):
            self._case(word)
        elif word in JOINS | {"ON", "CROSS", "APPLY"}:
            self._join(index, word)
        elif word in CLAUSES:
            self._clause(index, word)
        elif word == "NOT":
            self._not(index)
        elif word == "AS":
            frame.named, frame.ended = frame.clause in ("SELECT", "FROM"), False
        elif word not in ("ASC", "DESC"):
            frame.ended = False

    def _case(self, word: str) -> None:
        frame = self._frame
        if word == "WHEN" and frame.clause == "CASE" and frame.ended:
            frame.seen.add("OPERAND")
        frame.enter(word)

    def _join(self, index: int, word: str) -> None:
        frame = self._frame
        if word == "ON":
            frame.enter("ON")
            frame.joining = False
            return
        frame.enter("FROM")
        frame.joining = frame.joining or word == "JOIN"
        frame.joining = frame.joining and self.statement.upper(index - 1) != "CROSS"

    def _clause(self, index: int, word: str) -> None:
        if word in ARMS:
            self._frames[-1] = Frame("", case=self._frame.case)
            return
        if word in REST:
            self._frame.enter("REST")
            return
        within = self.statement.upper(index - 1) in ("WITHIN", "DISTINCT") and word != "SELECT"
        self._frame.ended = False
        if self._frame.clause not in ("OVER", "VALUE", "LIST") and not within:
            self._frame.enter(word)

    def _not(self, index: int) -> None:
        """NOT goes on with a comparison, or begins a condition of its own."""
        frame, behind = self._frame, self.statement.upper(index + 1)
        if frame.ended and behind == "(" and frame.clause in CONDITIONS and not frame.complete:
            self.gaps.append(Gap(index + 1, "IN"))
            frame.signed = True
        elif frame.ended and behind not in SIGNS | {"NULL"}:
            self._note(index)
        frame.ended = False

    def _logical(self, word: str) -> None:
        frame = self._frame
        if frame.between and word == "AND":
            frame.between, frame.ended = False, False
            return
        either = frame.either or word == "OR"
        frame.next()
        frame.either = either
