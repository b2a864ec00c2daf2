"""Sources of several tables: keys and foreign keys become one graph, whatever the format."""

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fakes.sessions import query_graph
from fakes.workbook import SHEET, write_workbook

from moviegraph.cli import main
from moviegraph.errors import SourceError
from moviegraph.loading import workbooks
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.folder_loader import load
from moviegraph.loading.graph_draft import DraftChoices, GraphDraft
from moviegraph.loading.preparation import Preparation
from moviegraph.loading.source_files import Source

Table = list[list[Any]]
GOOD = "Light and sturdy, the best shoe for long runs in the hills."
SHOP: dict[str, Table] = {
    "products": [
        ["sku", "name", "price", "also_bought"],
        ["P-1", "Trail shoe", 89.9, "P-2|P-3"],
        ["P-2", "Wool sock", 12.5, "P-1"],
        ["P-3", "Rain jacket", 149.0, None],
        ["P-4", "Headlamp", 39.0, "P-3|P-1"],
    ],
    "customers": [
        ["id", "name", "recruited_by"],
        [1, "Ada Moor", None],
        [2, "Ben Frost", 1],
        [3, "Cy Hall", 1],
    ],
    "reviews": [
        ["review_id", "product_id", "customer_id", "stars", "text"],
        [1, "P-1", 1, 5, GOOD],
        [2, "P-1", 2, 2, "The sole came off after two weeks of rain and mud."],
        [3, "P-2", 1, 4, "Warm and it does not itch, even after a long day."],
        [4, "P-4", 3, 5, "Bright enough to run at night through a dark forest."],
        [5, "P-3", 2, 3, "Keeps the rain out, but it is too hot when I climb."],
    ],
    "order_items": [
        ["item_id", "customer_id", "product_id", "quantity", "paid", "ordered"],
        [1, 1, "P-1", 1, 89.9, "2024-01-05"],
        [2, 1, "P-2", 3, 12.5, "2024-01-05"],
        [3, 2, "P-1", 1, 89.9, "2024-02-11"],
        [4, 2, "P-3", 1, 149.0, "2024-03-01"],
        [5, 3, "P-4", 2, 39.0, "2024-03-07"],
        [6, 1, "P-1", 1, 79.9, "2024-06-01"],
    ],
}
DECLARED = {
    "products": "CREATE TABLE products (sku VARCHAR PRIMARY KEY, name VARCHAR, price DOUBLE, "
    "also_bought VARCHAR)",
    "customers": "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR, "
    "recruited_by INTEGER REFERENCES customers(id))",
    "reviews": "CREATE TABLE reviews (review_id INTEGER PRIMARY KEY, product_id VARCHAR "
    "REFERENCES products(sku), customer_id INTEGER REFERENCES customers(id), stars INTEGER, "
    "text VARCHAR)",
    "order_items": "CREATE TABLE order_items (item_id INTEGER PRIMARY KEY, customer_id INTEGER "
    "REFERENCES customers(id), product_id VARCHAR REFERENCES products(sku), quantity INTEGER, "
    "paid DOUBLE, ordered VARCHAR)",
}


def write_csv(path: Path, rows: Table) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def folder_of_csv(folder: Path) -> Path:
    path = folder / "shop"
    path.mkdir()
    for name, rows in SHOP.items():
        write_csv(path / f"{name}.csv", rows)
    return path


def fill(database: Any) -> None:
    for name, (header, *rows) in SHOP.items():
        database.execute(DECLARED[name])
        marks = ", ".join("?" * len(header))
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)


def sqlite_file(folder: Path) -> Path:
    path = folder / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        fill(database)
        database.commit()
    return path


def duckdb_file(folder: Path) -> Path:
    path = folder / "shop.duckdb"
    with closing(duckdb.connect(str(path))) as database:
        fill(database)
    return path


def workbook(folder: Path) -> Path:
    titled = {name: [["Our shop"], *rows] for name, rows in SHOP.items()}
    return write_workbook(folder / "shop.xlsx", {**titled, "notes": []})


