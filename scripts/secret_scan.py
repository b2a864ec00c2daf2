"""Scan for keys, tokens and passwords in every file of the repository, without the network.

The baseline lists false positives by file, kind and hash. A new finding is status 1; `--accept`
writes the baseline again, to be reviewed before it is committed.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detect_secrets.core.scan import scan_file
from detect_secrets.settings import transient_settings

ROOT = Path(__file__).resolve().parents[1]
BASELINE = ROOT / "scripts" / "known_findings.json"
DETECTOR = ROOT / "scripts" / "connection_password.py"
DATA_PREFIXES = (
    *("data/", "benchmarks/results/", "examples/cookbook/data/", "benchmarks/retrieval/queries"),
    *("tests/golden/", "server/moviegraph/embeddings/minilm/"),
)  # only prose, words, measurements and shapes
BINARY_SUFFIXES = (".onnx", ".npz", ".png", ".gz", ".zip", ".ico", ".woff2")
DETECTORS = (
    "Artifactory AWSKey AzureStorageKey BasicAuth Cloudant DiscordBotToken GitHubToken "
    "GitLabToken IbmCloudIam IbmCosHmac JwtToken Keyword Mailchimp Npm OpenAI PrivateKey "
    "PypiToken SendGrid Slack Softlayer SquareOAuth Stripe TelegramBotToken TwilioKey"
).split()
CONNECTION_PASSWORDS = {"name": "ConnectionPasswordDetector", "path": f"file://{DETECTOR}"}
ENTROPIES = (
    {"name": "Base64HighEntropyString", "limit": 4.5},
    {"name": "HexHighEntropyString", "limit": 3.0},
)
FILTERS = (
    "detect_secrets.filters.allowlist.is_line_allowlisted",
    "detect_secrets.filters.heuristic.is_indirect_reference",
    "detect_secrets.filters.heuristic.is_not_alphanumeric_string",
    "detect_secrets.filters.heuristic.is_potential_uuid",
    "detect_secrets.filters.heuristic.is_prefixed_with_dollar_sign",
    "detect_secrets.filters.heuristic.is_sequential_string",
    "detect_secrets.filters.heuristic.is_templated_secret",
)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Position and hash of a possible secret, never the secret."""

    file: str
    kind: str
    hash: str
    line: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the finding when lines above it change."""
        return (self.file, self.kind, self.hash)


def repository_files(root: Path) -> list[str]:
    """Return the tracked files and the new ones that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [
        name
        for name in output.splitlines()
        if not name.startswith(DATA_PREFIXES)
        and root / name != BASELINE
        and not name.endswith(BINARY_SUFFIXES)
        and (root / name).is_file()
    ]


def scan(root: Path, names: Iterable[str]) -> list[Finding]:
    """Return the findings in some files of a folder."""
    plugins: list[dict[str, Any]] = [{"name": f"{detector}Detector"} for detector in DETECTORS]
    config = {
        "plugins_used": [*plugins, *ENTROPIES, CONNECTION_PASSWORDS],
        "filters_used": [{"path": path} for path in FILTERS],
    }
    findings: set[Finding] = set()
    with transient_settings(config):
        for name in names:
            findings |= {
                Finding(name, secret.type, secret.secret_hash, secret.line_number)
                for secret in scan_file(str(root / name))
            }
    return sorted(findings)


def scan_all(root: Path) -> list[Finding]:
    """Return the findings of the complete repository, in two processes."""
    names = repository_files(root)
    with ProcessPoolExecutor(2) as pool:
        halves = pool.map(scan, (root, root), (names[::2], names[1::2]))
        return sorted(finding for half in halves for finding in half)


def accepted_findings(path: Path = BASELINE) -> set[tuple[str, str, str]]:
    """Return the reviewed findings of the baseline."""
    return {(row["file"], row["kind"], row["hash"]) for row in json.loads(path.read_text())}


def main() -> int:
    """Scan, and print the new findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="write the baseline again")
    findings = scan_all(ROOT)
    if parser.parse_args().accept:
        rows = [
            dict(zip(("file", "kind", "hash"), key, strict=True))
            for key in sorted({finding.key for finding in findings})
        ]
        BASELINE.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
        print(f"{len(rows)} findings accepted. Review them before you commit")
        return 0
    accepted = accepted_findings()
    new = [finding for finding in findings if finding.key not in accepted]
    for finding in new:
        position = f"{finding.file}:{finding.line}"
        print(f"{position}: {finding.kind}. Remove it, or --accept a false positive with a reason.")
    print(f"{len(findings)} findings, {len(new)} of them new")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
