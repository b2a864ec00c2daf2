"""The documentation agrees with the code."""

import argparse
import ast
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts import benchmarks_page, docs, results

from moviegraph.cli import main
from moviegraph.cli.commands import COMMANDS
from moviegraph.contract.loader import load_contract
from moviegraph.prompts import prompt_files
from moviegraph.settings import SETTINGS
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge
from moviegraph_tools import DEFINITIONS

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
MEASURED = benchmarks_page.PAGE.relative_to(ROOT).as_posix()
GENERATED = {
    MEASURED,
    "docs/reference/results.md",
    *(f"docs/reference/{name}" for name in docs.PAGES),
}
PAGES = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}
HANDWRITTEN = {name: path for name, path in PAGES.items() if name not in GENERATED}
TEXTS = HANDWRITTEN | {name: ROOT / name for name in ("README.md", "CONTRIBUTING.md")}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)[^)]*\)")
ANCHOR = re.compile(r"\[[^\]]+\]\(([^):#\s]*)#([^)\s]+)\)")
# A statement in backquotes, of a call, or for `moviegraph guard`, unless marked as refused.
INLINE_SELECT = re.compile(
    r'(?:`|run_readonly_sql \{"sql": "|echo ")((?:SELECT|WITH) [^`"]+)[`"](?!.*# refused)'
)
COOKBOOK = ROOT / "examples" / "cookbook"
PAGE_CONTRACTS: dict[str, Path] = {"docs/guides/another_domain.md": COOKBOOK / "contract"}
MESSAGE_CLASSES = ("RefusalError", "Refused", "Diagnosis")


def entries(name: str) -> set[str]:
    """Return the headings of a generated page, and the first cells of its tables."""
    text = (docs.REFERENCE / name).read_text(encoding="utf-8")
    return set(re.findall(r"^(?:##+ |\|`)(\w+)(?:`\||$)", text, re.MULTILINE))


def blocks(language: str) -> list[tuple[str, str]]:
    """Return page and text of every block of one language in the texts written by hand."""
    return [
        (name, match[2])
        for name, path in TEXTS.items()
        for match in BLOCK.finditer(path.read_text(encoding="utf-8"))
        if match[1] == language
    ]


def test_the_generated_pages_are_current() -> None:
    assert [path.name for path in docs.stale(docs.generated_files())] == []


def test_page_and_chart_of_the_benchmarks_say_what_they_last_wrote() -> None:
    for path, text in benchmarks_page.generated_files().items():
        assert path.read_text(encoding="utf-8") == text


def test_the_page_of_the_benchmarks_begins_with_a_chart_and_has_at_most_1_200_words() -> None:
    page = benchmarks_page.page()
    first = next(line for line in page.splitlines()[1:] if line and not line.startswith("<!--"))
    assert re.fullmatch(r"!\[Bar charts\..+\]\(\.\./images/benchmarks\.svg\)", first)
    assert len(page.split()) <= 1_200


@pytest.mark.parametrize(
    ("processor", "expected"),
    [("a", "|cold start, s|2|1|0.50|\n|`tools/list`, bytes|10|30|3.00|"),
     ("b", "|`tools/list`, bytes|10|30|3.00|")],
)  # fmt: skip
def test_versions_are_compared_by_time_only_on_one_machine(
    processor: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "before").mkdir()
    for name, cpu, size, machine in (("startup", 1, 30, "a"), ("before/startup", 2, 10, processor)):
        figures = {"ours_cpu_s": cpu, "tools_list_bytes": size}
        text = json.dumps({"figures": figures, "machine": {"processor": machine}})
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    (tmp_path / "guard.json").write_text('{"figures": {"mean_ms": 3}}', encoding="utf-8")
    monkeypatch.setattr(benchmarks_page, "RESULTS", tmp_path)
    benchmarks_page.record.cache_clear()
    rows = benchmarks_page.text_of("comparison")
    benchmarks_page.record.cache_clear()
    assert rows == expected


@pytest.mark.slow("process")
def test_check_fails_and_names_what_is_stale(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from scripts import docs\n"
        "docs.ROOT = pathlib.Path(sys.argv.pop())\n"
        "docs.REFERENCE = docs.ROOT\n"
        "sys.exit(docs.write(docs.generated_files(), None))\n"
    )
    for name in docs.PAGES:
        text = (docs.REFERENCE / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text + ("x" if name == "cli.md" else ""), encoding="utf-8")
    command = [sys.executable, "-c", code, "--check", str(tmp_path)]
    completed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert (completed.returncode, completed.stdout) == (1, "stale: cli.md\n")


