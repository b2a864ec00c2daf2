"""Looks for keys, tokens and passwords in every file of the repository, without the network.

What is no secret, and looks like one, stands in the baseline, each with file, kind and hash. A new
finding is status 1; `--accept` writes the baseline anew, to be read before it is committed.
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
TEXTS = (
    *("data/", "benchmarks/results/", "examples/cookbook/data/", "benchmarks/retrieval/queries"),
    *("tests/golden/", "server/moviegraph/embeddings/minilm/"),
)  # prose, words, measures and shapes alone
BINARY = (".onnx", ".npz", ".png", ".gz", ".zip", ".ico", ".woff2")
DETECTORS = (
    "Artifactory AWSKey AzureStorageKey BasicAuth Cloudant DiscordBotToken GitHubToken "
    "GitLabToken IbmCloudIam IbmCosHmac JwtToken Keyword Mailchimp Npm OpenAI PrivateKey "
    "PypiToken SendGrid Slack Softlayer SquareOAuth Stripe TelegramBotToken TwilioKey"
).split()
OWN = {"name": "ConnectionPasswordDetector", "path": f"file://{DETECTOR}"}
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
    """What looks like a secret: never the secret itself."""

    file: str
    kind: str
    hash: str
    line: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """What stays the same when the lines above it change."""
        return (self.file, self.kind, self.hash)


def tracked(root: Path) -> list[str]:
    """Return the files that are, or are about to be, in the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [
        name
        for name in listed.splitlines()
        if not name.startswith(TEXTS)
        and root / name != BASELINE
        and not name.endswith(BINARY)
        and (root / name).is_file()
    ]


def scan(root: Path, names: Iterable[str]) -> list[Finding]:
    """Return the findings in some files of a folder."""
    plugins: list[dict[str, Any]] = [{"name": f"{each}Detector"} for each in DETECTORS]
    config = {
        "plugins_used": [*plugins, *ENTROPIES, OWN],
        "filters_used": [{"path": path} for path in FILTERS],
    }
    findings: set[Finding] = set()
    with transient_settings(config):
        for name in names:
            findings |= {
                Finding(name, each.type, each.secret_hash, each.line_number)
                for each in scan_file(str(root / name))
            }
    return sorted(findings)


def scan_all(root: Path) -> list[Finding]:
    """Return the findings of the whole repository, in two processes."""
    names = tracked(root)
    with ProcessPoolExecutor(2) as pool:
        halves = pool.map(scan, (root, root), (names[::2], names[1::2]))
        return sorted(each for half in halves for each in half)


def known(path: Path = BASELINE) -> set[tuple[str, str, str]]:
    """Return the findings that somebody has looked at."""
    return {(each["file"], each["kind"], each["hash"]) for each in json.loads(path.read_text())}


def main() -> int:
    """Scan, and tell what is new."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="write the baseline anew")
    result = scan_all(ROOT)
    if parser.parse_args().accept:
        rows = [
            dict(zip(("file", "kind", "hash"), key, strict=True))
            for key in sorted({each.key for each in result})
        ]
        BASELINE.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
        print(f"{len(rows)} findings accepted; read them before you commit")
        return 0
    new = [each for each in result if each.key not in known()]
    for each in new:
        print(f"{each.file}:{each.line}: {each.kind}; if it is none: --accept, and say why")
    print(f"{len(result)} findings, {len(new)} of them new")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
