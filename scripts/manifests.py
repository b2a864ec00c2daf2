"""Writer of the bundle's manifest and of the entry for the MCP registry.

Version, tools, prompts and settings come from the code. `namespace` in pyproject.toml is that of
the registry; the publisher has to prove its ownership.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from scripts.docs import list_server, write

from moviegraph import __version__
from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import fill
from moviegraph.prompts import PromptFile, prompt_files
from moviegraph.settings import SETTINGS, Setting

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = ROOT / "packaging" / "manifest.json"
SERVER = ROOT / "packaging" / "server.json"
README = ROOT / "README.md"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
README_NAME = re.compile(r"<!-- mcp-name: (\S+) -->")
PLACEHOLDER_NAMESPACE = "invalid."
MAX_DESCRIPTION_CHARS = 100
# Fields of the installation form of the bundle: type and title by setting.
FORM_FIELDS = {
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
    """Return the name in the registry: namespace of the publisher, and project."""
    pyproject = project()
    namespace = pyproject["tool"]["moviegraph"]["release"]["namespace"]
    return f"{namespace}/{pyproject['project']['name']}"


def form_settings() -> list[Setting]:
    """Return the settings in the installation form of the bundle."""
    return [setting for setting in SETTINGS if setting.name in FORM_FIELDS]


def manifest() -> dict[str, Any]:
    """Return the manifest of the bundle in revision 0.4 of the format."""
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
                "env": {s.variable: f"${{user_config.{s.name}}}" for s in form_settings()},
            },
        },
        "tools": [{"name": t.name, "description": t.description} for t in list_server().tools],
        "prompts": [_prompt(prompt) for prompt in prompt_files()],
        "prompts_generated": True,
        "license": about["license"],
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": about["requires-python"]},
        },
        "user_config": {setting.name: _option(setting) for setting in form_settings()},
    }


def author() -> str:
    """Return the copyright holder."""
    match = re.search(r"^Copyright \(c\) \d+ (.+)$", (ROOT / "LICENSE").read_text("utf-8"), re.M)
    if match is None:
        raise SystemExit("LICENSE has no copyright line")
    return match[1]


def _prompt(prompt: PromptFile) -> dict[str, Any]:
    """Return one prompt; placeholders describe what the server fills in from its contract."""
    names = [argument.name for argument in prompt.arguments]
    filled_later = {name: f"[{name}, filled in by the server]" for name in prompt.placeholders}
    arguments = {name: f"${{arguments.{name}}}" for name in names}
    text = fill(prompt.body, filled_later | arguments)
    about = {"name": prompt.name, "description": prompt.description}
    return about | {"arguments": names, "text": text}


def _option(setting: Setting) -> dict[str, Any]:
    """Return one field; hosts require a default, so an optional field has an empty one."""
    kind, title = FORM_FIELDS[setting.name]
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
                "environmentVariables": [_variable(setting) for setting in form_settings()],
            }
        ],
    }
    problems = find_problems(entry)
    if problems:
        raise SystemExit(f"server.json: {'; '.join(problems)}")
    return entry


def _variable(setting: Setting) -> dict[str, Any]:
    kind = "filepath" if FORM_FIELDS[setting.name][0] == "directory" else "string"
    variable = {"name": setting.variable, "description": setting.help, "format": kind}
    return variable | {"isRequired": False} | ({"isSecret": True} if setting.secret else {})


def find_problems(entry: dict[str, Any]) -> list[str]:
    """Return the reasons for which the registry would refuse the entry, by its schema."""
    problems: list[str] = []
    if not NAME.fullmatch(entry.get("name", "")) or len(entry["name"]) > 200:
        problems.append("name is not NAMESPACE/NAME")
    if not 1 <= len(entry.get("description", "")) <= MAX_DESCRIPTION_CHARS:
        problems.append(f"description has not 1 to {MAX_DESCRIPTION_CHARS} characters")
    if not 1 <= len(entry.get("title", "")) <= MAX_DESCRIPTION_CHARS:
        problems.append(f"title has not 1 to {MAX_DESCRIPTION_CHARS} characters")
    versions = {
        entry.get("version"),
        *(package.get("version") for package in entry.get("packages", [])),
    }
    if len(versions) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+[\w.+-]*", str(entry.get("version"))):
        problems.append(f"versions are not one exact version: {versions}")
    for package in entry.get("packages", []):
        missing = {"registryType", "identifier", "version", "transport"} - set(package)
        problems += [f"packages: {name} is missing" for name in sorted(missing)]
    return problems


def readme() -> str:
    """Return the README with the registry name, by which the registry verifies the package."""
    text, count = README_NAME.subn(
        f"<!-- mcp-name: {registry_name()} -->", README.read_text(encoding="utf-8")
    )
    if count != 1:
        raise SystemExit("README.md needs exactly one line <!-- mcp-name: ... -->")
    return text


def generated_files() -> dict[Path, str]:
    """Return every generated file with the text that it should have."""
    documents = {MANIFEST: manifest(), SERVER: server_json()}
    texts = {
        path: json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for path, document in documents.items()
    }
    return texts | {README: readme()}


if __name__ == "__main__":
    sys.exit(write(generated_files(), __doc__))
