"""The scan finds planted secrets, and an audit without a query does not pass."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from scripts import audit, secret_scan

# Put together here, so that the scan of this repository finds none of them.
PLANTED = {
    "aws": "key = 'AKIA" + "Q3EGRZ5T7NXW2JKV'",
    "github": "token: ghp_" + "aZ3kT9qLw2Xc7Vb5Nm1Jh4Gf6Ds8Pu0RyEtI",
    "openai": "OPENAI = 'sk-" + "Zk3Tq9Lw2Xc7Vb5Nm1Jh" + "T3Blbk" + "FJh4Gf6Ds8Pu0RyEtIoWq2'",
    "private": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "url": "postgres" + "://reader:Tr0ub4dor" + "zz@db.example/films",
    "connection": "Server=tcp:db.example;UID=reader;PW" + "D=Tr0ub4dor;Encrypt=yes",
    "password": "passw" + "ord = 'hJ7k2LmQ9xWz'",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "fine.py").write_text("NAME = 'nothing to hide'\n")
    return tmp_path


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_secret_is_found(repository: Path, name: str) -> None:
    (repository / "planted.py").write_text(f"\n{PLANTED[name]}\n")
    names = secret_scan.repository_files(repository)
    assert sorted(names) == ["fine.py", "planted.py"]
    scan = secret_scan.scan(repository, names)
    assert {(finding.file, finding.line) for finding in scan} == {("planted.py", 2)}
    assert not any(PLANTED[name] in str(finding) for finding in scan)


@pytest.mark.parametrize(
    "stands_for_it", ["...", "$SECRET_OF_LOAD", "{password}", "PASSWORD", "***"]
)
def test_a_placeholder_of_a_password_is_no_secret(repository: Path, stands_for_it: str) -> None:
    (repository / "fine.py").write_text(f"Server=tcp:HOST;UID=reader;PWD={stands_for_it};")
    assert secret_scan.scan(repository, ["fine.py"]) == []


def test_a_secret_stays_known_when_its_line_moves_and_no_other_is(repository: Path) -> None:
    planted = repository / "planted.py"
    planted.write_text(PLANTED["aws"])
    (before,) = secret_scan.scan(repository, ["planted.py"])
    planted.write_text(f"\n\n{PLANTED['aws']}\n{PLANTED['github']}")
    after = secret_scan.scan(repository, ["planted.py"])
    assert len([finding for finding in after if finding.key == before.key]) == 1
    assert [finding for finding in after if finding.key != before.key]


def test_what_is_known_are_files_that_exist() -> None:
    assert all(
        (secret_scan.ROOT / file).is_file() for file, _, _ in secret_scan.accepted_findings()
    )


@pytest.mark.parametrize(
    ("dependencies", "status", "says"),
    [
        pytest.param([{"name": "a", "version": "1", "vulns": []}], 0, "", id="asked, and fine"),
        pytest.param(
            [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}],
            1,
            "VULNERABLE a 1: PYSEC-1, fixed in 2",
            id="vulnerable",
        ),
        pytest.param(
            [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}],
            3,
            "NOT AUDITED 1 of 2 packages: b",
            id="one unknown",
        ),
        pytest.param([], 3, "NOT AUDITED 0 of 0", id="nothing asked"),
        pytest.param(
            [{"name": "moviegraph", "skip_reason": "editable"}, {"name": "a", "vulns": []}],
            0,
            "",
            id="the project itself is not asked about",
        ),
    ],
)
def test_an_audit_passes_only_when_every_package_was_asked_about(
    dependencies: list[dict[str, Any]], status: int, says: str
) -> None:
    result, lines = audit.verdict(dependencies)
    assert (result, "\n".join(lines)) == (status, says) or (result == status and says in lines[-1])
