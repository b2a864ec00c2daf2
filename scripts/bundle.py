"""Packing of the bundle for one-click installation with the official tool, and a run of it.

The bundle contains no third-party packages: its host installs them with uv, at the versions that
requirements/core.txt pins, for the user's machine.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.smoke_test import check_server, clean_environment

from moviegraph import __version__

ROOT = Path(__file__).resolve().parents[1]
TOOL = "@anthropic-ai/mcpb@2.1.2"
NAME = f"moviegraph-{__version__}.mcpb"
FOLDERS = ("server", "tools", "schema_docs", "prompts", "data")
FILES = ("README.md", "LICENSE", "NOTICE")
PYTHON = "3.12"
EXCLUDED = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")
PIN = re.compile(r"^([A-Za-z0-9._-]+==[^\\\n]+?)\s*\\?$", re.MULTILINE)
# The official tool also has the code that turns a manifest and user input into a command.
RESOLVE = """
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
import { readFileSync } from "node:fs";
const [folder, input] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(folder + "/manifest.json", "utf8"));
const config = await getMcpConfigForManifest({ manifest, extensionPath: folder, systemDirs: {},
  userConfig: JSON.parse(input), pathSeparator: "/" });
console.log(JSON.stringify(config));
"""


def stage(folder: Path) -> None:
    """Copy the content of the bundle into a folder."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=EXCLUDED)
    for name in FILES:
        shutil.copyfile(ROOT / name, folder / name)
    for name in ("manifest.json", "icon.png"):
        shutil.copyfile(ROOT / "packaging" / name, folder / name)
    (folder / "pyproject.toml").write_text(pinned_project(), encoding="utf-8")
    (folder / ".python-version").write_text(f"{PYTHON}\n", encoding="utf-8")


def pinned_project() -> str:
    """Return pyproject.toml with the pins as constraints, which every command of uv respects."""
    pins = PIN.findall((ROOT / "requirements" / "core.txt").read_text(encoding="utf-8"))
    lines = "".join(f"    {json.dumps(pin.strip())},\n" for pin in pins)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if text.count("\n[tool.uv]\n") != 1 or not pins:
        raise SystemExit("pyproject.toml has no [tool.uv], or no package is pinned")
    return text.replace("[tool.uv]\n", f"[tool.uv]\nconstraint-dependencies = [\n{lines}]\n", 1)


def install_tool(folder: Path) -> Path:
    """Install the pinned official tool into a folder; return its command."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing. Install Node.js: the official tool packs the bundle.")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", TOOL]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "node_modules" / ".bin" / "mcpb"


def pack(target: Path) -> Path:
    """Validate, pack, unpack and run; return the bundle."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        tool = install_tool(work)
        staged, unpacked = work / "staged", work / "unpacked"
        staged.mkdir()
        stage(staged)
        bundle = target / NAME
        for command in (["validate", str(staged)], ["pack", str(staged), str(bundle)],
                        ["unpack", str(bundle), str(unpacked)]):  # fmt: skip
            subprocess.run([str(tool), *command], check=True, stdout=sys.stderr)
        for line in run(work, unpacked):
            print(f"bundle: {line}")
    return bundle


def run(tool: Path, unpacked: Path) -> list[str]:
    """Start the unpacked bundle as a host does when the user leaves every field empty."""
    (tool / "resolve.mjs").write_text(RESOLVE, encoding="utf-8")
    completed = subprocess.run(
        ["node", "resolve.mjs", str(unpacked), "{}"],
        cwd=tool, check=True, capture_output=True, text=True,
    )  # fmt: skip
    config: dict[str, Any] = json.loads(completed.stdout)
    home = tool / "home"
    home.mkdir()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    tools = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    host_variables = {**config["env"], "UV_PYTHON": version, "PATH": tools}
    variables = clean_environment(home, host_variables)
    program: str = config["command"]
    command = shutil.which(program, path=tools) or program
    arguments: list[str] = config["args"]
    return check_server([command, *arguments], variables, home)


def main() -> int:
    """Pack into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "dist")
    target: Path = parser.parse_args().into.absolute()
    target.mkdir(exist_ok=True)
    bundle = pack(target)
    print(f"bundle: {bundle.name}, {bundle.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
