"""Full text in the language of the contract: stems of words, which the graph's manifest names."""

import json
from pathlib import Path

import pytest
from fakes.records import build_graph
from fakes.sessions import query_graph

from moviegraph.contract.ddl import script
from moviegraph.contract.languages import language_name, locale_number
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded import stemmer
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.errors import GraphError, MoviegraphError

pytest.importorskip("snowballstemmer")

GERMAN = {
    1: ("Der Himmel über Berlin", "Zwei Engel hören die Gedanken der Menschen in den Häusern."),
    2: ("Das Boot", "Die Männer eines Bootes warten auf See und fürchten die Bomben."),
    3: ("Metropolis", "Unter der Stadt arbeiten Tausende an einer Maschine."),
}
CZECH = {
    1: ("Ostře sledované vlaky", "Mladý výpravčí se zamiluje do průvodčí na malé stanici."),
    2: ("Obchod na korze", "Muž převezme krámek staré ženy a skrývá ji před vojáky."),
    3: ("Spalovač mrtvol", "Zřízenec krematoria začne věřit, že zabíjením osvobozuje duše."),
}


def graph(folder: Path, language: str, films: dict[int, tuple[str, str]]) -> Contract:
    contract = load_contract().model_copy(update={"language": language})
    nodes = [NodeRecord("Movie", key, *texts) for key, texts in films.items()]
    build_graph(nodes, [], folder, contract, None, source="made by hand")
    return contract


def found(folder: Path, contract: Contract, condition: str) -> list[int]:
    sql = f"SELECT m.Id FROM Movie AS m WHERE {condition} ORDER BY m.Id"
    return [row[0] for row in query_graph(folder, sql, contract)]


@pytest.mark.parametrize(
    ("language", "films", "word", "ids"),
    [
        pytest.param("de", GERMAN, "Haus", [1], id="German plural with umlaut"),
        pytest.param("de", GERMAN, "Mensch", [1], id="German genitive"),
        pytest.param("de-AT", GERMAN, "Booten", [2], id="a region"),
        pytest.param("German", GERMAN, "Maschinen", [3], id="by its name"),
        pytest.param("cs", CZECH, "vlak", [1], id="Czech plural"),
        pytest.param("cs", CZECH, "stanice", [1], id="Czech locative"),
        pytest.param("cs", CZECH, "vojákem", [2], id="Czech instrumental"),
        pytest.param("cs", CZECH, "žena", [2], id="Czech genitive"),
    ],
)
def test_inflected_words_are_found(
    tmp_path: Path, language: str, films: dict[int, tuple[str, str]], word: str, ids: list[int]
) -> None:
    contract = graph(tmp_path / "g", language, films)
    columns = "(m.Name, m.Content)"
    forms = f"CONTAINS({columns}, 'FORMSOF(INFLECTIONAL, {word})')"
    assert found(tmp_path / "g", contract, forms) == ids
    assert found(tmp_path / "g", contract, f"FREETEXT({columns}, '{word}')") == ids
    assert found(tmp_path / "g", contract, f"CONTAINS({columns}, '{word}')") == []
    number = locale_number(language)
    stated = f"FREETEXT({columns}, '{word}', LANGUAGE {number})"
    assert found(tmp_path / "g", contract, stated) == ids


def test_english_words_keep_their_own_stemmer(tmp_path: Path) -> None:
    contract = graph(tmp_path / "g", "en-GB", {1: ("Mice", "The children ran.")})
    assert "stems" not in json.loads((tmp_path / "g" / "manifest.json").read_text())["recipe"]
    assert found(tmp_path / "g", contract, "FREETEXT(m.*, 'mouse child')") == [1]


def test_a_statement_may_not_name_another_language(tmp_path: Path) -> None:
    contract = graph(tmp_path / "g", "de", GERMAN)
    with pytest.raises(MoviegraphError, match="language 1033"):
        found(tmp_path / "g", contract, "FREETEXT(m.*, 'Haus', LANGUAGE 1033)")


def test_an_index_is_read_with_the_stems_that_it_was_made_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = graph(tmp_path / "g", "de", GERMAN)
    recipe = json.loads((tmp_path / "g" / "manifest.json").read_text())["recipe"]
    assert recipe["stems"].startswith("german ")
    for version, says in (("1.0", "and 1.0 is installed"), ("", "and no version is installed")):
        monkeypatch.setattr(stemmer, "_installed", lambda version=version: version)
        with pytest.raises(GraphError, match=says) as raised:
            found(tmp_path / "g", contract, "m.Id = 1")
        assert "moviegraph[languages]" in (raised.value.hint or "")


def test_without_the_extra_words_are_found_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stemmer, "_installed", lambda: "")
    contract = graph(tmp_path / "g", "de", GERMAN)
    monkeypatch.undo()
    assert found(tmp_path / "g", contract, "FREETEXT(m.*, 'Haus')") == []
    assert found(tmp_path / "g", contract, "FREETEXT(m.*, 'häusern')") == [1]


@pytest.mark.parametrize(
    ("language", "name", "number"),
    [
        pytest.param("de", "GERMAN", 1031, id="tag"),
        pytest.param("pt_BR", "BRAZILIAN", 1046, id="region"),
        pytest.param("Czech", "CZECH", 1029, id="name"),
        pytest.param("ca", "CATALAN", 0, id="unknown to T-SQL"),
        pytest.param("Klingon", "", 0, id="unknown"),
    ],
)
def test_the_schema_of_sql_server_has_the_language_of_the_texts(
    language: str, name: str, number: int
) -> None:
    assert language_name(language) == name
    contract = load_contract().model_copy(update={"language": language})
    assert f"[Name] LANGUAGE {number}, [Content] LANGUAGE {number}" in script(contract, 384)
