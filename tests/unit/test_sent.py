"""`check` names each provider that texts go to."""

from typing import Any

import pytest

from moviegraph.cli.check import check_sent
from moviegraph.cli.check_results import Report
from moviegraph.settings import Settings


@pytest.mark.parametrize(
    ("settings", "expected_destinations"),
    [
        pytest.param({}, ["nothing"], id="default"),
        pytest.param(
            {"embedder": "openai:e"}, ["openai:e receives the text of every"], id="embedder"
        ),
        pytest.param({"llm": "azure:m"}, ["azure:m receives statements to repair"], id="model"),
        pytest.param({"llm": "azure:m", "rerank": True}, ["text of records"], id="ranking"),
        pytest.param(
            {"embedder": "azure:e", "llm": "openai:m"},
            ["azure:e receives", "openai:m receives"],
            id="both",
        ),
        pytest.param(
            {"embedder": "openai:e", "embedder_base_url": "http://user:secret@models.example/v1"},
            ["openai:e (at MOVIEGRAPH_EMBEDDER_BASE_URL) receives"],
            id="an address of one's own",
        ),
    ],
)
def test_each_provider_is_named_with_what_it_gets(
    settings: dict[str, Any], expected_destinations: list[str]
) -> None:
    report = Report()
    check_sent(report, Settings(**settings))
    for line, part in zip(report.results, expected_destinations, strict=True):
        assert line.is_ok
        assert part in line.text
        assert "secret" not in line.text
