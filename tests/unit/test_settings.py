import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moviegraph.errors import SettingsError
from moviegraph.settings import (
    FLAG,
    SETTINGS,
    Settings,
    current_date,
    local_date,
    read_settings,
    unknown_variables,
)


def test_the_command_line_beats_the_environment_and_that_the_defaults() -> None:
    environment = {"MOVIEGRAPH_TOP": "5", "MOVIEGRAPH_TIMEOUT": "2.5", "MOVIEGRAPH_GRAPH": ""}
    settings = read_settings({"top": "7", "timeout": None}, environment)
    assert (settings.top, settings.timeout, settings.graph) == (7, 2.5, None)
    assert settings.total_timeout == 45.0


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        pytest.param("ENGINE", "oracle", "embedded, mssql", id="choice"),
        pytest.param("TOP", "0", "from 1 to 1000", id="too small"),
        pytest.param("TOP", "1e3", "whole number", id="no integer"),
        pytest.param("TOP", "\u0663", "whole number", id="other digits"),
        pytest.param("TIMEOUT", "nan", "seconds", id="not a number"),
        pytest.param("TIMEOUT", "soon", "seconds", id="word"),
        pytest.param("MSSQL_ALLOW_WRITABLE", "perhaps", "yes", id="flag"),
        pytest.param("TODAY", "28.7.2026", "ISO date", id="date"),
        pytest.param("EMBEDDER", "openai:", "openai:MODEL", id="provider"),
        pytest.param("LLM", "local", "azure:DEPLOYMENT", id="no local model"),
        pytest.param("GRAPH", "  ", "path", id="blank"),
        pytest.param("TOOLS", " , ", "separated by commas", id="empty list"),
    ],
)
def test_a_bad_value_names_setting_value_and_what_is_allowed(
    variable: str, value: str, allowed: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings({}, {f"MOVIEGRAPH_{variable}": value})
    message = raised.value.message
    assert message.startswith(f"MOVIEGRAPH_{variable}: {value!r} is not ")
    assert allowed in message


def test_secrets_are_neither_printed_nor_repeated_nor_flags() -> None:
    secrets = [setting for setting in SETTINGS if setting.secret]
    assert {setting.name for setting in secrets} == {
        "mssql",
        "mssql_load",
        "mssql_load_password",
        "mssql_password",
        "embedder_api_key",
        "llm_api_key",
    }
    settings = read_settings({}, {setting.variable: "hunter2" for setting in secrets})
    assert "hunter2" not in repr(settings)
    assert all(setting.flag is None for setting in secrets)
    assert settings.mssql == "hunter2"


def test_paths_lists_flags_and_dates_are_read() -> None:
    settings = read_settings(
        {
            "graph": "~/graph",
            "allowed_hosts": "a.example, b.example:80, c.example:*",
            "today": "2026-07-28",
        },
        {"MOVIEGRAPH_MSSQL_ALLOW_WRITABLE": "Yes"},
    )
    assert settings.graph == Path.home() / "graph"
    assert settings.allowed_hosts == ("a.example", "b.example:80", "c.example:*")
    assert settings.today == "2026-07-28"
    assert settings.mssql_allow_writable is True


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        pytest.param("allowed_hosts", "https://films.example/mcp", id="a URL for a host"),
        pytest.param("allowed_hosts", "*", id="every host"),
        pytest.param("allowed_hosts", "*.example.org", id="every host of a domain"),
        pytest.param("allowed_hosts", "*:8443", id="every host on a port"),
        pytest.param("allowed_origins", "films.example", id="a host for an origin"),
        pytest.param("allowed_origins", "*", id="every origin"),
        pytest.param("allowed_origins", "https://*.example.org", id="every origin of a domain"),
        pytest.param("allowed_hosts", "films.example:", id="no port"),
        pytest.param("allowed_hosts", "films.example:99999", id="no such port"),
        pytest.param("allowed_hosts", "films..example", id="an empty label"),
        pytest.param("allowed_hosts", "[::1", id="an open bracket"),
        pytest.param("allowed_hosts", "[::z]", id="no address"),
        pytest.param(
            "allowed_hosts", "m\N{LATIN SMALL LETTER U WITH DIAERESIS}ller.example", id="IDN"
        ),
        pytest.param("allowed_origins", "https://films.example:0", id="no such port of an origin"),
        pytest.param("trusted_proxies", "10.0.0.1, proxy.example", id="a name for a proxy"),
        pytest.param("trusted_proxies", "10.0.0.0/99", id="no network"),
        pytest.param("trusted_proxies", "999.1.1.1", id="no address of a proxy"),
    ],
)
def test_a_name_that_could_never_match_is_no_setting(name: str, variable: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(variable.split(",")[0])):
        read_settings({name: variable}, {})


def test_names_are_read_in_the_form_in_which_requests_bear_them() -> None:
    settings = read_settings(
        {
            "allowed_hosts": "Films.Example, movie_graph:8765, [::1]:*",
            "allowed_origins": "https://Chat.Example:443, http://chat.example:8080, app://notes",
        },
        {},
    )
    assert settings.allowed_hosts == ("films.example", "movie_graph:8765", "[::1]:*")
    assert settings.allowed_origins == (
        "https://chat.example",
        "http://chat.example:8080",
        "app://notes",
    )


def test_addresses_and_networks_of_proxies_are_read() -> None:
    settings = read_settings({"trusted_proxies": "127.0.0.1, fd00::/8, 10.0.0.1/8"}, {})
    assert settings.trusted_proxies == ("127.0.0.1", "fd00::/8", "10.0.0.0/8")


def test_every_default_is_a_value_that_its_setting_accepts() -> None:
    for setting in SETTINGS:
        if isinstance(setting.default, str | int | float):
            text = str(setting.default).lower() if setting.type is FLAG else str(setting.default)
            assert setting.parse(text, setting.name) == setting.default


def test_a_loop_of_links_is_no_path(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SettingsError, match="is not a path"):
        read_settings({"journal": str(tmp_path / "loop")}, {})


def test_the_home_of_an_unknown_user_is_no_path() -> None:
    with pytest.raises(SettingsError, match="~nobody-there"):
        read_settings({"graph": "~nobody-there/graph"}, {})


def test_the_usual_places_are_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    settings = Settings()
    assert settings.journal_file.name == "journal.sqlite"
    assert settings.graph_folder.name == "box"
    assert Settings(graph=tmp_path).graph_folder == tmp_path
    assert Settings(journal=tmp_path / "j").journal_file == tmp_path / "j"


def test_an_unknown_variable_is_reported_with_the_nearest() -> None:
    result = unknown_variables({"MOVIEGRAPH_TIMOUT": "1", "PATH": "x", "MOVIEGRAPH_TOP": "1"})
    assert result == ["MOVIEGRAPH_TIMOUT is not a setting; did you mean MOVIEGRAPH_TIMEOUT?"]


def test_today_is_the_local_date_unless_it_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Pacific/Kiritimati")  # fourteen hours before UTC
        time.tzset()
        assert local_date("2026-01-01T12:00:00.000+00:00") == "2026-01-02"
        assert current_date(None) == datetime.now(UTC).astimezone().date().isoformat()
        assert current_date("2020-05-06") == "2020-05-06"
    time.tzset()