@pytest.mark.parametrize(
    ("name", "expected_members"),
    [
        pytest.param("settings.md", {setting.variable for setting in SETTINGS}, id="setting"),
        pytest.param("tools.md", {definition.name for definition in DEFINITIONS}, id="tool"),
        pytest.param("prompts.md", {file.name for file in prompt_files()}, id="prompt"),
        pytest.param("cli.md", {command.name for command in COMMANDS}, id="command"),
    ],
)
def test_every_one_has_an_entry(name: str, expected_members: set[str]) -> None:
    assert expected_members - entries(name) == set()


def codes_in(path: Path) -> Iterator[str]:
    """Yield the codes that a module raises, or answers with."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        arguments = node.args[:1] if name in MESSAGE_CLASSES else []
        second = name == "_rule" or (name == "error" and path.name != "contains.py")
        arguments += node.args[1:2] if second else []
        if name == "DialectError":
            yield "syntax"
        arguments += [keyword.value for keyword in node.keywords if keyword.arg == "code"]
        for value in arguments:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.value


@pytest.mark.slow("long")
def test_every_code_in_the_source_has_an_entry() -> None:
    sources = [*(ROOT / "server").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
    result = {code for path in sources for code in codes_in(path)}
    for path in (ROOT / "server").rglob("errors.toml"):
        result |= set(re.findall(r'\bcode = "(\w+)"', path.read_text(encoding="utf-8")))
    assert {"syntax", "wrong_arrow", "unsupported_by_engine", "divide_by_zero"} <= result
    assert result - entries("errors.md") == set()


def test_every_refusal_that_is_shown_can_still_be_met() -> None:
    guard = {code for path in (ROOT / "server" / "moviegraph" / "sql").rglob("*.py")
             for code in codes_in(path)}  # fmt: skip
    assert set(docs.words("refusals")) - guard == set()


@pytest.mark.parametrize("name", list(TEXTS))
def test_every_link_leads_to_a_file(name: str) -> None:
    path = TEXTS[name]
    targets = LINK.findall(path.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (path.parent / target).exists()] == []


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub forms them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", [*TEXTS, MEASURED])
def test_every_anchor_is_a_heading(name: str) -> None:
    path = ROOT / name
    links = ANCHOR.findall(path.read_text(encoding="utf-8"))
    pages = [(path.parent / target if target else path, anchor) for target, anchor in links]
    assert [link for link in pages if link[1] not in anchors(link[0])] == []


def test_the_layers_of_the_architecture_page_are_packages() -> None:
    page = (ROOT / "docs" / "concepts" / "architecture.md").read_text(encoding="utf-8")
    layers = page.partition("|layer|")[2].partition("\n\n")[0]
    cells = [line.split("|")[2] for line in layers.splitlines()[2:]]
    names = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    roots = (ROOT / "server" / "moviegraph", ROOT / "tools")
    modules = {path.stem for root in roots for path in root.iterdir()}
    assert len(names) > 15
    assert names - modules == set()


@pytest.mark.parametrize("name", list(HANDWRITTEN))
def test_a_page_is_short(name: str) -> None:
    text = results.BLOCK.sub(r"\1", HANDWRITTEN[name].read_text(encoding="utf-8"))
    assert len(text.splitlines()) <= 120


def test_the_documentation_has_at_most_30_000_words() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES.values(), README)]
    assert sum(len(text.split()) for text in texts) <= 30_000


def test_the_readme_has_at_most_120_lines() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 120


def test_every_page_is_reached_from_the_index() -> None:
    found, waiting = set[Path](), [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in found or page.suffix != ".md" or not page.is_file():
            continue
        found.add(page)
        targets = LINK.findall(page.read_text(encoding="utf-8"))
        waiting += [page.parent / target for target in targets if "://" not in target]
    assert {path.resolve() for path in PAGES.values()} - found == set()


def statements_shown() -> list[Any]:
    """Return every sql block and every full SELECT within a line, with its page."""
    inline = [
        (name, match[1])
        for name, path in TEXTS.items()
        for match in INLINE_SELECT.finditer(path.read_text(encoding="utf-8"))
        if "..." not in match[1]
    ]
    shown = [*blocks("sql"), *inline]
    return [
        pytest.param(name, sql, id=f"{name}-{number}") for number, (name, sql) in enumerate(shown)
    ]


@pytest.mark.parametrize(("name", "sql"), statements_shown())
def test_the_guard_accepts_the_statement_that_a_page_shows(name: str, sql: str) -> None:
    decision = judge(sql, load_contract(PAGE_CONTRACTS.get(name)))
    assert isinstance(decision, Allowed), f"{decision.code}: {decision.message}"


def test_json_and_toml_in_the_pages_can_be_read() -> None:
    for _, text in blocks("json"):
        json.loads(text)
    for _, text in blocks("toml"):
        tomllib.loads(text)


def commands_shown() -> Iterator[list[str]]:
    """Yield the words of each call of the command line that the pages show."""
    for _, text in blocks("sh"):
        for line in text.splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            lines: list[str] = []
            for word in (*lexer, ";"):
                if not set(word) <= set("|&;<>"):
                    lines.append(word)
                    continue
                if lines and lines[0].rpartition("/")[2] == "moviegraph":
                    yield lines[1:]
                lines = []


def test_the_command_line_takes_every_command_that_the_pages_show() -> None:
    parser = argparse.ArgumentParser(prog="moviegraph", exit_on_error=False)
    commands = parser.add_subparsers(required=True)
    for command in COMMANDS:
        command.configure(commands.add_parser(command.name))
    shown = list(commands_shown())
    assert shown
    for arguments in shown:
        parser.parse_args(arguments)


def in_guide(language: str) -> list[str]:
    """Return the blocks of one language in the guides that load tables."""
    names = ("docs/guides/getting_started.md", "docs/guides/column_maps.md")
    return [text for guide in names for name, text in blocks(language) if name == guide]


def test_the_films_of_the_guide_load_as_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "films.csv").write_text(in_guide("csv")[0], encoding="utf-8")
    (tmp_path / "films.toml").write_text(in_guide("toml")[0], encoding="utf-8")
    command_lines = [line for block in in_guide("sh") for line in block.splitlines()]
    _, *arguments = next(shlex.split(line) for line in command_lines if " --map films.toml" in line)
    assert main([*arguments, "--no-embeddings"]) == 0
    output = capsys.readouterr().out
    assert re.search("6 nodes: 3 Movie, .* 3 Genre", output)
    assert re.search("5 edges: .* 5 IN_GENRE", output)


def test_the_commands_of_the_guide_draft_and_load_its_films(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "films.csv").write_text(in_guide("csv")[0], encoding="utf-8")
    blocks_shown = in_guide("sh")
    at_once = next(block for block in blocks_shown if "load films.csv --into" in block)
    commands = next(block for block in blocks_shown if block.startswith("moviegraph init"))
    (loading, _), (drafting, editing) = at_once.splitlines(), commands.splitlines()
    assert main([*shlex.split(loading)[1:], "--no-embeddings"]) == 0
    assert "6 nodes: 3 Film, 3 Genre" in capsys.readouterr().out
    assert main(shlex.split(drafting)[1:]) == 0
    assert f"  {editing}" in capsys.readouterr().out.splitlines()
    assert main([*shlex.split(editing)[1:], "--no-embeddings"]) == 0
    assert "6 nodes: 3 Film, 3 Genre" in capsys.readouterr().out
    assert loading in README.read_text(encoding="utf-8").splitlines()


def test_the_guide_to_the_first_answer_has_at_most_600_words() -> None:
    guide = ROOT / "docs" / "guides" / "getting_started.md"
    assert len(guide.read_text(encoding="utf-8").split()) <= 600


def test_the_readme_shows_the_test_command_that_ci_runs() -> None:
    command = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest"
    assert command in README.read_text(encoding="utf-8")
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


PLACES = re.findall(
    r"^\|([^|]+)\|`([\w/.]+)`\|`([^`|]+)`\|$",
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def test_contributing_says_where_to_change_things() -> None:
    assert len(PLACES) >= 24


@pytest.mark.parametrize(("change", "place", "symbol"), PLACES, ids=[row[0] for row in PLACES])
def test_contributing_names_a_file_that_contains_what_to_look_for(
    change: str, place: str, symbol: str
) -> None:
    assert (ROOT / place).is_file(), f"{change}: there is no file {place}"
    text = (ROOT / place).read_text(encoding="utf-8")
    assert symbol in text, f"{change}: {place} does not contain {symbol!r}"


def test_contributing_shows_each_package() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    source = ROOT / "server" / "moviegraph"
    packages = {path.parent.name for path in source.rglob("__init__.py")} - {source.name}
    tree = set(re.findall(r"^ +(\w+) {2,}\S", text, re.MULTILINE))
    assert packages <= tree, packages - tree