def json_file(folder: Path) -> Path:
    path = folder / "shop.json"
    lists = {
        name: [dict(zip(header, row, strict=True)) for row in rows]
        for name, (header, *rows) in SHOP.items()
    }
    path.write_text(json.dumps({"version": 3, **lists}))
    return path


SOURCES = [folder_of_csv, sqlite_file, duckdb_file, workbook, json_file]


def drafted(source: Source, graph: Path, **choices: Any) -> GraphDraft:
    how = Preparation(columns=ColumnMap(), choices=DraftChoices(**choices))
    draft = load(source, graph, None, None, how=how).prepared.draft
    assert draft is not None
    return draft


def edges_of(draft: GraphDraft) -> dict[str, list[tuple[str, str]]]:
    return {
        edge.name: [(pair.from_table, pair.to_table) for pair in edge.pairs]
        for edge in draft.contract.edges
    }


@pytest.mark.parametrize("write", SOURCES, ids=lambda write: write.__name__)
def test_a_shop_is_the_same_graph_in_every_format(
    tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    graph = tmp_path / "graph"
    draft = drafted(write(tmp_path), graph)
    assert {node.name for node in draft.contract.nodes} == {"Customer", "Product", "Review"}
    assert edges_of(draft) == {
        "ALSO_BOUGHT": [("Product", "Product")],
        "RECRUITED_BY": [("Customer", "Customer")],
        "HAS_PRODUCT": [("Review", "Product")],
        "HAS_CUSTOMER": [("Review", "Customer")],
        "ORDER_ITEMS": [("Customer", "Product")],
    }

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return query_graph(graph, sql, draft.contract)

    assert rows("SELECT COUNT(*) FROM Product AS p") == [(4,)]
    assert rows("SELECT p.Name FROM Product AS p WHERE p.Sku = 'P-4'") == [("Headlamp",)]
    bought = "SELECT q.Name FROM Product AS p, ALSO_BOUGHT AS b, Product AS q WHERE MATCH(p-(b)->q)"
    assert rows(f"{bought} AND p.Name = 'Headlamp' ORDER BY q.Name") == [
        ("Rain jacket",),
        ("Trail shoe",),
    ]
    spent = (
        "SELECT c.Name, SUM(o.Quantity * o.Paid) AS Spent FROM Customer AS c, ORDER_ITEMS AS o, "
        "Product AS p WHERE MATCH(c-(o)->p) GROUP BY c.Name ORDER BY c.Name"
    )
    assert [(name, round(sum_, 2)) for name, sum_ in rows(spent)] == [
        ("Ada Moor", 207.3),
        ("Ben Frost", 238.9),
        ("Cy Hall", 78.0),
    ]
    late = "FROM Customer AS c, ORDER_ITEMS AS o, Product AS p WHERE MATCH(c-(o)->p)"
    assert rows(f"SELECT COUNT(*) {late} AND o.Ordered >= '2024-03-01'") == [(3,)]
    recruits = "FROM Customer AS c, RECRUITED_BY AS r, Customer AS d WHERE MATCH(c-(r)->d)"
    assert rows(f"SELECT COUNT(*) {recruits} AND d.Name = 'Ada Moor'") == [(2,)]
    stars = "FROM Review AS r, HAS_PRODUCT AS h, Product AS p WHERE MATCH(r-(h)->p)"
    assert rows(f"SELECT AVG(CAST(r.Stars AS FLOAT)) {stars} AND p.Sku = 'P-1'") == [(3.5,)]
    assert rows(f"SELECT r.Content {stars} AND r.Id = 1")[0][0].startswith(GOOD)


def test_several_files_are_one_source(tmp_path: Path) -> None:
    folder = folder_of_csv(tmp_path)
    files = tuple(folder / f"{name}.csv" for name in ("products", "reviews"))
    draft = drafted(files, tmp_path / "graph")
    assert edges_of(draft) == {
        "ALSO_BOUGHT": [("Product", "Product")],
        "HAS_PRODUCT": [("Review", "Product")],
    }
    (tmp_path / "products.csv").write_text("sku\nP-1\n")
    with pytest.raises(SourceError, match=r"Several sources are called products\.csv"):
        drafted((tmp_path / "products.csv", files[0]), tmp_path / "other")


def test_files_of_a_folder_that_are_not_read_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of_csv(tmp_path)
    (folder / "2023").mkdir()
    (folder / "2023" / "products.csv").write_text("sku\nP-0\n")
    (folder / "pictures").mkdir()
    (folder / "notes.txt").write_text("a\tb\n1\t2\n")
    (folder / ".saved.csv").write_text("a\n1\n")
    assert main(["load", str(folder), "--into", str(tmp_path / "graph"), "--no-embeddings"]) == 0
    errors = capsys.readouterr().err
    assert "shop: not read, name each to load it: 2023, notes.txt.\n" in errors


def test_what_init_writes_loads_as_load_alone_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, drafted_files = str(sqlite_file(tmp_path)), tmp_path / "draft"
    assert main(["init", source, "--into", str(drafted_files)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  decided   order_items: its rows are edges ORDER_ITEMS (--nodes order_items)" in lines
    mapped = ["--contract", str(drafted_files), "--map", str(drafted_files / "columns.toml")]
    counts = []
    for graph, more in (("one", mapped), ("two", [])):
        into = ["--into", str(tmp_path / graph), "--no-embeddings"]
        assert main(["load", source, *into, *more]) == 0
        manifest = json.loads((tmp_path / graph / "manifest.json").read_text())
        counts.append((manifest["counts"], manifest["content_hash"]))
    assert counts[0] == counts[1]


def test_a_person_decides_otherwise(tmp_path: Path) -> None:
    source = folder_of_csv(tmp_path)
    draft = drafted(source, tmp_path / "graph", nodes=("order_items.csv",))
    assert "OrderItem" in {node.name for node in draft.contract.nodes}
    assert edges_of(draft)["HAS_PRODUCT"] == [("OrderItem", "Product"), ("Review", "Product")]
    named = drafted(source, tmp_path / "other", text=("products.csv.name",), kinds=())
    product = named.contract.node("Product")
    assert product is not None and product.vector
    with pytest.raises(SourceError, match="sku names none of 4 tables"):
        drafted(source, tmp_path / "graph", key=("sku",))


def test_rows_that_two_equal_edges_would_lose_stay_nodes(tmp_path: Path) -> None:
    folder = folder_of_csv(tmp_path)
    write_csv(folder / "views.csv", [["customer_id", "product_id"], *[[1, "P-1"]] * 2, [2, "P-3"]])
    names = {node.name for node in drafted(folder, tmp_path / "graph").contract.nodes}
    assert names == {"Customer", "Product", "Review", "Views"}


def test_ids_of_no_row_are_counted_and_stay_in_their_column(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    write_csv(
        folder / "parts.csv", [["part_no", "label"], *([f"A{n}", f"Part {n}"] for n in range(30))]
    )
    uses = [[n, f"A{n}"] for n in range(28)] + [[28, "A99"], [29, "A98"]]
    write_csv(folder / "uses.csv", [["id", "part_no"], *uses])
    report = load(folder, tmp_path / "graph", None, None)
    (note,) = [note for note in report.notes if "part_no" in note]
    assert note.startswith("uses.csv: 2 ids in part_no of no Part, such as ")
    draft = report.prepared.draft
    assert draft is not None
    assert any("2 of 30 values are not there" in line for line in draft.decisions)
    sql = "SELECT u.PartNo FROM Uses AS u WHERE u.Id = 28"
    assert query_graph(tmp_path / "graph", sql, draft.contract) == [("A99",)]


def test_who_reports_to_whom_stays_within_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "firm"
    folder.mkdir()
    names = ["Ada Moor", "Ben Frost", "Cy Hall", "Di Lund"]
    clerks = [[at, name, at // 2 or None] for at, name in enumerate(names, 1)]
    write_csv(folder / "clerks.csv", [["clerk_id", "name", "reports_to"], *clerks])
    customers = [[at, f"{name} Shop"] for at, name in enumerate(names, 1)]
    write_csv(folder / "customers.csv", [["customer_id", "name"], *customers])
    assert edges_of(drafted(folder, tmp_path / "graph")) == {"REPORTS_TO": [("Clerk", "Clerk")]}


def test_a_measure_is_no_reference(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write_csv(folder / "teams.csv", [["id", "team"], *([n, f"Team {n}"] for n in range(1, 31))])
    games = [[n, 1 + n % 30, n % 7] for n in range(1, 60)]
    write_csv(folder / "games.csv", [["id", "points", "goals"], *games])
    assert edges_of(drafted(folder, tmp_path / "graph")) == {}


def test_a_composite_foreign_key_is_named_and_stays_columns(tmp_path: Path) -> None:
    path = tmp_path / "lines.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE TABLE lines (order_no INT, line INT, PRIMARY KEY (order_no, line))"
        )
        database.execute(
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, order_no INT, line INT, note TEXT, "
            "FOREIGN KEY (order_no, line) REFERENCES lines (order_no, line))"
        )
        database.executemany("INSERT INTO lines VALUES (?, ?)", [(1, 1), (1, 2), (2, 1)])
        database.execute("INSERT INTO notes VALUES (1, 1, 2, 'late')")
        database.commit()
    draft = drafted(path, tmp_path / "graph")
    assert any(
        line.startswith("notes: order_no, line refer to lines together; they stay columns")
        for line in draft.decisions
    )
    node = draft.contract.node("Note")
    assert node and {"OrderNo", "Line"} <= {column.name for column in node.columns}


def test_links_between_the_records_of_one_table_are_found_by_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    stops = [{"name": name, "zone": n % 2} for n, name in enumerate(["Ash", "Bay", "Cove", "Dell"])]
    rails = [
        {"source": "Ash", "target": "Bay", "km": 4},
        {"source": "Bay", "target": "Dell", "km": 9},
    ]
    path.write_text(json.dumps({"nodes": stops, "links": rails}))
    draft = drafted(path, tmp_path / "graph")
    assert edges_of(draft) == {"LINKS": [("Node", "Node")]}
    sql = "SELECT a.Name, l.Km, b.Name FROM Node AS a, LINKS AS l, Node AS b WHERE MATCH(a-(l)->b)"
    assert query_graph(tmp_path / "graph", f"{sql} ORDER BY l.Km", draft.contract) == [
        ("Ash", 4, "Bay"),
        ("Bay", 9, "Dell"),
    ]


def test_links_that_are_declared_and_named_by_their_ends_are_edges_once(tmp_path: Path) -> None:
    path = tmp_path / "friends.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)")
        database.execute(
            "CREATE TABLE friend (source INT REFERENCES person(id), "
            "target INT REFERENCES person(id), since INT)"
        )
        people = [(1, "Ada"), (2, "Ben"), (3, "Cy")]
        database.executemany("INSERT INTO person VALUES (?, ?)", people)
        friends = [(1, 2, 2001), (1, 3, 2004), (3, 3, 2007), (2, 3, 2007)]
        database.executemany("INSERT INTO friend VALUES (?, ?, ?)", friends)
        database.commit()
    draft = drafted(path, tmp_path / "graph")
    assert edges_of(draft) == {"FRIEND": [("Person", "Person")]}
    sql = "SELECT a.Name, b.Name FROM Person AS a, FRIEND AS f, Person AS b WHERE MATCH(a-(f)->b)"
    found = query_graph(tmp_path / "graph", f"{sql} AND f.Since = 2001", draft.contract)
    assert found == [("Ada", "Ben")]


def test_a_text_of_wrong_bytes_is_kept_as_far_as_it_can_be_read_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cafes.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE cafe (id INTEGER PRIMARY KEY, name TEXT)")
        database.execute(
            "INSERT INTO cafe VALUES (1, CAST(x'436166E92031' AS TEXT)), (2, 'Café 2')"
        )
        database.commit()
    assert main(["load", str(path), "--into", str(tmp_path / "graph"), "--no-embeddings"]) == 0
    assert "1 texts are not UTF-8; their wrong bytes became \ufffd" in capsys.readouterr().out


def test_a_number_beyond_every_float_stays_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    write_csv(path, [["id", "mass"], [1, "1.5"], [2, "1e400"], [3, "2.5"]])
    draft = drafted(path, tmp_path / "graph")
    (kind,) = draft.contract.nodes
    found = query_graph(tmp_path / "graph", f"SELECT * FROM {kind.name} AS s", draft.contract)
    assert "1e400" in {value for row in found for value in row}


def test_a_database_of_somebody_else_is_read_and_never_run(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE VIEW secret AS SELECT load_extension('evil') AS x;"
            "CREATE TRIGGER loud AFTER INSERT ON products BEGIN DELETE FROM customers; END;"
            "CREATE VIRTUAL TABLE search USING fts5(body);"
            "INSERT INTO search VALUES ('words');"
            'CREATE TABLE "a\'; DROP TABLE products; --" (id INTEGER PRIMARY KEY, '
            '"x""); SELECT 1" TEXT, twice INT GENERATED ALWAYS AS (id * 2) VIRTUAL, raw BLOB);'
        )
        database.execute(
            "INSERT INTO \"a'; DROP TABLE products; --\" VALUES (1, 'kept', ?)", [b"\x00\x01"]
        )
        database.commit()
    before = path.read_bytes()
    draft = drafted(path, tmp_path / "graph")
    names = {node.name for node in draft.contract.nodes}
    assert names == {"Customer", "Product", "Review", "ADROPProduct"}
    assert any("virtual tables are not read: search" in line for line in draft.decisions)
    assert {reason for name, reason in draft.left_out.items() if name.startswith("a';")} == {
        "computed", "binary in 1 of 1 records",
    }  # fmt: skip
    sql = "SELECT a.Name FROM ADROPProduct AS a"
    assert query_graph(tmp_path / "graph", sql, draft.contract) == [("kept",)]
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["graph", "shop.db"]


def test_a_duckdb_file_reads_no_other_file(tmp_path: Path) -> None:
    path, other = duckdb_file(tmp_path), tmp_path / "other.csv"
    other.write_text("secret\nhidden words\n")
    with closing(duckdb.connect(str(path))) as database:
        database.execute(f"CREATE VIEW spy AS SELECT * FROM read_csv('{other}')")
        database.execute("CREATE MACRO to_json(x) AS 'evil'")
        database.execute("CREATE TABLE boxes (id INT, size STRUCT(w INT, h INT), labels VARCHAR[])")
        database.execute("INSERT INTO boxes VALUES (1, {'w': 2, 'h': 3}, ['red', 'big'])")
    draft = drafted(path, tmp_path / "graph")
    assert "Spy" not in {node.name for node in draft.contract.nodes}
    sql = "SELECT b.SizeW, b.SizeH, b.Content FROM Box AS b"
    ((width, height, content),) = query_graph(tmp_path / "graph", sql, draft.contract)
    assert (width, height) == (2, 3)
    assert "red, big" in content and "evil" not in content


def test_a_damaged_or_crowded_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with closing(sqlite3.connect(path)) as database:
        tables = [f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY);" for number in range(201)]
        database.executescript(f"BEGIN; {' '.join(tables)} COMMIT;")
    with pytest.raises(SourceError, match=r"many\.db has more than 200 tables"):
        drafted(path, tmp_path / "graph")
    folder = tmp_path / "crowd"
    folder.mkdir()
    for number in range(201):
        (folder / f"{chr(97 + number // 26)}{chr(97 + number % 26)}.csv").write_text("a\n")
    with pytest.raises(SourceError, match="crowd has more than 200 tables"):
        drafted(folder, tmp_path / "graph")
    damaged = tmp_path / "bad.db"
    damaged.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(SourceError, match=r"bad\.db cannot be read"):
        drafted(damaged, tmp_path / "graph")


def test_a_workbook_gives_values_and_tables_by_sheet(tmp_path: Path) -> None:
    rows = [
        ["name", "size", "sum", "day"],
        ["Ash", 1.5, "=B2*2", "2024-01-05"],
        ["Bay", 3, 4, None],
    ]
    path = write_workbook(tmp_path / "trees.xlsx", {"Sheet1": rows, "Sheet2": []})
    draft = drafted(path, tmp_path / "graph")
    sql = "SELECT t.Name, t.Size, t.Sum FROM Tree AS t ORDER BY t.Name"
    node = draft.contract.nodes[0]
    columns = {column.name for column in node.columns}
    sql = sql.replace("t.Sum", "t.Sum" if "Sum" in columns else "t.SumValue")
    assert query_graph(tmp_path / "graph", sql, draft.contract) == [
        ("Ash", 1.5, 7),
        ("Bay", 3.0, 4),
    ]


FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def test_a_workbook_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = write_workbook(tmp_path / "far.xlsx", {"a": FAR})
    with pytest.raises(SourceError, match=r"far\.xlsx has a sheet of 17,179,869,184 cells"):
        drafted(far, tmp_path / "graph")
    monkeypatch.setattr(workbooks, "MAX_UNPACKED", 1 << 20)
    big = write_workbook(
        tmp_path / "big.xlsx", {"a": [["x"], [1]]}, **{"media.xml": b" " * (2 << 20)}
    )
    with pytest.raises(SourceError, match=r"big\.xlsx unpacks to more than"):
        drafted(big, tmp_path / "graph")
    dtd = '<!DOCTYPE worksheet [<!ATTLIST c r CDATA "A1">]>'
    typed = write_workbook(tmp_path / "typed.xlsx", {"a": dtd + SHEET.format(FAR)})
    with pytest.raises(SourceError, match=r"typed\.xlsx is no readable workbook"):
        drafted(typed, tmp_path / "graph")


MADE: dict[str, tuple[str, dict[str, str]]] = {
    "tabs.txt": ("good\t1.5\t[1, 2, 2, 1]\nbad\t-2.0\t[-2, -1, -3, -2]\n", {"Column2": "FLOAT"}),
    "clubs.tsv": (
        "name\tcode\tG7\tyear\nItaly\tIT\tG7\t1901\nSpain\tES\t\t1902\nJapan\tJP\tG7\t1903\n",
        {"Year": "INT", "G7": "NVARCHAR(100)"},
    ),
    "tiny.csv": (
        "id,size\n1,1.0000000000000001e-05\n2,0.00012345678901234567\n3,2.5\n",
        {"Size": "FLOAT"},
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_a_table_as_programs_write_it_keeps_its_columns(tmp_path: Path, name: str) -> None:
    text, types = MADE[name]
    (tmp_path / name).write_text(text)
    draft = drafted(tmp_path / name, tmp_path / "graph")
    found = {column.name: column.type for column in draft.contract.nodes[0].columns}
    assert types.items() <= found.items()


def test_tables_are_named_without_a_start_that_all_have_and_share_kinds(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    towns = ["Leeds", "York", "Hull", "Bath"]
    people = [[n, f"Ann{n}", f"Moor{n}", towns[n % 4]] for n in range(1, 13)]
    header = ["id", "first_name", "last_name", "home_city"]
    write_csv(folder / "app_employees.csv", [[*header, "manager"], *([*p, 1] for p in people)])
    shops = [[n, f"Shop {n}", towns[n % 4], 1 + n % 12] for n in range(1, 9)]
    write_csv(folder / "app_shops.csv", [["id", "name", "city", "supervisor_id"], *shops])
    write_csv(folder / "app_notes.csv", [["id", "shop_id"], *([n, n] for n in range(1, 9))])
    write_csv(folder / "app_tags.csv", [["id", "label"], [1, "new"], [2, "old"]])
    draft = drafted(folder, tmp_path / "graph")
    assert {n.name for n in draft.contract.nodes} == {"Employee", "Shop", "Note", "Tag", "City"}
    assert edges_of(draft) == {
        "HAS_HOME_CITY": [("Employee", "City")],
        "HAS_CITY": [("Shop", "City")],
        "HAS_MANAGER": [("Employee", "Employee")],
        "HAS_SUPERVISOR": [("Shop", "Employee")],
        "HAS_SHOP": [("Note", "Shop")],
    }
    sql = "SELECT e.Name FROM Employee AS e WHERE e.Id = 3"
    assert query_graph(tmp_path / "graph", sql, draft.contract) == [("Ann3 Moor3",)]
