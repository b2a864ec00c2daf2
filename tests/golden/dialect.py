"""Writes random statements of the dialect, most of them legitimate, over any contract."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from moviegraph.contract.model import Contract, EdgeTable, NodeTable

COMPARISONS = ("=", "<>", "!=", "<", ">", "<=", ">=", "!<", "!>")
NUMBERS = ("0", "1", "7", "0.5", ".5", "1e3", "-3", "2147483648", "100.", "NULL")
TEXTS = ("'a'", "N'é'", "''", "'it''s'", "'%x[a-c]_'", "'2020-01-31'", "N'日本'", "'--'", "'/*'")
TYPES = (
    "INT", "BIGINT", "SMALLINT", "TINYINT", "BIT", "DECIMAL(9, 2)", "NUMERIC(5)", "FLOAT", "REAL",
    "FLOAT(24)", "NVARCHAR(50)", "VARCHAR(10)", "NVARCHAR(MAX)", "CHAR(3)", "NCHAR(3)", "DATE",
    "DATETIME", "DATETIME2", "DATETIME2(3)", "SMALLDATETIME", "TIME", "TIME(0)", "MONEY",
    "DATETIMEOFFSET", "INTEGER", "DEC(4, 1)", "CHARACTER(3)", "DOUBLE PRECISION", "SMALLMONEY",
)  # fmt: skip
PARTS = ("year", "yy", "Quarter", "MONTH", "dayofyear", "day", "week", "dw", "hour", "mi", "ss")
NUMBER_CALLS = (
    "LEN({t})", "ABS({n})", "CEILING({n})", "FLOOR({n})", "ROUND({n}, 1)", "POWER({n}, 2)",
    "SIGN({n})", "SQRT({n})", "SQUARE({n})", "LOG({n})", "LOG({n}, 2)", "LOG10({n})", "EXP({n})",
    "PI()", "CHARINDEX({t}, {t})", "PATINDEX('%a%', {t})", "ASCII({t})", "UNICODE({t})",
    "DATEPART({p}, {d})", "DATEDIFF({p}, {d}, {d})",
    "DATEDIFF_BIG({p}, {d}, {d})", "YEAR({d})", "MONTH({d})", "DAY({d})",
    "ISJSON({t})", "COALESCE({n}, {n}, {n})", "ISNULL({n}, {n})", "NULLIF({n}, {n})",
    "IIF({c}, {n}, {n})", "CHOOSE({n}, {n}, {n})", "GREATEST({n}, {n})", "LEAST({n}, {n})",
    "CASE WHEN {c} THEN {n} ELSE {n} END", "CASE {n} WHEN {n} THEN {n} WHEN {n} THEN {n} END",
    "CAST({n} AS {y})", "TRY_CAST({t} AS {y})", "CONVERT({y}, {n})", "TRY_CONVERT({y}, {t})",
    "({n})", "(({n}))", "- {n}", "~{n}", "{n} + {n}", "{n} - {n}", "{n} * {n}", "{n} / {n}",
    "{n} % {n}", "{n} & {n}", "{n} | {n}", "{n} ^ {n}", "({n} + {n}) * {n}", "{n} - ({n} - {n})",
    "-(-{n})", "({s1})",
)  # fmt: skip
TEXT_CALLS = (
    "UPPER({t})", "LOWER({t})", "LTRIM({t})", "RTRIM({t})", "TRIM({t})", "LEFT({t}, {n})",
    "RIGHT({t}, {n})", "SUBSTRING({t}, 1, {n})", "REPLACE({t}, {t}, {t})", "REVERSE({t})",
    "STUFF({t}, 1, 2, {t})", "REPLICATE('ab', 2)", "SPACE(2)", "CONCAT({t}, {n})",
    "CONCAT_WS('-', {t}, {t})", "CHAR(65)", "NCHAR(65)",
    "TRANSLATE({t}, 'ab', 'cd')", "FORMAT({n}, 'N2')", "FORMAT({d}, 'd', 'de-DE')",
    "DATENAME({p}, {d})", "CONVERT(NVARCHAR(30), {d}, 126)", "CAST({n} AS NVARCHAR(20))",
    "JSON_VALUE({t}, '$.a')", "JSON_QUERY({t})", "{t} + {t}",
    "({t})", "{t} COLLATE Latin1_General_CI_AI", "COALESCE({t}, {t})", "ISNULL({t}, {t})",
    "NULLIF({t}, {t})", "IIF({c}, {t}, {t})", "CASE WHEN {c} THEN {t} END",
    "CASE {t} WHEN {t} THEN {t} ELSE {t} END", "CHOOSE(2, {t}, {t})",
)  # fmt: skip
DATE_CALLS = (
    "GETDATE()", "SYSDATETIME()", "GETUTCDATE()", "SYSUTCDATETIME()", "CURRENT_TIMESTAMP",
    "DATEADD({p}, {n}, {d})", "DATEFROMPARTS(2020, 1, {n})", "EOMONTH({d})", "EOMONTH({d}, 1)",
    "CAST({t} AS DATE)", "CONVERT(DATETIME, {t}, 112)", "DATETRUNC(month, {d})",
)  # fmt: skip
CONDITIONS = (
    "{n} {o} {n}", "{t} {o} {t}", "{n} {o} {n}", "{t} = {t}", "{t} IS NULL", "{n} IS NOT NULL",
    "{t} LIKE {t}", "{t} NOT LIKE N'%a!%b' ESCAPE '!'", "{n} IN ({n}, {n})", "{t} NOT IN ({t})",
    "{n} BETWEEN {n} AND {n}", "{n} NOT BETWEEN {n} AND {n}", "({c})", "NOT {c}", "NOT ({c})",
    "{c} AND {c}", "{c} OR {c}", "({c} OR {c}) AND {c}", "EXISTS ({q})", "NOT EXISTS ({q})",
    "{n} IN ({s1})", "{n} {o} ALL ({s1})", "{n} {o} ANY ({s1})", "{n} {o} SOME ({s1})",
    "{n} IS DISTINCT FROM {n}", "{t} IS NOT DISTINCT FROM {t}",
)  # fmt: skip
AGGREGATES = (
    "COUNT(*)", "COUNT({n})", "COUNT(DISTINCT {t})", "COUNT_BIG(*)", "SUM({n})", "AVG({n})",
    "MIN({n})", "MAX({n})", "STDEV({n})", "VARP({n})", "SUM(DISTINCT {n})", "MAX({n}) - MIN({n})",
    "APPROX_COUNT_DISTINCT({t})", "SUM(CASE WHEN {c} THEN 1 ELSE 0 END)", "MAX(ALL {n})",
    "APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {n} DESC)",
)  # fmt: skip
WINDOWS = (
    "ROW_NUMBER() OVER (ORDER BY {n})", "RANK() OVER (PARTITION BY {t} ORDER BY {n} DESC, {t})",
    "DENSE_RANK() OVER (ORDER BY {t})", "NTILE(4) OVER (ORDER BY {n})", "COUNT(*) OVER ()",
    "SUM({n}) OVER (PARTITION BY {t})", "SUM({n}) OVER (ORDER BY {n} ROWS UNBOUNDED PRECEDING)",
    "AVG({n}) OVER (ORDER BY {n} ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
    "SUM({n}) OVER (ORDER BY {n} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "LAG({n}) OVER (ORDER BY {n})", "LEAD({n}, 2, 0) OVER (ORDER BY {n})",
    "FIRST_VALUE({n}) OVER (PARTITION BY {t} ORDER BY {n})", "CUME_DIST() OVER (ORDER BY {n})",
    "LAST_VALUE({n}) OVER (ORDER BY {n} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
    "PERCENT_RANK() OVER (ORDER BY {n})", "SUM({n}) OVER (ORDER BY {n} ROWS 2 PRECEDING)",
    "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {n}) OVER (PARTITION BY {t})",
    "ROW_NUMBER() OVER (ORDER BY (SELECT NULL))",
)  # fmt: skip
TOPS = ("", "", "TOP 5 ", "TOP (5) ", "DISTINCT ", "DISTINCT TOP 7 ", "ALL ", "TOP 99999 ")
GROUPS = ("{0}", "{0}, {1}", "ROLLUP ({0}, {1})", "CUBE ({0}, {1})", "GROUPING SETS (({0}), ())")
SETS = ("UNION", "UNION ALL", "EXCEPT", "INTERSECT")
HOLE = re.compile(r"\{(\w+)\}")
PIECE = re.compile(r"N?'(?:[^']|'')*'|\[[^\]]*\]|\"[^\"]*\"|[A-Za-z]+|[ ]|[^A-Za-z ]")
SPACES = (" ", " ", " ", " ", "\n", "\t", "  ", " /* x */ ", " -- y\n", "\r\n")


@dataclass(frozen=True, slots=True)
class Names:
    """The columns that one SELECT can use, by kind of value."""

    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()

    def combined_with(self, other: "Names") -> "Names":
        """Return the columns of both."""
        return Names(
            self.numbers + other.numbers, self.texts + other.texts, self.dates + other.dates
        )


@dataclass(slots=True)
class Writer:
    """One source of chance and one contract; every method returns text."""

    random: Random
    contract: Contract
    fuel: int = 24
    aliases: int = 0

    def statement(self) -> str:
        """Return a whole statement."""
        roots = (
            "{q}", "{q}", "{qo}", "{qo}", "{qo} FOR JSON PATH", "{q} FOR JSON AUTO, ROOT('r')",
            "{qo} FOR JSON PATH, WITHOUT_ARRAY_WRAPPER", "{w}", "{w}", "{u}", "{g}", "{g}",
            "{u} ORDER BY 1 OFFSET 0 ROWS", "({q})",
        )  # fmt: skip
        return "".join(map(self._spelled, PIECE.findall(self._fill(self._pick(roots), Names()))))

    def _spelled(self, piece: str) -> str:
        if piece == " ":
            return self._pick(SPACES) if self._rarely() else " "
        if piece.isalpha() and self._rarely():
            return self._pick((piece.lower(), piece.title(), piece.upper()))
        return piece

    def _fill(self, template: str, names: Names) -> str:
        return HOLE.sub(lambda hole: self._hole(hole[1], names), template)

    def _hole(self, kind: str, names: Names) -> str:
        self.fuel -= 1
        if kind in ("n", "t", "d", "c"):
            return self._value(kind, names)
        if kind in ("o", "p", "y"):
            return self._pick({"o": COMPARISONS, "p": PARTS, "y": TYPES}[kind])
        if kind in ("q", "qo"):
            return self._select(names, ordered=kind == "qo")
        if kind == "s1":
            return self._single(names)
        if kind == "g":
            return self._grouped()
        return self._united() if kind == "u" else self._with()

    def _value(self, kind: str, names: Names) -> str:
        columns = {"n": names.numbers, "t": names.texts, "d": names.dates, "c": ()}[kind]
        literals = {"n": NUMBERS, "t": TEXTS, "d": ("GETDATE()",), "c": ("1 = 1",)}[kind]
        calls = {"n": NUMBER_CALLS, "t": TEXT_CALLS, "d": DATE_CALLS, "c": CONDITIONS}[kind]
        if self.fuel > 0 and (kind == "c" or self.random.randrange(3) == 0):
            return self._fill(self._pick(calls), names)
        if columns and self.random.randrange(3):
            return self._pick(columns)
        return self._pick(literals)

    def _single(self, names: Names) -> str:
        source, inner, condition = self._source()
        where = self._where(inner.combined_with(names), condition)
        top = self._pick(("", "TOP 1 ", "DISTINCT "))
        return f"SELECT {top}{self._value('n', inner)} FROM {source}{where}"

    def _select(self, outer: Names, *, ordered: bool = False) -> str:
        source, names, condition = self._source()
        names = names.combined_with(outer) if self._rarely() else names
        items = [self._item(names) for _ in range(self.random.randint(1, 3))]
        sql = f"SELECT {self._pick(TOPS)}{', '.join(items)} FROM {source}"
        sql += self._where(names, condition)
        return f"{sql} ORDER BY {self._order(names)}" if ordered else sql

    def _item(self, names: Names) -> str:
        kind = self._pick("ntdw")
        value = self._fill(self._pick(WINDOWS), names) if kind == "w" else self._value(kind, names)
        self.aliases += 1
        name = f"v{self.aliases}"
        forms = ("{v} AS {a}", "{v} AS {a}", "{v} {a}", "{a} = {v}", "{v} AS [{a}]", "[{a}] = {v}")
        return str(self._pick(forms)).format(v=value, a=name)

    def _where(self, names: Names, condition: str) -> str:
        arguments = [condition] if condition else []
        if self.random.randrange(2):
            arguments.append(
                f"({self._value('c', names)})" if arguments else self._value("c", names)
            )
        return f" WHERE {' AND '.join(arguments)}" if arguments else ""

    def _order(self, names: Names) -> str:
        forms = ("1", "1 DESC", "{n}", "{t} DESC", "{n} ASC, {t}", "{d}", "LEN({t}) DESC, {n}")
        return self._fill(self._pick(forms), names)

    def _grouped(self) -> str:
        source, names, condition = self._source()
        keys = [self._pick(names.texts or ("'a'",)), self._pick(names.numbers or ("1",))]
        sql = (
            f"SELECT {keys[0]} AS k, {self._fill(self._pick(AGGREGATES), names)} AS v FROM {source}"
        )
        sql += self._where(names, condition)
        sql += f" GROUP BY {self._pick(GROUPS).format(*keys)}"
        having = (
            f" HAVING {self._fill(self._pick(AGGREGATES), names)} > 1" if self._rarely() else ""
        )
        order = self._pick(
            ("", " ORDER BY v DESC, k", " ORDER BY COUNT(*)", " ORDER BY 2 OFFSET 1 ROW",
             " ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY", " ORDER BY k OFFSET 1 ROWS")
        )  # fmt: skip
        return sql + having + order

    def _united(self) -> str:
        arms = [self._single(Names()) for _ in range(self.random.randint(2, 3))]
        if self._rarely():
            arms[-1] = f"({arms[-1]} {self._pick(SETS)} {self._single(Names())})"
        sql = arms[0]
        for arm in arms[1:]:
            sql += f" {self._pick(SETS)} {arm}"
        return sql

    def _with(self) -> str:
        inner = self._select(Names())
        names = re.findall(r"(?<=AS )v\d+$|\bv\d+\b", inner)
        column = names[0] if names else "1"
        wraps = (
            "WITH c AS ({i}) SELECT * FROM c", "WITH c AS ({i}) SELECT TOP 3 c.* FROM c ORDER BY 1",
            "SELECT x.* FROM ({i}) AS x", "SELECT COUNT(*) AS n FROM ({i}) x",
            "WITH c AS ({i}), d (k) AS (SELECT COUNT(*) FROM c) SELECT k FROM d",
            "SELECT y.o FROM (SELECT 1 AS o) AS y OUTER APPLY ({i}) AS x",
            "SELECT o.v FROM (VALUES (1, 'a'), (2, NULL)) AS o(v, w) WHERE EXISTS ({i})",
            "SELECT (SELECT TOP 3 x.* FROM ({i}) AS x FOR JSON PATH) AS j",
            "SELECT STRING_AGG(CAST(x." + column + " AS NVARCHAR(MAX)), ', ') AS s FROM ({i}) AS x",
            "SELECT s.value FROM STRING_SPLIT('a,b', ',') AS s WHERE EXISTS ({i})",
        )  # fmt: skip
        return str(self._pick(wraps)).replace("{i}", inner)

    def _source(self) -> tuple[str, Names, str]:
        """Return a FROM list, its columns and the condition that ties it together."""
        node = self._pick(self.contract.nodes)
        a, b, e = self._alias(), self._alias(), self._alias()
        schema = self._pick(("", "", f"{self.contract.schema_name}."))
        form = self._pick(("", "", " AS"))
        first = f"{schema}{node.name}{form} {a}"
        names = _names(node, a)
        edges = [
            connection
            for connection in self.contract.connections
            if connection.from_table == node.name
        ]
        kind = self.random.randrange(6)
        if kind < 2 or not edges:
            return first, names, ""
        edge = self._pick(edges)
        other = self.contract.node(edge.to_table)
        assert other is not None
        names = names.combined_with(_names(other, b))
        if table := self.contract.edge(edge.name):
            names = names.combined_with(_names(table, e))
        if kind < 4:
            arrow = self._pick((f"{a}-({e})->{b}", f"{b}<-({e})-{a}", f"{a} - ( {e} ) -> {b}"))
            return f"{first}, {edge.name} AS {e}, {other.name} {b}", names, f"MATCH({arrow})"
        join = self._pick(("JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "FULL JOIN"))
        first += f" {join} {edge.name} AS {e} ON {e}.$from_id = {a}.$node_id"
        return f"{first} {join} {other.name} AS {b} ON {b}.$node_id = {e}.$to_id", names, ""

    def _alias(self) -> str:
        self.aliases += 1
        return f"a{self.aliases}"

    def _pick(self, choices: Sequence[Any]) -> Any:
        return self.random.choice(choices)

    def _rarely(self) -> bool:
        return self.random.randrange(8) == 0


def _names(table: NodeTable | EdgeTable, alias: str) -> Names:
    def of(*types: str) -> tuple[str, ...]:
        columns = [c.name for c in table.columns if c.type.split("(")[0] in types]
        return tuple(f"{alias}.{name}" for name in columns) + tuple(
            f"[{alias}].[{n}]" for n in columns
        )

    return Names(of("INT", "BIGINT", "FLOAT", "DECIMAL"), of("NVARCHAR", "VARCHAR"), of("DATE"))
