"""Writes what others install from: the bundle's manifest and the entry for the MCP registry.

The version, the tools, the prompts and the settings come from the code. Under which name the
registry knows the server is `namespace` in pyproject.toml: who publishes has to prove it.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from scripts.docs import served, write

from moviegraph import __version__
from moviegraph.contract.loader import load_contract
from moviegraph.contract.placeholders import fill
from moviegraph.prompts import PromptFile, prompt_files
from moviegraph.settings import SETTINGS, Setting

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = ROOT / "packaging" / "manifest.json"
SERVER = ROOT / "packaging" / "server.json"
README = ROOT / "README.md"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
README_NAME = re.compile(r"<!-- mcp-name: (\S+) -->")
NOBODY = "invalid."
LONGEST_DESCRIPTION = 100
# What a person is asked for when the bundle is installed: the type of the field, and its title.
ASKED = {
    "graph": ("directory", "Graph folder"),
    "engine": ("string", "Engine"),
    "mssql": ("string", "SQL Server connection string"),
    "embedder": ("string", "Embedding model"),
    "embedder_api_key": ("string", "Key of the embedding model"),
    "llm": ("string", "Language model"),
    "llm_api_key": ("string", "Key of the language model"),
}


def project() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def registry_name() -> str:
    """Return the name in the registry: a namespace that its publisher proves, and the project."""
    result = project()
    return f"{result['tool']['moviegraph']['release']['namespace']}/{result['project']['name']}"


def asked() -> list[Setting]:
    """Return the settings that the bundle asks for."""
    return [each for each in SETTINGS if each.name in ASKED]


def manifest() -> dict[str, Any]:
    """Return the manifest of the bundle, as revision 0.4 of the format has it."""
    about = project()["project"]
    return {
        "manifest_version": "0.4",
        "name": about["name"],
        "display_name": load_contract().title,
        "version": __version__,
        "description": about["description"],
        "author": {"name": author()},
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": "server/main.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "server/main.py", "serve"],
                "env": {each.variable: f"${{user_config.{each.name}}}" for each in asked()},
            },
        },
        "tools": [{"name": t.name, "description": t.description} for t in served().tools],
        "prompts": [_prompt(each) for each in prompt_files()],
        "prompts_generated": True,
        "license": about["license"],
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": about["requires-python"]},
        },
        "user_config": {each.name: _option(each) for each in asked()},
    }


def author() -> str:
    """Return who holds the copyright."""
    match = re.search(r"^Copyright \(c\) \d+ (.+)$", (ROOT / "LICENSE").read_text("utf-8"), re.M)
    if match is None:
        raise SystemExit("LICENSE names no holder")
    return match[1]


def _prompt(prompt: PromptFile) -> dict[str, Any]:
    """Return one prompt; what the server fills in from its contract is named in its place."""
    names = [each.name for each in prompt.arguments]
    waits = {name: f"[{name}, filled in by the server]" for name in prompt.placeholders}
    arguments = {name: f"${{arguments.{name}}}" for name in names}
    text = fill(prompt.body, waits | arguments)
    about = {"name": prompt.name, "description": prompt.description}
    return about | {"arguments": names, "text": text}


def _option(setting: Setting) -> dict[str, Any]:
    """Return one field; one that is left empty must be filled in all the same, with nothing."""
    kind, title = ASKED[setting.name]
    default = setting.default if isinstance(setting.default, str) else ""
    help_text = f"{setting.help} Value: {setting.type.words}."
    option = {"type": kind, "title": title, "description": help_text}
    option |= {"required": False, "default": default}
    return option | ({"sensitive": True} if setting.secret else {})


def server_json() -> dict[str, Any]:
    """Return the entry for the registry: the package, started over stdio."""
    name = registry_name()
    about = project()["project"]
    entry = {
        "$schema": SCHEMA,
        "name": name,
        "title": load_contract().title,
        "description": project()["tool"]["moviegraph"]["release"]["summary"],
        "version": __version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": about["name"],
                "version": __version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "serve"}],
                "environmentVariables": [_variable(each) for each in asked()],
            }
        ],
    }
    problems = list(wrong_in(entry))
    if problems:
        raise SystemExit(f"server.json: {'; '.join(problems)}")
    return entry


def _variable(setting: Setting) -> dict[str, Any]:
    kind = "filepath" if ASKED[setting.name][0] == "directory" else "string"
    variable = {"name": setting.variable, "description": setting.help, "format": kind}
    return variable | {"isRequired": False} | ({"isSecret": True} if setting.secret else {})


def wrong_in(entry: dict[str, Any]) -> list[str]:
    """Return what the registry would refuse: its schema asks for this, in the words of ours."""
    problems: list[str] = []
    if not NAME.fullmatch(entry.get("name", "")) or len(entry["name"]) > 200:
        problems.append("name is not NAMESPACE/NAME")
    if not 1 <= len(entry.get("description", "")) <= LONGEST_DESCRIPTION:
        problems.append(f"description has not 1 to {LONGEST_DESCRIPTION} characters")
    if not 1 <= len(entry.get("title", "")) <= LONGEST_DESCRIPTION:
        problems.append(f"title has not 1 to {LONGEST_DESCRIPTION} characters")
    versions = {entry.get("version"), *(each.get("version") for each in entry.get("packages", []))}
    if len(versions) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+[\w.+-]*", str(entry.get("version"))):
        problems.append(f"versions are not one exact version: {versions}")
    for package in entry.get("packages", []):
        missing = {"registryType", "identifier", "version", "transport"} - set(package)
        problems += [f"packages: {each} is missing" for each in sorted(missing)]
    return problems


def readme() -> str:
    """Return the README with the name by which the registry finds that it is of this package."""
    text, done = README_NAME.subn(
        f"<!-- mcp-name: {registry_name()} -->", README.read_text(encoding="utf-8")
    )
    if done != 1:
        raise SystemExit("README.md needs exactly one line <!-- mcp-name: ... -->")
    return text


def wanted() -> dict[Path, str]:
    """Return every generated file with the text that it should have."""
    result = {path: json.dumps(created, indent=2, ensure_ascii=False) + "\n"
             for path, created in ((MANIFEST, manifest()), (SERVER, server_json()))}  # fmt: skip
    return result | {README: readme()}


if __name__ == "__main__":
    sys.exit(write(wanted(), __doc__))
