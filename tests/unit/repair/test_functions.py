from collections.abc import Callable

import pytest

from moviegraph.repair.driver import Repaired

VALUES = [
    pytest.param("LENGTH(m.Name)", "LEN(m.Name)", id="LENGTH"),
    pytest.param("SUBSTR(m.Name, 2, 3)", "SUBSTRING(m.Name, 2, 3)", id="SUBSTR"),
    pytest.param("SUBSTR(m.Name, 2)", "SUBSTRING(m.Name, 2)", id="SUBSTR to the end"),
    pytest.param("SUBSTRING(m.Name FROM 2 FOR 3)", "SUBSTRING(m.Name, 2, 3)", id="SUBSTRING FROM"),
    pytest.param("IFNULL(m.ReleaseYear, 0)", "COALESCE(m.ReleaseYear, 0)", id="IFNULL"),
    pytest.param("NVL(m.ReleaseYear, 0)", "COALESCE(m.ReleaseYear, 0)", id="NVL"),
    pytest.param("CEIL(m.Id / 3e0)", "CEILING(m.Id / 3e0)", id="CEIL"),
    pytest.param("POW(m.Id, 2)", "POWER(m.Id, 2)", id="POW"),
    pytest.param("MOD(m.Id, 2 + 1)", "m.Id % (2 + 1)", id="MOD"),
    pytest.param("LN(m.Id)", "LOG(m.Id)", id="LN"),
    pytest.param("REPEAT('ab', 2)", "REPLICATE('ab', 2)", id="REPEAT"),
    pytest.param("STRPOS(m.Name, 'a')", "CHARINDEX('a', m.Name)", id="STRPOS turns its arguments"),
    pytest.param("INSTR(m.Name, 'a')", "CHARINDEX('a', m.Name)", id="INSTR turns its arguments"),
    pytest.param("LOCATE('a', m.Name)", "CHARINDEX('a', m.Name)", id="LOCATE keeps them"),
    pytest.param("POSITION('a' IN m.Name)", "CHARINDEX('a', m.Name)", id="POSITION IN"),
    pytest.param("IF(m.Id > 3, 'a', 'b')", "IIF(m.Id > 3, 'a', 'b')", id="IF"),
    pytest.param("YEAR(NOW())", "YEAR(GETDATE())", id="NOW"),
    pytest.param("m.Id::text", "CAST(m.Id AS NVARCHAR(MAX))", id="double colon"),
    pytest.param("LEN(m.Name)::float", "CAST(LEN(m.Name) AS FLOAT)", id="double colon of a call"),
    pytest.param("CAST(m.Id AS TEXT)", "CAST(m.Id AS NVARCHAR(MAX))", id="type TEXT"),
    pytest.param("GROUP_CONCAT(m.Name)", "STRING_AGG(m.Name, ',')", id="GROUP_CONCAT"),
    pytest.param(
        "GROUP_CONCAT(m.Name ORDER BY m.Id SEPARATOR '; ')",
        "STRING_AGG(m.Name, '; ') WITHIN GROUP (ORDER BY m.Id)",
        id="GROUP_CONCAT in order",
    ),
    pytest.param(
        "STRING_AGG(m.Name, ', ' ORDER BY m.Id)",
        "STRING_AGG(m.Name, ', ') WITHIN GROUP (ORDER BY m.Id)",
        id="STRING_AGG in order",
    ),
]


@pytest.mark.parametrize(("foreign", "own"), VALUES)
def test_a_foreign_function_becomes_the_one_of_t_sql(
    foreign: str, own: str, repair_sql: Callable[[str], Repaired]
) -> None:
    repaired = repair_sql(f"SELECT {foreign} AS x FROM Movie AS m")

    assert repaired.sql == f"SELECT {own} AS x FROM Movie AS m"


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("SUBSTR(m.Name, -3)", id="counted from the end"),
        pytest.param("RANDOM()", id="no such thing"),
        pytest.param("REGEXP_REPLACE(m.Name, 'a', 'b')", id="regular expression"),
    ],
)
def test_a_function_without_a_faithful_counterpart_is_left(
    call: str, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(f"SELECT {call} AS x FROM Movie AS m").changes == ()
