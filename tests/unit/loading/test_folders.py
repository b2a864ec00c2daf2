"""Folders as people keep them: parts of one table, empty files, references by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes.sessions import query_graph
from fakes.workbook import write_workbook

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.folder_loader import LoadReport, load
from moviegraph.loading.graph_draft import DraftChoices, GraphDraft
from moviegraph.loading.preparation import Preparation

BIRDS = "bird_id,species\nB1,Robin\nB2,Great Tit\nB3,Wren\nB4,Dunnock\n"
SITES = "site_id,site\n1,North Wood\n2,Mill Pond\n3,Old Quarry\n"
SEEN = "bird,site,number\nRobin,North Wood,2\nWREN,Mill Pond,1\nGreat Tit,Old Quarry,3\n"


def folder_of(path: Path, files: Mapping[str, str]) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def loaded(source: Path, **choices: Any) -> tuple[LoadReport, GraphDraft, Path]:
    graph = source.with_name(f"{source.name}-graph")
    how = Preparation(columns=ColumnMap(), choices=DraftChoices(**choices))
    report = load(source, graph, None, None, how=how, replace=True)
    assert report.prepared.draft is not None
    return report, report.prepared.draft, graph


def counts(report: LoadReport) -> dict[str, int]:
    return {name: count for name, count in report.manifest.counts.items() if count}


def edges(draft: GraphDraft) -> dict[str, tuple[str, str]]:
    return {
        edge.name: (edge.pairs[0].from_table, edge.pairs[0].to_table)
        for edge in draft.contract.edges
    }


YEARS = {
    "sales_2023.csv": "id,product,amount\n1,Tea,2.5\n2,Milk,1\n",
    "sales_2024.csv": "amount,id,PRODUCT\n3.5,1,Tea\n4,3,Rye bread\n",
}


def test_parts_of_one_table_are_one_kind_and_each_row_says_its_file(tmp_path: Path) -> None:
    report, draft, graph = loaded(folder_of(tmp_path / "shop", YEARS))
    assert counts(report) == {"Sale": 4}
    decided = "2 tables of the same columns are one, and SourceFile says which"
    assert any(decided in line and line.endswith("(--no-join)") for line in draft.decisions)
    sql = "SELECT s.SourceFile, s.Id2, s.Name, s.Amount FROM Sale AS s ORDER BY s.Id"
    assert query_graph(graph, sql, draft.contract) == [
        ("sales_2023.csv", 1, "Tea", 2.5),
        ("sales_2023.csv", 2, "Milk", 1.0),
        ("sales_2024.csv", 1, "Tea", 3.5),
        ("sales_2024.csv", 3, "Rye bread", 4.0),
    ]


def test_parts_of_one_table_are_loaded_by_what_init_writes(tmp_path: Path) -> None:
    files = {**YEARS, "notes.csv": "title,text\nOne,First\n"}
    source, draft = folder_of(tmp_path / "shop", files), tmp_path / "draft"
    assert main(["init", str(source), "--into", str(draft)]) == 0
    (source / "sales_2025.csv").write_text("id,product,amount\n9,Honey,7\n")
    mapped = ["--contract", str(draft), "--map", str(draft / "columns.toml")]
    graph = tmp_path / "graph"
    assert main(["load", str(source), "--into", str(graph), "--no-embeddings", *mapped]) == 0
    sql = "SELECT s.Name FROM Sale AS s WHERE s.SourceFile = 'sales_2025.csv'"
    contract = load_contract(draft)
    assert query_graph(graph, sql, contract) == [("Honey",)]
    assert query_graph(graph, "SELECT COUNT(*) FROM Sale AS s", contract) == [(5,)]


@pytest.mark.slow("long")
def test_a_file_for_each_day_of_a_year_is_one_table(tmp_path: Path) -> None:
    days = {f"meter_{day:03}.csv": f"hour,kwh\n1,{day}\n" for day in range(201)}
    source, draft = folder_of(tmp_path / "meters", days), tmp_path / "draft"
    assert main(["init", str(source), "--into", str(draft)]) == 0
    mapped = ["--contract", str(draft), "--map", str(draft / "columns.toml")]
    graph = tmp_path / "graph"
    assert main(["load", str(source), "--into", str(graph), "--no-embeddings", *mapped]) == 0
    sql = "SELECT m.Kwh FROM Meter AS m WHERE m.SourceFile = 'meter_200.csv'"
    assert query_graph(graph, sql, load_contract(draft)) == [(200,)]


def test_sheets_of_months_are_one_kind(tmp_path: Path) -> None:
    months = ("January", "February", "March")
    rows = {month: [["Item", "Amount"], ["Tea", at], ["Oat", 2]] for at, month in enumerate(months)}
    report, draft, graph = loaded(write_workbook(tmp_path / "costs.xlsx", rows))
    assert counts(report)["Cost"] == 6
    sql = "SELECT c.Amount FROM Cost AS c WHERE c.SourceFile = 'March' AND c.Item = 'Tea'"
    assert query_graph(graph, sql, draft.contract) == [(2,)]


@pytest.mark.parametrize(
    ("files", "choices"),
    [
        pytest.param(YEARS, {"join": False}, id="a person says so"),
        pytest.param(
            {"list_1.csv": "id,name\n1,Ada\n", "list_2.csv": "id,name,age\n1,Ben,3\n"},
            {},
            id="other columns",
        ),
        pytest.param(
            {"list_1.csv": "id,of\n1,Ada\n2,Ben\n", "list_2.csv": "id,of\n1,17\n2,18\n"},
            {},
            id="other types",
        ),
        pytest.param(
            {"old_sales.csv": "id,of\n1,Ada\n", "team_sales.csv": "id,of\n1,Ben\n"},
            {},
            id="other words in their names",
        ),
    ],
)
def test_different_tables_stay_apart(
    tmp_path: Path, files: Mapping[str, str], choices: dict[str, Any]
) -> None:
    _, draft, _ = loaded(folder_of(tmp_path / "shop", files), **choices)
    assert len([line for kind, line in draft.summary if ".csv" in line and kind == "nodes"]) == 2


def test_an_empty_file_is_named_and_the_rest_is_loaded(tmp_path: Path) -> None:
    empty = {"empty.csv": "", "blank.json": " \n", "none.jsonl": "", "header.csv": "a,b\n"}
    report, draft, _ = loaded(folder_of(tmp_path / "shop", {**empty, "sites.csv": SITES}))
    assert counts(report) == {"Site": 3}
    reasons = dict.fromkeys(("empty.csv", "blank.json", "none.jsonl"), "it is empty")
    assert draft.left_out == {**reasons, "header.csv": "no record"}
    assert "empty.csv was not read, because it is empty." in report.notes
    for name in ("empty.csv", "none.jsonl"):
        with pytest.raises(SourceError, match=f"{name} is empty"):
            loaded(tmp_path / "shop" / name)


def test_names_join_tables_and_two_of_them_are_edges(tmp_path: Path) -> None:
    files = {"birds.csv": BIRDS, "sites.csv": SITES, "seen.csv": SEEN}
    report, draft, graph = loaded(folder_of(tmp_path / "birds", files))
    assert edges(draft) == {"SEEN": ("Bird", "Site")}
    assert counts(report) == {"Bird": 4, "Site": 3, "SEEN": 3}
    sql = "SELECT s.Name, e.Number FROM Bird AS b, SEEN AS e, Site AS s WHERE MATCH(b-(e)->s)"
    assert query_graph(graph, f"{sql} AND b.Name = 'Wren'", draft.contract) == [("Mill Pond", 1)]


def test_a_name_that_is_not_there_stays_in_its_column_and_is_counted(tmp_path: Path) -> None:
    people = "name,town\n" + "".join(f"Person {at} Moor,Ulm\n" for at in range(20))
    orders = "no,person\n" + "".join(f"{at},Person {at} Moor\n" for at in range(19)) + "77,Nobody\n"
    files = {"people.csv": people, "orders.csv": orders}
    report, draft, graph = loaded(folder_of(tmp_path / "shop", files))
    assert edges(draft)["HAS_PERSON"] == ("Orders", "People")
    assert counts(report)["HAS_PERSON"] == 19
    assert counts(report)["People"] == 20
    assert "orders.csv: 1 name in person of no People, such as 'Nobody'" in report.notes
    sql = "SELECT o.Name FROM Orders AS o WHERE o.Id = 77"
    assert query_graph(graph, sql, draft.contract) == [("Nobody",)]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {
                "films.csv": "title,year\nRed,1999\nBlue,2000\nGreen,2001\n"
                + "".join(f"Film {at},2002\n" for at in range(40)),
                "shirts.csv": "sku,colour\nS-1,Red\nS-2,Blue\nS-3,Green\nS-4,Red\n",
            },
            id="words that titles are by chance",
        ),
        pytest.param(
            {
                "years.csv": "year,budget\n2020,1\n2021,2\n2022,3\n",
                "tickets.csv": "id,title,year,done\n1,Tea,2020,yes\n2,Oat,2021,no\n3,Rye,2022,no\n",
            },
            id="years and yes",
        ),
        pytest.param(
            {
                "books.csv": "title,pages\nDune,400\nEmma,300\nIt,900\n",
                "films.csv": "title,length\nDune,155\nEmma,124\nIt,135\n",
            },
            id="equal titles of different things",
        ),
        pytest.param(
            {
                "towns.csv": "town,mayor\nUlm,Ada\nUlm,Ben\nJena,Cy\nSoest,Dora\n",
                "shops.csv": "shop,town\nTea House,Ulm\nMilk Bar,Jena\nOats,Soest\n",
            },
            id="names of several records",
        ),
    ],
)
def test_equal_words_alone_are_no_reference(tmp_path: Path, files: Mapping[str, str]) -> None:
    _, draft, _ = loaded(folder_of(tmp_path / "source", files), kinds=())
    assert edges(draft) == {}


def test_links_of_which_one_lacks_its_end_stay_records_and_the_reason_is_told(
    tmp_path: Path,
) -> None:
    files = {
        "customers.csv": "id,name\n1,Ada\n2,Ben\n3,Cy\n",
        "products.csv": "sku,name\nP-1,Shoe\nP-2,Sock\nP-3,Coat\n",
        "items.csv": "customer_id,sku,qty\n1,P-1,2\n2,P-2,1\n3,P-3,4\n2,P-9,1\n1,P-3,7\n",
    }
    report, draft, _ = loaded(folder_of(tmp_path / "shop", files))
    assert counts(report)["Item"] == 5
    assert counts(report)["HAS_PRODUCT"] == 4
    why = "items.csv: 1 value of sku not in products.csv: its rows are nodes"
    assert any(line.startswith(why) for line in draft.decisions)


def test_ids_of_which_too_few_are_there_are_told(tmp_path: Path) -> None:
    orders = "".join(f"{at},{at % 9 + 1},{at}.5\n" for at in range(50))
    files = {
        "customers.csv": "id,name\n1,Ada\n2,Ben\n3,Cy\n",
        "orders.csv": f"id,customer_id,total\n{orders}",
    }
    _, draft, _ = loaded(folder_of(tmp_path / "shop", files))
    assert edges(draft) == {}
    why = "customer_id is no link to customers.csv: 6 of 9 values are not there"
    assert any(why in line for line in draft.decisions)


def test_kinds_that_differ_by_a_number_keep_it(tmp_path: Path) -> None:
    names = ("item_7", "item_8", "item_12", "item_30")
    files = {f"{name}.csv": f"{name}_id,name{name}\n1,Ada\n2,Ben\n" for name in names}
    report, *_ = loaded(folder_of(tmp_path / "store", files))
    assert counts(report).keys() == {"Item7", "Item8", "Item12", "Item30"}


def test_a_choice_may_name_a_file_without_its_ending(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "birds", {"birds.csv": BIRDS, "sites.csv": SITES})
    for name in ("birds.species", "birds.csv.species", "BIRDS.species"):
        _, draft, _ = loaded(source, key=(name,))
        bird = draft.contract.node("Bird")
        assert bird is not None and bird.source_key == "Species"
    (source / "birds.json").write_text('[{"species": "Owl", "wing": 9}]')
    with pytest.raises(SourceError, match=r"birds\.species names none of 3 tables"):
        loaded(source, key=("birds.species",))


def test_a_table_to_which_another_leads_is_nodes(tmp_path: Path) -> None:
    files = {
        "courses.csv": "course_id,name\nC1,Art\nC2,Law\n",
        "enrolments.csv": "enrolment_id,student_id,course_id,grade\n1,7,C1,3\n2,8,C2,4\n3,7,C2,5\n",
        "marks.csv": "mark_id,enrolment_id,mark\n10,1,9\n11,2,8\n12,3,7\n",
        "students.csv": "student_id,name\n7,Ada\n8,Ben\n",
    }
    report, draft, _ = loaded(folder_of(tmp_path / "school", files))
    assert counts(report)["Enrolment"] == 3
    assert edges(draft)["HAS_ENROLMENT"] == ("Mark", "Enrolment")


def test_a_table_to_which_another_leads_by_name_is_nodes(tmp_path: Path) -> None:
    files = {
        "birds.csv": BIRDS,
        "sites.csv": SITES,
        "sightings.csv": SEEN,
        "verified.csv": "no,sighting,verdict\n1,Robin,yes\n2,Wren,no\n3,Great Tit,yes\n",
    }
    report, *_ = loaded(folder_of(tmp_path / "birds", files))
    assert sum(counts(report).values()) >= 13


def test_names_that_differ_by_case_are_no_reference(tmp_path: Path) -> None:
    people = "id,name\n1,Ann Lee\n2,ANN LEE\n3,Bo Ray\n4,Cy Fox\n"
    orders = "no,person\n1,Ann Lee\n2,ANN LEE\n3,Zed Xu\n4,Bo Ray\n"
    files = {"people.csv": people, "orders.csv": orders}
    _, draft, _ = loaded(folder_of(tmp_path / "shop", files), kinds=())
    assert edges(draft) == {}


@pytest.mark.parametrize(
    ("named", "names"),
    [
        ("teams.csv", "id,name\n1,Germany\n2,France\n3,Brazil\n"),
        ("offices.csv", "office_id,city\n1,Germany\n2,France\n3,Brazil\n"),
        ("employees.csv", "id,first_name\n1,Germany\n2,France\n3,Brazil\n"),
    ],
)
@pytest.mark.parametrize("header", ["birth_country", "city", "first_name", "status"])
def test_names_of_what_a_header_does_not_name_are_no_reference(
    tmp_path: Path, named: str, names: str, header: str
) -> None:
    rows = f"id,{header},n\n1,Germany,4\n2,France,6\n3,Brazil,2\n4,France,9\n"
    _, draft, _ = loaded(folder_of(tmp_path / "source", {named: names, "xs.csv": rows}), kinds=())
    assert edges(draft) == {}


def test_kinds_that_differ_by_a_number_are_still_referred_to(tmp_path: Path) -> None:
    files = {
        "customers_1.csv": "id,name\n11,Ada\n12,Ben\n",
        "customers_2.csv": "id,name,mail\n1,Cy,c@x.org\n2,Dora,d@x.org\n3,Eve,e@x.org\n",
        "orders.csv": "id,customer_id,total\n1,1,2.5\n2,2,3.5\n3,3,1.5\n4,1,9.5\n",
    }
    _, draft, _ = loaded(folder_of(tmp_path / "shop", files))
    assert edges(draft) == {"HAS_CUSTOMER": ("Orders", "Customer2")}


@pytest.mark.parametrize("bird", ["Robin", "B1"])
def test_a_chosen_kind_is_one_where_its_values_lead_to_records(tmp_path: Path, bird: str) -> None:
    seen = f"bird,site,number\n{bird},North Wood,2\n{bird},Mill Pond,1\n{bird},Old Quarry,3\n"
    files = {"birds.csv": BIRDS, "sites.csv": SITES, "seen.csv": seen}
    source = folder_of(tmp_path / "birds", files)
    report, draft, _ = loaded(source, kinds=("seen.bird",))
    assert counts(report)["HAS_BIRD"] == 3
    assert edges(draft)["HAS_BIRD"][1] == "Bird2"


def test_tables_join_only_where_that_is_evident(tmp_path: Path) -> None:
    rows = "id,name\n1,Ada\n2,Ben\n"
    apart = {
        "subjects": {"page.csv": rows, "version.csv": rows, "batch.csv": rows},
        "periods": {f"sales_by_{p}.csv": "period,total\n1,2\n2,3\n" for p in ("day", "month")},
        "referred": {
            "customers_1.csv": rows,
            "customers_2.csv": rows,
            "orders.csv": "order_no,customer_id\n7,1\n8,2\n",
        },
    }
    for name, files in apart.items():
        report, *_ = loaded(folder_of(tmp_path / name, files))
        assert len(counts(report)) >= len(files), name


def test_parts_in_any_case_are_named_by_their_files(tmp_path: Path) -> None:
    rows = "shop,total,SourceFile\nUlm,2,a.pdf\nJena,3,b.pdf\n"
    files = {"Sales_2023.csv": rows, "sales_2024.csv": rows}
    report, draft, _ = loaded(folder_of(tmp_path / "shops", files), kinds=())
    assert counts(report) == {"Sale": 4}
    assert any("SourceFile 2" in line for line in draft.decisions)
