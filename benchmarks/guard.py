"""The guard: CPU time to validate legitimate statements, and the slowest hostile inputs.

Run with `python -m benchmarks.guard`.
"""

import math
import time

from tests.golden.corpus import cases

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.sql.guard import judge

MAX_CHARS = 400
ROUNDS = 7
HOSTILE = {
    "7,990 spaces": " " * 7_990 + "SELECT",
    "7,990 parentheses": "(" * 7_990,
    "24 parentheses, 35 times": f"SELECT {','.join('(' * 20 + '1' + ')' * 20 for _ in range(35))}",
    "24 functions deep": "SELECT " + "LEN(" * 24 + "Name" + ")" * 24 + " FROM Movie",
    "23 CASE deep": "SELECT " + "CASE WHEN 1=1 THEN " * 23 + "1" + " END" * 23,
    "22 derived tables deep": "SELECT * FROM "
    + "(SELECT * FROM " * 22
    + "(SELECT Id, Name FROM Movie) x"
    + ") x" * 22,
    "22 IN subqueries deep": "SELECT Id FROM Movie WHERE Id IN "
    + "(SELECT Id FROM Movie WHERE Id IN " * 22
    + "(1)"
    + ")" * 22,
    "295 AND": "SELECT Name FROM Movie WHERE " + " AND ".join(["Id = 1"] * 295),
    "295 OR": "SELECT Name FROM Movie WHERE " + " OR ".join(["Id = 1"] * 295),
    "180 OR of AND": "SELECT Name FROM Movie WHERE " + " OR ".join(["Id = 1 AND Id = 2"] * 180),
    "590 +": "SELECT " + "+".join(["Id"] * 590) + " FROM Movie",
    "700 NOT": "SELECT 1 WHERE " + "NOT " * 700 + "1 = 1",
    "100 times 7 NOT": "SELECT 1 WHERE " + " AND ".join(["NOT " * 7 + "1 = 1"] * 100),
    "600 in IN": f"SELECT Name FROM Movie WHERE Id IN ({','.join('1' * 600)})",
    "40 UNION": " UNION ALL ".join(["SELECT Name FROM Movie"] * 40),
    "295 UNION": " UNION ALL ".join(["SELECT 1"] * 295),
    "90 CTEs, each of the previous one": "WITH c0 AS (SELECT Id FROM Movie),"
    + ",".join(f"c{n} AS (SELECT Id FROM c{n - 1})" for n in range(1, 90))
    + " SELECT Id FROM c89",
    "590 stars": f"SELECT {','.join('*' * 590)} FROM Movie",
    "590 in ORDER BY": f"SELECT Name FROM Movie ORDER BY {','.join(['Id'] * 590)}",
    "590 in CUBE": f"SELECT 1 AS x FROM Movie GROUP BY CUBE ({','.join(['Id'] * 590)})",
    "200 WHEN": "SELECT CASE "
    + " ".join(f"WHEN Id = {n} THEN {n}" for n in range(200))
    + " END AS x FROM Movie",
    "60 windows": "SELECT "
    + ",".join(["SUM(Id) OVER (PARTITION BY Name ORDER BY Id ROWS 1 PRECEDING)"] * 60)
    + " FROM Movie",
    "280 IS NOT NULL": "SELECT 1 AS x FROM Movie WHERE " + " AND ".join(["Id IS NOT NULL"] * 280),
    "150 hops": "SELECT 1 FROM Movie m WHERE MATCH(m" + "-(e)->m" * 150 + ")",
    "100 joins": "SELECT a0.Id FROM Movie a0 "
    + " ".join(f"JOIN Movie a{n} ON a{n}.Id = a{n - 1}.Id" for n in range(1, 100)),
    "300 tables": "SELECT 1 FROM " + ",".join(f"Movie a{n}" for n in range(300)),
    "240 named windows": "SELECT SUM(Id) OVER w239 AS s FROM Movie "
    "WINDOW w0 AS (PARTITION BY Name)," + ",".join(f"w{n} AS (w{n - 1})" for n in range(1, 240)),
    "30 joined, each 6 derived tables deep": "SELECT d0.Id FROM "
    + " JOIN ".join(
        "(SELECT * FROM " * 6
        + "Movie"
        + "".join(f") x{k}" for k in range(5))
        + f") d{n}"
        + (f" ON d{n}.Id = d0.Id" if n else "")
        for n in range(30)
    ),
    "295 + grouped": f"SELECT {'+'.join(['Id'] * 295)} AS a FROM Movie GROUP BY "
    + "+".join(["Id"] * 295),
    "240 columns, grouped": f"SELECT {','.join(f'Id AS a{n}' for n in range(240))} FROM Movie "
    f"GROUP BY {','.join(['Id'] * 240)}",
    "40 UNION of 8 columns": " UNION ALL ".join(
        ["SELECT Id, Name, Id a, Id b, Id c, Id d, Id e, Id f FROM Movie"] * 40
    ),
    "40 UNION of sorted branches": " UNION ALL ".join(
        f"SELECT * FROM (SELECT TOP 3 Name FROM Movie ORDER BY Name) x{n}" for n in range(40)
    ),
    "295 in ROLLUP": "SELECT COUNT(*) AS c FROM Movie GROUP BY ROLLUP ("
    + ",".join(f"Id+{n}" for n in range(295))
    + ")",
    "180 in ORDER BY by alias": f"SELECT {','.join(f'Id AS a{n}' for n in range(180))} FROM Movie "
    f"ORDER BY {','.join(f'a{n}' for n in range(180))}",
    "an open string": "SELECT '" + "a" * 7_900,
    "7,900 quotes": "SELECT " + "'" * 7_900,
    "3,900 open comments": "SELECT " + "/*" * 3_900,
    "1,900 comments": "SELECT 1 " + "/**/" * 1_900,
    "7,999 slashes and stars": "*/" * 3_999,
    "2,600 GO": "SELECT 1\n" + "GO\n" * 2_600,
    "2,600 fences": "```" * 2_600,
    "3,900 dots": "SELECT " + "a." * 3_900 + "a",
    "7,900 digits": "SELECT " + "9" * 7_900,
    "8,000 film reels": "\U0001f39e" * 8_000,
    "every character": "".join(chr(32 + n % 95) for n in range(8_000)),
    "100 kB": "SELECT " + "x" * 100_000,
    "SELECT 1,100 times": "SELECT " * 1_100,
}


