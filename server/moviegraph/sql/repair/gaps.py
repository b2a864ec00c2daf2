"""Where two operands meet with nothing between them: the word or mark that T-SQL needs there."""

from dataclasses import dataclass, field

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.outline import past_parenthesis
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

    at: int
    word: str


class Reader:
    """Reads the pieces once, and notes every gap with the one word that fits there."""

    def __init__(self, broken: Broken) -> None:
        self.broken = broken
        self.gaps: list[Gap] = []
        self.lost = False
        self._frames = [Frame("")]

    def read(self) -> list[Gap]:
        """Return the gaps in order; none where the text is of a kind that is not known here."""
        at = 0
        while at < len(self.broken.pieces) and not self.lost:
            at = self._step(at)
        return [] if self.lost else self.gaps

    @property
    def _frame(self) -> Frame:
        return self._frames[-1]

    def _step(self, at: int) -> int:
        word = self.broken.upper(at)
        if (word in STRANGE and self.broken.upper(at + 1) != "(") or self.broken.words(
            at, "DISTINCT", "ON"
        ):
            self.lost = True
        if word == "TOP" or self.broken.words(at, "FOR", "PATH"):
            return self._skipped(at)
        if word == "(":
            return self._opened(at)
        if word in (")", "END") and len(self._frames) > 1:
            self._closed(word)
        elif self._is_operand(at):
            return self._operand(at)
        elif self.broken.pieces[at].kind == "mark":
            self._mark(word)
        else:
            self._word(at, word)
        return at + 1

    def _skipped(self, at: int) -> int:
        """Step over TOP with its number, and over FOR PATH of a source."""
        if self.broken.upper(at) == "FOR":
            self._frame.clause = "FROM" if self._frame.clause == "FROM" else "REST"
            return at + 2
        past = at + 2
        if self.broken.upper(at + 1) == "(":
            past = past_parenthesis(self.broken.pieces, at + 1)
        while self.broken.upper(past) in ("PERCENT", "WITH", "TIES", "APPROXIMATE", "APPROX"):
            past += 1
        return past

    def _opened(self, at: int) -> int:
        """Enter a parenthesis; what stands before it says what it holds."""
        before, inside = self.broken.upper(at - 1), self.broken.upper(at + 1)
        frame = self._frame
        if frame.ended and self._is_gap(at):
            self._note(at)
        if before == "MATCH":
            frame.operand()
            frame.complete = True
            return past_parenthesis(self.broken.pieces, at)
        if inside in ("SELECT", "WITH"):
            self._frames.append(Frame(""))
        elif before == "OVER" or self.broken.words(at - 2, "WITHIN", "GROUP"):
            self._frames.append(Frame("OVER"))
        elif frame.clause in CONDITIONS and (before in CONDITIONS | {"AND", "OR", "NOT", "("}):
            self._frames.append(Frame("WHERE"))
        else:
            listed = before == "IN" or self._is_call(at - 1)
            self._frames.append(Frame("LIST" if listed else "VALUE"))
        return at + 1

    def _closed(self, word: str) -> None:
        inner = self._frame
        if (word == "END") is not inner.case:
            self.lost = True
            return
        self._frames.pop()
        self._frame.operand()
        if inner.clause == "WHERE" and inner.complete:
            self._frame.complete = True

    def _is_call(self, at: int) -> bool:
        piece = self.broken.pieces[at] if at >= 0 else None
        word = piece.upper if piece else ""
        return piece is not None and piece.is_name and (word not in RESERVED or word in CALLED)

    def _is_gap(self, at: int) -> bool:
        """Whether a parenthesis behind an operand is no call, no list of columns and no hint."""
        clause = self._frame.clause
        queries = self.broken.upper(at + 1) == "SELECT"
        return clause in CONDITIONS or (clause in LISTS and queries)

    def _is_operand(self, at: int) -> bool:
        piece, word = self.broken.pieces[at], self.broken.upper(at)
        if piece.kind != "word":
            return piece.kind != "mark" or (word == "*" and not self._frame.ended)
        if word in SOFT or (word == "GROUPING" and self.broken.upper(at + 1) == "SETS"):
            return False
        if word in ALONE or word in NULLARY or word == "CASE":
            return True
        return word not in RESERVED or (word in CALLED and self.broken.upper(at + 1) == "(")

    def _operand(self, at: int) -> int:
        """Read a name with its dots, a value, or the head of a call or CASE."""
        frame, word = self._frame, self.broken.upper(at)
        if frame.ended and not self._is_alias(at):
            self._note(at)
        past = at + 1
        if not self.broken.pieces[at].is_name:
            past += self.broken.upper(past) == "."
        while self.broken.upper(past) == "." and past + 1 < len(self.broken.pieces):
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
        before = self.broken.pieces[past - 1]
        if self.broken.upper(past) != "(" or not before.is_name:
            return False
        apart = before.end < self.broken.start(past)
        dotted = self.broken.upper(past - 2) == "."
        return not (apart and (dotted or self._is_column(before.name)))

    def _is_column(self, name: str) -> bool:
        return any(node.column(name) is not None for node in self.broken.contract.nodes)

    def _is_alias(self, at: int) -> bool:
        """Whether a name behind an operand names the item or source; the first one does."""
        frame, piece = self._frame, self.broken.pieces[at]
        single = piece.is_name and self.broken.upper(at + 1) not in (".", "(")
        if frame.clause == "SELECT" and piece.kind == "string":
            single = True
        behind = self.broken.upper(at + 1)
        fits = frame.clause in ("SELECT", "FROM", "LIST") and single and not frame.named
        if not fits or behind in SIGNS or behind == "IS" or self._is_missing_from(at):
            return False
        if frame.clause == "LIST":
            return self.broken.upper(at - 1) == "AS"
        frame.named = True
        return True

    def _is_missing_from(self, at: int) -> bool:
        select = next(iter(self.broken.around(at)), None)
        lacks = select is not None and "FROM" not in select.clauses
        return lacks and self._is_table(at) and self._frame.clause == "SELECT"

    def _is_table(self, at: int) -> bool:
        name, contract = self.broken.pieces[at].name, self.broken.contract
        known = contract.node(name) or contract.edge(name)
        return known is not None or name.lower() in self.broken.cte_names

    def _note(self, at: int) -> None:
        if self._frame.clause in ("OVER", "REST", ""):
            return
        word = self._missing(at)
        if word is None:
            self.lost = True
            return
        self.gaps.append(Gap(at, word))
        self._mark(word) if word in ("=", ",") else self._word(at, word)

    def _missing(self, at: int) -> str | None:
        """Return what must stand before an operand that follows another one."""
        frame = self._frame
        if self._is_missing_from(at):
            return "FROM"
        if frame.clause in LISTS or (
            frame.clause == "WITH" and self.broken.words(at + 1, "AS", "(")
        ):
            return ","
        if frame.clause == "FROM":
            return self._missing_in_from(at)
        if frame.clause == "THEN":
            return "ELSE" if self.broken.upper(at + 1) == "END" else None
        if frame.clause not in CONDITIONS:
            return None
        return self._missing_in_condition(at)

    def _missing_in_from(self, at: int) -> str | None:
        if self._is_table(at) and self.broken.upper(at + 1) != ".":
            return None if self._frame.joining else ","
        if self._frame.joining:
            return "ON"
        return None if "WHERE" in self._frame.seen else "WHERE"

    def _missing_in_condition(self, at: int) -> str | None:
        frame = self._frame
        if frame.clause == "WHEN" and (frame.complete or "OPERAND" in frame.seen):
            return "THEN"
        if frame.complete:
            return None if frame.either or frame.clause == "WHEN" else "AND"
        if frame.between:
            return "AND"
        if frame.signed:
            return None
        if self.broken.upper(at) == "(":
            return "IN"
        piece = self.broken.pieces[at]
        if piece.kind == "string":
            return "LIKE" if "%" in piece.name else "="
        # A number could be compared by any sign; two columns are joined.
        return "=" if piece.is_name and frame.clause == "ON" else None

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

    def _word(self, at: int, word: str) -> None:
        frame = self._frame
        if word in ("AND", "OR"):
            self._logical(word)
        elif word in SIGNS or word == "IS":
            frame.signed, frame.ended = True, False
            frame.between = word == "BETWEEN"
        elif frame.case and word in ("WHEN", "THEN", "ELSE"):
            self._case(word)
        elif word in JOINS | {"ON", "CROSS", "APPLY"}:
            self._join(at, word)
        elif word in CLAUSES:
            self._clause(at, word)
        elif word == "NOT":
            self._not(at)
        elif word == "AS":
            frame.named, frame.ended = frame.clause in ("SELECT", "FROM"), False
        elif word not in ("ASC", "DESC"):
            frame.ended = False

    def _case(self, word: str) -> None:
        frame = self._frame
        if word == "WHEN" and frame.clause == "CASE" and frame.ended:
            frame.seen.add("OPERAND")
        frame.enter(word)

    def _join(self, at: int, word: str) -> None:
        frame = self._frame
        if word == "ON":
            frame.enter("ON")
            frame.joining = False
            return
        frame.enter("FROM")
        frame.joining = frame.joining or word == "JOIN"
        frame.joining = frame.joining and self.broken.upper(at - 1) != "CROSS"

    def _clause(self, at: int, word: str) -> None:
        if word in ARMS:
            self._frames[-1] = Frame("", case=self._frame.case)
            return
        if word in REST:
            self._frame.enter("REST")
            return
        within = self.broken.upper(at - 1) in ("WITHIN", "DISTINCT") and word != "SELECT"
        self._frame.ended = False
        if self._frame.clause not in ("OVER", "VALUE", "LIST") and not within:
            self._frame.enter(word)

    def _not(self, at: int) -> None:
        """NOT goes on with a comparison, or begins a condition of its own."""
        frame, behind = self._frame, self.broken.upper(at + 1)
        if frame.ended and behind == "(" and frame.clause in CONDITIONS and not frame.complete:
            self.gaps.append(Gap(at + 1, "IN"))
            frame.signed = True
        elif frame.ended and behind not in SIGNS | {"NULL"}:
            self._note(at)
        frame.ended = False

    def _logical(self, word: str) -> None:
        frame = self._frame
        if frame.between and word == "AND":
            frame.between, frame.ended = False, False
            return
        either = frame.either or word == "OR"
        frame.next()
        frame.either = either
