"""Columns of every type: stored as they are, compared, computed with, and returned."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.parcels import LAMP_UNITS, ROWS, build_parcels, parcel_contract
from fakes.scratch_database import ADMIN_VARIABLE, READER_VARIABLE, scratch_database
from fakes.sources import source

from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import judge

ENGINES = ["embedded", *(["mssql"] if os.environ.get(READER_VARIABLE) else [])]


@pytest.fixture(scope="module", params=ENGINES)
def parcels(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    folder, contract = tmp_path_factory.mktemp("parcels"), parcel_contract()
    with ExitStack() as stack:
        if request.param == "mssql":
            logins = {
                "admin": os.environ[ADMIN_VARIABLE],
                "reader": os.environ[READER_VARIABLE],
            }
            files = source(folder / "source", ROWS)
            created = scratch_database(contract, HashedEmbedder(), files, **logins)
            engine: Engine = stack.enter_context(created).engine()
        else:
            engine = open_graph(build_parcels(folder / "graph"), contract)
        stack.callback(engine.close)
        yield engine


def rows(engine: Engine, sql: str) -> list[tuple[Any, ...]]:
    decision = judge(sql, parcel_contract())
    if isinstance(decision, Refused):
        raise decision.error()
    engine.compile(Statement(decision))
    return [tuple(row) for row in engine.execute(Statement(decision), budget()).rows]


def test_values_come_back_as_they_were_written(parcels: Engine) -> None:
    columns = "Code, Weight, Units, Rate, Fragile, Sent, Scanned"
    sql = f"SELECT {columns} FROM Parcel AS p WHERE p.Name = 'Lamp'"
    assert rows(parcels, sql) == [
        (
            "PX-1",
            Decimal("12.50"),
            LAMP_UNITS,
            0.5,
            True,
            date(2024, 2, 29),
            datetime(2024, 3, 1, 8, 15, 30, 250000),
        )
    ]


def test_a_time_of_a_zone_is_stored_as_utc(parcels: Engine) -> None:
    sql = "SELECT p.Scanned FROM Parcel AS p WHERE p.Name = 'Chair'"
    assert rows(parcels, sql) == [(datetime(2023, 12, 31, 22, 59, 59),)]


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        pytest.param("p.Sent = '2024-02-29'", ["Lamp"], id="a date equals a text"),
        pytest.param("p.Sent < '20240101'", ["Chair"], id="a date before a text without dashes"),
        pytest.param("p.Sent >= DATEFROMPARTS(2024, 1, 1)", ["Lamp"], id="a date and a function"),
        pytest.param("YEAR(p.Sent) = 2024 AND MONTH(p.Sent) = 2", ["Lamp"], id="parts of a date"),
        pytest.param("p.Sent BETWEEN '2023-01-01' AND '2023-12-31'", ["Chair"], id="a range"),
        pytest.param("DATEDIFF(DAY, p.Sent, p.Scanned) = 1", ["Lamp"], id="days between"),
        pytest.param("p.Sent > DATEADD(MONTH, -1, p.Scanned)", ["Lamp", "Chair"], id="a month ago"),
        pytest.param("p.Scanned > '2024-03-01'", ["Lamp"], id="a time after a date"),
        pytest.param("p.Scanned = '2024-03-01T08:15:30.25'", ["Lamp"], id="a time to the fraction"),
        pytest.param("CAST(p.Scanned AS DATE) = '2023-12-31'", ["Chair"], id="the day of a time"),
        pytest.param("DATEPART(HOUR, p.Scanned) = 8", ["Lamp"], id="the hour"),
        pytest.param("p.Weight = 12.5", ["Lamp"], id="a decimal equals a literal"),
        pytest.param("p.Weight > '7.3'", ["Lamp"], id="a decimal and a text"),
        pytest.param("p.Weight * 2 = 14.5", ["Chair"], id="arithmetic of decimals"),
        pytest.param(f"p.Units = {LAMP_UNITS}", ["Lamp"], id="a number beyond 53 bits"),
        pytest.param("p.Rate = 0.5 AND p.Fragile = 1", ["Lamp"], id="a float and a bit"),
        pytest.param("JSON_VALUE(p.Details, '$.size.width') = '40'", ["Chair"], id="in JSON"),
        pytest.param(
            "EXISTS (SELECT 1 FROM OPENJSON(p.Details, '$.tags') AS t WHERE t.value = 'brass')",
            ["Lamp"],
            id="an item of a list in JSON",
        ),
        pytest.param("p.Details LIKE '%brass%'", ["Lamp"], id="the text of JSON"),
        pytest.param("p.Code = '0042'", ["Rug"], id="leading zeros"),
        pytest.param(f"p.Code = '{2**70}'", ["Vase"], id="a key beyond every number"),
    ],
)
def test_conditions_know_the_types(parcels: Engine, condition: str, names: list[str]) -> None:
    sql = f"SELECT p.Name FROM Parcel AS p WHERE {condition} ORDER BY p.Weight DESC"
    assert [name for (name,) in rows(parcels, sql)] == names


def test_aggregates_keep_exact_numbers_and_dates(parcels: Engine) -> None:
    sql = (
        "SELECT SUM(p.Weight), AVG(p.Weight), MIN(p.Sent), MAX(p.Scanned), SUM(p.Units) "
        "FROM Parcel AS p"
    )
    assert rows(parcels, sql) == [
        (
            Decimal("19.75"),
            Decimal("9.875000"),
            date(2023, 12, 31),
            datetime(2024, 3, 1, 8, 15, 30, 250000),
            LAMP_UNITS + 4,
        )
    ]


def test_rows_are_ordered_and_grouped_by_dates(parcels: Engine) -> None:
    sql = (
        "SELECT YEAR(p.Sent) AS y, COUNT(*) AS n FROM Parcel AS p WHERE p.Sent IS NOT NULL "
        "GROUP BY YEAR(p.Sent) ORDER BY y DESC"
    )
    assert rows(parcels, sql) == [(2024, 1), (2023, 1)]
    ordered = "SELECT p.Name FROM Parcel AS p WHERE p.Sent IS NOT NULL ORDER BY p.Scanned"
    assert rows(parcels, ordered) == [("Chair",), ("Lamp",)]


def test_a_kind_may_have_neither_text_nor_vector(parcels: Engine) -> None:
    assert rows(parcels, "SELECT d.Id, d.Name FROM Depot AS d ORDER BY d.Id") == [
        (1, "North"),
        (2, "South"),
    ]
    assert parcels.describe().counts == {"Parcel": 6, "Depot": 2}


def test_every_source_key_is_a_node_of_its_own(parcels: Engine) -> None:
    found = rows(parcels, "SELECT p.Id, p.Code FROM Parcel AS p ORDER BY p.Id")
    assert len({key for key, _ in found}) == 6
    assert {code for _, code in found} == {"PX-1", "px-1", "0042", str(2**70), "15", "PX-2"}
    assert (15, "15") in found
    assert all(0 <= key < 2**53 for key, _ in found)
