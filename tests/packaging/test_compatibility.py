"""The external drivers of the server and their recorded results agree."""

import json
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BASELINE = ROOT / "tests" / "conformance" / "baseline.toml"
PLACE = ("shipped", "2026-07-28")


@pytest.fixture
def conformance(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from scripts import conformance

    return conformance


def test_the_page_of_frameworks_says_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from scripts import compatibility

    measured = json.loads(compatibility.RESULTS.read_text(encoding="utf-8"))
    assert compatibility.PAGE.read_text(encoding="utf-8") == compatibility.page(measured)
    assert set(measured["frameworks"]) == {framework.name for framework in compatibility.FRAMEWORKS}


def test_every_entry_of_the_conformance_baseline_has_a_reason() -> None:
    baseline = tomllib.loads(BASELINE.read_text(encoding="utf-8"))
    for tables in baseline.values():
        for entries in tables.values():
            assert all(len(reason.split()) > 2 for reason in entries.values())


def test_with_fixtures_only_what_is_not_scored_may_fail() -> None:
    fixtures = tomllib.loads(BASELINE.read_text(encoding="utf-8"))["fixtures"]
    for entries in fixtures.values():
        assert all(reason.startswith("not scored") for reason in entries.values())


CHECKS = (("ping", "pong", "SUCCESS"), ("logs", "level", "FAILURE"), ("logs", "wire", "WARNING"))


@pytest.mark.parametrize(
    ("excused", "vacuous", "unexpected", "stale"),
    [
        pytest.param({"logs": "why"}, {}, [], [], id="a whole scenario is excused"),
        pytest.param({"logs:level": "why"}, {}, ["wire"], [], id="a warning is not excused"),
        pytest.param(
            {"logs": "why", "ping:pong": "why"}, {}, [], ["ping:pong"], id="what passes is stale"
        ),
        pytest.param({"logs": "why"}, {"ping": "why"}, [], [], id="it passes for nothing"),
        pytest.param(
            {"logs": "why"}, {"gone": "why"}, [], ["gone"], id="what did not run is stale"
        ),
    ],
)
def test_conformance_is_held_against_its_baseline(
    conformance: ModuleType,
    excused: dict[str, str],
    vacuous: dict[str, str],
    unexpected: list[str],
    stale: list[str],
) -> None:
    checks: list[Any] = [conformance.Check(*check, message="") for check in CHECKS]
    verdict = conformance.verdict(
        PLACE, checks, excused, vacuous, unscored=frozenset({"logs"}), agreed=True
    )
    assert [check.id for check in verdict.unexpected] == unexpected
    assert verdict.stale == stale
    assert verdict.is_as_expected == (not unexpected and not stale)
    assert (verdict.passed, verdict.scored) == ("1/3", "1/1")
