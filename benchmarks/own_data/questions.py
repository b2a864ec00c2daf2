"""Questions about the music shop, their right answers, and the calls of each server."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from benchmarks.own_data.shapes import music_shop
from benchmarks.own_data.tables import Table

ROWS = 5_000
CODE = "000417"
PLANTED = {
    100: "A ferryman counts gulls while the brass band rehearses.",
    200: "A boy brings home a stray puppy, and his parents let him keep it.",
    300: "She sets one plate too few on the table and folds the uniform he will not wear again.",
}
Call = tuple[str, Mapping[str, Any]]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
SOLD = """{invoice_lines} l JOIN {tracks} t ON t.track_code = l.track_code
 JOIN {albums} a ON a.album_id = t.album_id"""
BOUGHT = """ JOIN {invoices} i ON i.invoice_id = l.invoice_id
 JOIN {customers} c ON c.customer_id = i.customer_id"""
BUYERS = """SELECT DISTINCT c.Name FROM Customer AS c, HAS_CUSTOMER AS hc, Invoice AS i,
 INVOICE_LINES AS l, Track AS t, HAS_ALBUM AS ha, Album AS a
 WHERE MATCH(i-(hc)->c AND i-(l)->t AND t-(ha)->a) AND c.City = 'Kestrel' AND a.Name = """
REVENUE = """SELECT TOP 1 r.Name, SUM(l.UnitPrice * l.Quantity) AS Revenue FROM Invoice AS i,
 INVOICE_LINES AS l, Track AS t, HAS_ALBUM AS ha, Album AS a, HAS_ARTIST AS hr, Artist AS r
 WHERE MATCH(i-(l)->t AND t-(ha)->a AND a-(hr)->r) GROUP BY r.Name ORDER BY Revenue DESC"""
PAID = """SELECT SUM(i.Total) AS Paid FROM Invoice AS i, HAS_CUSTOMER AS h, Customer AS c
 WHERE MATCH(i-(h)->c) AND c.Name = """
LINES = """SELECT i.Id, l.Quantity FROM Invoice AS i, INVOICE_LINES AS l, Track AS t
 WHERE MATCH(i-(l)->t) AND l.Quantity >= 4 AND t.TrackCode = """


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what a right answer contains, and the calls of each server, tried in turn.

    `sql` is for both peers, whose dialects agree here, with each table in braces.
    """

    text: str
    expected: tuple[str | Decimal, ...]
    sql: tuple[str, ...]
    ours: tuple[Call, ...]

    def is_answered(self, text: str) -> bool:
        """Return whether a text contains all that is expected; numbers to half a cent."""
        numbers = [Decimal(number) for number in NUMBER.findall(text)]
        return all(
            any(abs(number - part) < Decimal("0.005") for number in numbers)
            if isinstance(part, Decimal)
            else re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None
            for part in self.expected
        )


def shop_tables() -> list[Table]:
    """Return the tables of the music shop, with stories that questions ask for."""
    tables = {table.name: table for table in music_shop(ROWS)}
    tracks = tables["tracks"]
    at = tracks.columns.index("story")
    rows = [
        (*row[:at], PLANTED.get(number, row[at]), *row[at + 1 :])
        for number, row in enumerate(tracks.rows)
    ]
    tables["tracks"] = Table(tracks.name, tracks.columns, rows, tracks.key, tracks.links)
    return list(tables.values())


