"""Sources of relational and nested shapes, invented, the same in each run."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from benchmarks.own_data.tables import (
    Table,
    write_csv,
    write_csvs,
    write_duckdb,
    write_lines,
    write_lists,
    write_sqlite,
    write_workbook,
)

SYLLABLES = ("al", "be", "cor", "dan", "el", "fa", "gor", "hul", "is", "jo", "ka", "lor", "mi")
THINGS = (
    "a lighthouse", "an old bicycle", "the last train", "a paper map", "a broken radio",
    "the winter market", "a letter without a sender", "the orchard", "a borrowed coat",
)  # fmt: skip
DOINGS = (
    "waits behind", "sings about", "walks past", "paints", "repairs", "forgets", "dreams of",
    "argues over", "hides", "returns to",
)  # fmt: skip
WHERE = ("in the harbor", "before dawn", "on the hill", "after the rain", "at the border")


@dataclass(frozen=True, slots=True)
class Shape:
    """A source: its file or folder, its tables, and how they are written."""

    file: str
    tables: Callable[[int], list[Table]]
    write: Callable[[Path, Sequence[Table]], None]


class Maker:
    """Invents names, sentences, days and amounts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def name(self, words: int = 2) -> str:
        """Return a name of some words."""
        return " ".join(
            "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 3))).capitalize()
            for _ in range(words)
        )

    def names(self, count: int) -> list[str]:
        """Return different names."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self.name()] = None
        return list(found)

    def sentence(self) -> str:
        """Return a sentence."""
        doing, thing, where = map(self.random.choice, (DOINGS, THINGS, WHERE))
        return f"{self.name(1)} {doing} {thing} {where}, and {self.name(1)} {doing} {thing}."

    def day(self) -> date:
        """Return a day of six years."""
        return date(2019, 1, 1) + timedelta(days=self.random.randrange(2_000))

    def amount(self, most: int = 10_000) -> Decimal:
        """Return an amount with two decimals."""
        return Decimal(self.random.randint(1, most)) / 100

    def pick(self, keys: range | Sequence[int]) -> int:
        """Return one of these keys."""
        return self.random.choice(keys)


def music_shop(count: int) -> list[Table]:
    """A shop with declared keys, a self reference, and lines of invoices as a link with columns."""
    make = Maker(1)
    few, some = max(5, count // 100), max(10, count // 10)
    artists, albums, tracks = range(1, few + 1), range(1, 2 * few + 1), range(1, some + 1)
    clerks, customers, invoices = range(1, 9), range(1, some + 1), range(1, count // 3 + 2)
    return [
        Table(
            "artists",
            ("artist_id", "name"),
            list(zip(artists, make.names(few), strict=True)),
            ("artist_id",),
        ),
        Table(
            "albums",
            ("album_id", "title", "artist_id", "released"),
            [(key, make.name(3), make.pick(artists), make.day()) for key in albums],
            ("album_id",),
            {"artist_id": "artists"},
        ),
        Table(
            "tracks",
            ("track_code", "title", "album_id", "story", "seconds", "price"),
            [
                (
                    f"{key:06d}",
                    make.name(3),
                    make.pick(albums),
                    make.sentence(),
                    make.random.randint(90, 400),
                    make.amount(300),
                )
                for key in tracks
            ],
            ("track_code",),
            {"album_id": "albums"},
        ),
        Table(
            "clerks",
            ("clerk_id", "name", "reports_to", "hired"),
            [
                (key, name, key // 2 or None, make.day())
                for key, name in zip(clerks, make.names(8), strict=True)
            ],
            ("clerk_id",),
            {"reports_to": "clerks"},
        ),
        Table(
            "customers",
            ("customer_id", "name", "city", "clerk_id"),
            [
                (
                    key,
                    name,
                    make.random.choice(("Port Alba", "Kestrel", "Nine Oaks")),
                    make.pick(clerks),
                )
                for key, name in zip(customers, make.names(some), strict=True)
            ],
            ("customer_id",),
            {"clerk_id": "clerks"},
        ),
        Table(
            "invoices",
            ("invoice_id", "customer_id", "billed_on", "total"),
            [(key, make.pick(customers), make.day(), make.amount()) for key in invoices],
            ("invoice_id",),
            {"customer_id": "customers"},
        ),
        Table(
            "invoice_lines",
            ("invoice_id", "track_code", "unit_price", "quantity"),
            [
                (
                    make.pick(invoices),
                    f"{make.pick(tracks):06d}",
                    make.amount(300),
                    make.random.randint(1, 5),
                )
                for _ in range(count)
            ],
            (),
            {"invoice_id": "invoices", "track_code": "tracks"},
        ),
    ]


def star(count: int) -> list[Table]:
    """Sales, each with a store, a product and a day, and the tables of these."""
    make = Maker(2)
    stores, products = range(101, 121), range(1, max(20, count // 50) + 1)
    return [
        Table(
            "stores",
            ("store_id", "name", "opened"),
            [(key, make.name(), make.day()) for key in stores],
            ("store_id",),
        ),
        Table(
            "products",
            ("product_id", "name", "description", "list_price"),
            [(f"P-{key:05d}", make.name(3), make.sentence(), make.amount()) for key in products],
            ("product_id",),
        ),
        Table(
            "sales",
            ("sale_id", "store_id", "product_id", "sold_on", "quantity", "amount", "note"),
            [
                (
                    key,
                    make.pick(stores),
                    f"P-{make.pick(products):05d}",
                    make.day(),
                    make.random.randint(1, 9),
                    make.amount(),
                    make.sentence(),
                )
                for key in range(1, count + 1)
            ],
            ("sale_id",),
            {"store_id": "stores", "product_id": "products"},
        ),
    ]


def courses(count: int) -> list[Table]:
    """Many to many: a link table with columns of its own."""
    make = Maker(3)
    students, subjects = range(1, max(10, count // 5) + 1), range(1, max(5, count // 50) + 1)
    pairs = {(make.pick(students), make.pick(subjects)) for _ in range(count)}
    return [
        Table(
            "students",
            ("student_id", "name", "born"),
            [(key, make.name(), make.day()) for key in students],
            ("student_id",),
        ),
        Table(
            "courses",
            ("course_code", "title", "about"),
            [(f"C{key:04d}", make.name(3), make.sentence()) for key in subjects],
            ("course_code",),
        ),
        Table(
            "enrolments",
            ("student_id", "course_code", "grade", "enrolled_on"),
            [
                (student, f"C{subject:04d}", make.amount(600), make.day())
                for student, subject in sorted(pairs)
            ],
            (),
            {"student_id": "students", "course_code": "courses"},
        ),
    ]


def gardens(count: int) -> list[Table]:
    """Lists of one JSON object that refer to each other."""
    make = Maker(4)
    gardens, plants = range(1, max(5, count // 20) + 1), range(1, max(5, count // 5) + 1)
    return [
        Table(
            "gardens",
            ("id", "name", "hectares"),
            [(key, make.name(), make.amount()) for key in gardens],
            ("id",),
        ),
        Table(
            "plants",
            ("id", "name", "about"),
            [(key, make.name(), make.sentence()) for key in plants],
            ("id",),
        ),
        Table(
            "plantings",
            ("garden_id", "plant_id", "planted", "rows"),
            [
                (make.pick(gardens), make.pick(plants), make.day(), make.random.randint(1, 40))
                for _ in range(count)
            ],
            (),
            {"garden_id": "gardens", "plant_id": "plants"},
        ),
    ]


def projects(count: int) -> list[Table]:
    """Sheets of a workbook."""
    make = Maker(5)
    teams = range(1, 13)
    return [
        Table(
            "teams",
            ("team_id", "name", "founded"),
            [(key, make.name(), make.day()) for key in teams],
            ("team_id",),
        ),
        Table(
            "projects",
            ("project_code", "title", "team_id", "summary", "started", "budget"),
            [
                (
                    f"PR-{key:04d}",
                    make.name(3),
                    make.pick(teams),
                    make.sentence(),
                    make.day(),
                    float(make.amount()),
                )
                for key in range(1, count + 1)
            ],
            ("project_code",),
            {"team_id": "teams"},
        ),
    ]


def employees(count: int) -> list[Table]:
    """A table that refers to itself."""
    make = Maker(6)
    return [
        Table(
            "employees",
            ("employee_id", "name", "manager_id", "hired", "salary"),
            [
                (
                    1_000 + key,
                    name,
                    1_000 + key // 4 if key else None,
                    make.day(),
                    make.amount(900_000),
                )
                for key, name in enumerate(make.names(count))
            ],
            ("employee_id",),
            {"manager_id": "employees"},
        )
    ]


def stock(count: int) -> list[Table]:
    """Keys of two columns."""
    make = Maker(7)
    houses, goods = range(1, 9), range(1, max(4, count // 8) + 1)
    return [
        Table(
            "warehouses",
            ("warehouse_id", "name", "town"),
            [(key, make.name(), make.name(1)) for key in houses],
            ("warehouse_id",),
        ),
        Table(
            "stock",
            ("warehouse_id", "sku", "counted_on", "quantity", "remark"),
            [
                (house, f"{good:07d}", make.day(), make.random.randint(0, 500), make.sentence())
                for house in houses
                for good in goods
            ],
            ("warehouse_id", "sku"),
            {"warehouse_id": "warehouses"},
        ),
    ]


def posts(count: int) -> list[Table]:
    """Records with objects, lists, ids beyond 53 bits, and cells without a value."""
    make = Maker(8)
    return [
        Table(
            "posts",
            (
                "id",
                "title",
                "body",
                "author.name",
                "author.city",
                "tags",
                "scores",
                "sent",
                "rating",
            ),
            [
                (
                    2**62 + key * 3,
                    make.name(4),
                    make.sentence(),
                    make.name(),
                    make.random.choice(("Kestrel", None)),
                    make.random.sample(
                        ("tea", "rain", "maps", "trains"), make.random.randint(1, 3)
                    ),
                    [make.random.randint(0, 9) for _ in range(3)],
                    make.day(),
                    make.amount(500),
                )
                for key in range(count)
            ],
            ("id",),
        )
    ]


def parcels(count: int) -> list[Table]:
    """Codes with leading zeros, decimals, days, and texts that look like no value."""
    make = Maker(9)
    return [
        Table(
            "parcels",
            ("parcel", "zip", "country", "weight", "sent_on", "insured", "contents"),
            [
                (
                    f"{key:08d}",
                    f"{make.random.randint(0, 99_999):05d}",
                    make.random.choice(("NA", "NO", "DE")),
                    make.amount(),
                    make.day(),
                    make.random.random() < 0.5,
                    make.sentence(),
                )
                for key in range(count)
            ],
            ("parcel",),
        )
    ]


SHAPES = (
    Shape("music_shop.db", music_shop, write_sqlite),
    Shape("star", star, write_csvs),
    Shape("courses.duckdb", courses, write_duckdb),
    Shape("gardens.json", gardens, write_lists),
    Shape("projects.xlsx", projects, write_workbook),
    Shape("employees.csv", employees, write_csv),
    Shape("stock.db", stock, write_sqlite),
    Shape("posts.jsonl", posts, write_lines),
    Shape("parcels.csv", parcels, write_csv),
)
