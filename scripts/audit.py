"""Asks which installed packages have known vulnerabilities, and says what could not be asked.

Status 0: every package was asked about, none is vulnerable. 1: one is. 3: some, or all, could not
be asked about, because the service was not reached or does not know them: never to be read as 0.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

FINE, VULNERABLE, UNKNOWN = 0, 1, 3
SERVICES = ("pypi", "osv")
OWN = "moviegraph"


def verdict(dependencies: Sequence[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return the status of a report and a line for each package that is not fine."""
    others = [each for each in dependencies if each["name"] != OWN]
    lines: list[str] = []
    for each in others:
        for flaw in each.get("vulns", ()):
            fixed = ", ".join(flaw.get("fix_versions", ())) or "no version yet"
            lines.append(
                f"VULNERABLE {each['name']} {each['version']}: {flaw['id']}, fixed in {fixed}"
            )
    unasked = [each["name"] for each in others if "skip_reason" in each]
    if unasked or not others:
        lines.append(f"NOT AUDITED {len(unasked)} of {len(others)} packages: {', '.join(unasked)}")
    vulnerable = any(each.get("vulns") for each in others)
    return (VULNERABLE if vulnerable else UNKNOWN if unasked or not others else FINE), lines


def asked(service: str) -> list[dict[str, Any]] | None:
    """Return what a service says of each package of this environment, or None without an answer."""
    command = [sys.executable, "-m", "pip_audit", "--vulnerability-service", service]
    command += ["--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = done.stderr.strip().splitlines()[-1:] or ["no answer"]
        print(f"NOT REACHED {service}: {last[0][:200]}")
        return None


def main() -> int:
    """Ask each service until one knows every package, and tell the verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", choices=SERVICES, action="append", help="ask this one alone")
    status = UNKNOWN
    for service in parser.parse_args().service or SERVICES:
        dependencies = asked(service)
        if dependencies is None:
            continue
        status, lines = verdict(dependencies)
        print("\n".join([f"asked {service} about {len(dependencies)} packages", *lines]))
        if status != UNKNOWN:
            break
    words = {FINE: "no known vulnerability", VULNERABLE: "vulnerable", UNKNOWN: "NOT AUDITED"}
    print(f"audit: {words[status]}")
    return status


if __name__ == "__main__":
    sys.exit(main())