def questions(tables: Sequence[Table]) -> list[Question]:
    """Return the questions, answered in Python from the rows that were written."""
    rows = {t.name: [dict(zip(t.columns, row, strict=True)) for row in t.rows] for t in tables}
    tracks = {row["track_code"]: row for row in rows["tracks"]}
    albums = {row["album_id"]: row for row in rows["albums"]}
    title, album = tracks[CODE]["title"], albums[tracks[CODE]["album_id"]]["title"]
    first = rows["invoices"][0]["customer_id"]
    customer = next(row["name"] for row in rows["customers"] if row["customer_id"] == first)
    paid = sum(row["total"] for row in rows["invoices"] if row["customer_id"] == first)
    spring = ("2021-04-01", "2021-07-01")
    start, end = map(date.fromisoformat, spring)
    billed = sum(start <= row["billed_on"] < end for row in rows["invoices"])
    large = [r for r in rows["invoice_lines"] if r["track_code"] == CODE and r["quantity"] >= 4]
    by_words, by_meaning, by_hint = (rows["tracks"][number]["title"] for number in PLANTED)
    buyers, best, revenue = _sales(rows, albums, album)
    return [
        Question(
            f"Which track has the code {CODE}?",
            (title,),
            (f"SELECT title FROM {{tracks}} WHERE track_code = '{CODE}'",),
            (("get_records", {"kind": "Track", "ids": [CODE]}),),
        ),
        Question(
            f"Which code has {title}?",
            (CODE,),
            (f"SELECT track_code FROM {{tracks}} WHERE title = '{title}'",),
            (("get_records", {"kind": "Track", "names": [title]}),),
        ),
        Question(
            "Which story has gulls and a rehearsal?",
            (by_words,),
            (_like("AND", "gulls", "rehearsal"), _like("AND", "gull", "rehears")),
            (
                _search("fulltext_search", "gulls rehearsal"),
                _search("hybrid_search", "gulls rehearsal"),
            ),
        ),
        Question(
            "Which story is about a child who adopts a dog?",
            (by_meaning,),
            (_like("AND", "child", "dog"), _like("OR", "child", "dog", "kid", "adopt", "pet")),
            (_search("hybrid_search", "a child adopts a dog"),),
        ),
        Question(
            "Which story is about the widow of a soldier?",
            (by_hint,),
            (_like("OR", "widow", "soldier"), _like("OR", "husband", "grief", "mourn", "war ")),
            (
                _search("hybrid_search", "widow of a soldier"),
                _search("semantic_search", "grief after a war"),
            ),
        ),
        Question(
            f"Which customers in Kestrel bought from the album {album}?",
            tuple(sorted(buyers)),
            (
                (
                    f"SELECT DISTINCT c.name FROM {SOLD}{BOUGHT}"
                    f" WHERE a.title = '{album}' AND c.city = 'Kestrel'"
                ),
            ),
            (_sql(f"{BUYERS}'{album}'"),),
        ),
        Question(
            "Which artist has the largest revenue, and how much?",
            (best, revenue),
            (
                (
                    f"SELECT r.name, SUM(l.unit_price * l.quantity) AS revenue FROM {SOLD}"
                    " JOIN {artists} r ON r.artist_id = a.artist_id"
                    " GROUP BY r.name ORDER BY revenue DESC LIMIT 1"
                ),
            ),
            (_sql(REVENUE),),
        ),
        Question(
            "How many invoices are of the second quarter of 2021?",
            (Decimal(billed),),
            (
                (
                    "SELECT COUNT(*) AS n FROM {invoices}"
                    f" WHERE billed_on >= '{spring[0]}' AND billed_on < '{spring[1]}'"
                ),
            ),
            (
                _sql(
                    "SELECT COUNT(*) AS n FROM Invoice"
                    f" WHERE BilledOn >= '{spring[0]}' AND BilledOn < '{spring[1]}'"
                ),
            ),
        ),
        Question(
            f"What did {customer} pay in all?",
            (Decimal(paid),),
            (
                (
                    "SELECT SUM(i.total) AS paid FROM {invoices} i"
                    " JOIN {customers} c ON c.customer_id = i.customer_id"
                    f" WHERE c.name = '{customer}'"
                ),
            ),
            (_sql(f"{PAID}'{customer}'"),),
        ),
        Question(
            f"Which invoices have four or more of track {CODE}?",
            tuple(str(row["invoice_id"]) for row in large),
            (
                (
                    "SELECT invoice_id, quantity FROM {invoice_lines}"
                    f" WHERE track_code = '{CODE}' AND quantity >= 4"
                ),
            ),
            (_sql(f"{LINES}'{CODE}'"),),
        ),
    ]


def _sales(
    rows: Mapping[str, list[dict[str, Any]]], albums: Mapping[int, dict[str, Any]], album: str
) -> tuple[set[str], str, Decimal]:
    """Return who in Kestrel bought from an album, and the artist with the largest revenue."""
    tracks = {row["track_code"]: row for row in rows["tracks"]}
    artists = {row["artist_id"]: row["name"] for row in rows["artists"]}
    customers = {row["customer_id"]: row for row in rows["customers"]}
    invoices = {row["invoice_id"]: row for row in rows["invoices"]}
    buyers: set[str] = set()
    revenue: dict[str, Decimal] = defaultdict(Decimal)
    for line in rows["invoice_lines"]:
        sold = albums[tracks[line["track_code"]]["album_id"]]
        buyer = customers[invoices[line["invoice_id"]]["customer_id"]]
        revenue[artists[sold["artist_id"]]] += line["unit_price"] * line["quantity"]
        if sold["title"] == album and buyer["city"] == "Kestrel":
            buyers.add(buyer["name"])
    best = max(revenue, key=lambda name: revenue[name])
    return buyers, best, revenue[best]


def _like(operator: str, *words: str) -> str:
    conditions = f" {operator} ".join(f"story LIKE '%{word}%'" for word in words)
    return f"SELECT title, story FROM {{tracks}} WHERE {conditions}"


def _sql(statement: str) -> Call:
    return "run_readonly_sql", {"sql": statement}


def _search(tool: str, query: str) -> Call:
    return tool, {"query": query, "kind": "Track"}