def milliseconds(sql: str, contract: Contract) -> float:
    """Return the CPU time to validate a statement, the best of multiple rounds."""
    best = math.inf
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        judge(sql, contract)
        best = min(best, (time.process_time_ns() - start) / 1e6)
    return best


def main() -> None:
    """Measure, print and store the values."""
    contract = load_contract()
    legitimate = [case.sql for corpus in ("honest", "originals") for case in cases(corpus)]
    times = sorted(milliseconds(sql, contract) for sql in legitimate if len(sql) <= MAX_CHARS)
    slowest = sorted(((milliseconds(sql, contract), name) for name, sql in HOSTILE.items()))[::-1]
    measurements = {
        "honest_statements": len(times),
        "mean_ms": round(sum(times) / len(times), 2),
        "p95_ms": round(times[math.ceil(0.95 * len(times)) - 1], 2),
        "max_ms": round(times[-1], 2),
        "nasty_inputs": len(HOSTILE),
        "slowest_ms": round(slowest[0][0], 1),
        "slowest": slowest[0][1],
    }
    table(
        "Guard", ("measure", "value"), [(name, str(value)) for name, value in measurements.items()]
    )
    table("Slowest", ("input", "ms"), [(name, f"{ms:.1f}") for ms, name in slowest[:8]])
    write("guard", measurements)


if __name__ == "__main__":
    main()
