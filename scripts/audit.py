"""Audit of the installed packages for known vulnerabilities.

Status 0: every package was audited, none is vulnerable. 1: one is. 3: some or all were not audited,
because the service was not reached or does not have them; never treat this as 0.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

OK, VULNERABLE, UNKNOWN = 0, 1, 3
SERVICES = ("pypi", "osv")
PROJECT = "moviegraph"


def verdict(dependencies: Sequence[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return the status of a report and a line for each package that is not OK."""
    packages = [item for item in dependencies if item["name"] != PROJECT]
    lines: list[str] = []
    for package in packages:
        for flaw in package.get("vulns", ()):
            fixed = ", ".join(flaw.get("fix_versions", ())) or "no version yet"
            lines.append(
                f"VULNERABLE {package['name']} {package['version']}: {flaw['id']}, fixed in {fixed}"
            )
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    is_incomplete = bool(skipped) or not packages
    if is_incomplete:
        names = ", ".join(skipped)
        lines.append(f"NOT AUDITED {len(skipped)} of {len(packages)} packages: {names}")
    if any(package.get("vulns") for package in packages):
        return VULNERABLE, lines
    return (UNKNOWN if is_incomplete else OK), lines


def query_service(service: str) -> list[dict[str, Any]] | None:
    """Return the report of a service on each installed package, or None without a response."""
    command = [sys.executable, "-m", "pip_audit", "--vulnerability-service", service]
    command += ["--format", "json", "--progress-spinner", "off"]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(completed.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = completed.stderr.strip().splitlines()[-1:] or ["no response"]
        print(f"NOT REACHED {service}: {last[0][:200]}")
        return None


def main() -> int:
    """Query each service until one has every package, and print the verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", choices=SERVICES, action="append", help="query only this one")
    status = UNKNOWN
    for service in parser.parse_args().service or SERVICES:
        dependencies = query_service(service)
        if dependencies is None:
            continue
        status, lines = verdict(dependencies)
        print("\n".join([f"{service}: {len(dependencies)} packages", *lines]))
        if status != UNKNOWN:
            break
    words = {OK: "no known vulnerability", VULNERABLE: "vulnerable", UNKNOWN: "NOT AUDITED"}
    print(f"audit: {words[status]}")
    return status


if __name__ == "__main__":
    sys.exit(main())
