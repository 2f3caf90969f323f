"""The documents say nothing that does not run: examples, command lines, options and the manifest, in both languages."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from dsh_compat_adapter import Capability, CompatAdapter, EmbeddedHost
from dsh_compat_adapter.declare.manifest import NAME, read_manifest

ROOT = Path(__file__).resolve().parent.parent
TEAM = ROOT / "examples/team"
READMES = ("README.md", "README.zh.md")
PAIRS = (READMES, ("docs/hooks.md", "docs/hooks.zh.md"), ("docs/check.md", "docs/check.zh.md"))  # English, Chinese
PAGES = [name for pair in PAIRS for name in pair]
PROGRAM = "dsh-compat"
EXIT_CODE = re.compile(r"exit code (\d)")


class Block(NamedTuple):
    """One fenced block of code."""

    language: str
    text: str


class Document(NamedTuple):
    """One README without its generated parts: what a person wrote."""

    name: str
    headings: tuple[int, ...]
    blocks: tuple[Block, ...]
    spans: tuple[str, ...]  # `code` in prose and tables

    def code(self, *languages: str) -> list[str]:
        return [block.text for block in self.blocks if block.language in languages]


def parse(name: str, text: str) -> Document:
    text = re.sub(r"<!-- generated:([a-z-]+) -->.*?<!-- /generated:\1 -->", "", text, flags=re.DOTALL)
    fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    prose = fence.sub("", text)
    assert "```" not in prose, f"{name}: a block of code has no language or no end"
    return Document(
        name=name,
        headings=tuple(len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)),
        blocks=tuple(Block(*found) for found in fence.findall(text)),
        spans=tuple(re.findall(r"`([^`\n]+)`", prose)),
    )


@cache
def document(name: str) -> Document:
    return parse(name, (ROOT / name).read_text(encoding="utf-8"))


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "adapter"), "COLUMNS": "80"}


def call(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """One command of this package, in a fresh interpreter."""
    program = "import sys; from dsh_compat_adapter.cli import main; sys.exit(main())"
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


@cache
def help_of(*command: str) -> str:
    return call([*command, "--help"], ROOT).stdout


@cache
def commands() -> frozenset[str]:
    return frozenset(re.findall(r"^    ([a-z][a-z-]*)(?: |$)", help_of(), re.MULTILINE))


def options(command: str) -> set[str]:
    return set(re.findall(r"--[a-z][a-z-]*", help_of(command)))


def command_lines(readme: Document) -> list[str]:
    lines = [line for text in readme.code("sh", "console") for line in text.splitlines()]
    return [line for line in lines if line.startswith(f"{PROGRAM} ")]


def mentions(readme: Document) -> list[str]:
    """Every mention of the program with something behind it, in prose and in code, pipes and arguments included."""
    lines = [line for text in readme.code("sh", "console") for line in text.splitlines()]
    found = [re.findall(rf"\b{PROGRAM} [^|&;]+", text) for text in (*readme.spans, *lines)]
    return [mention for several in found for mention in several]


def team_in(folder: Path) -> Path:
    return Path(shutil.copytree(TEAM, folder / "examples/team"))


CASES = [(name, index) for name in READMES for index, _ in enumerate(document(name).code("python"))]
LINES = list(dict.fromkeys(line for name in PAGES for line in command_lines(document(name))))


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_have_the_same_structure_of_headings(pair: tuple[str, str]) -> None:
    english, chinese = map(document, pair)
    assert english.headings == chinese.headings


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_show_the_same_code(pair: tuple[str, str]) -> None:
    english, chinese = map(document, pair)
    assert english.blocks == chinese.blocks


def test_each_readme_has_each_generated_part_once() -> None:
    for name in READMES:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(r"<!-- (/?generated:[a-z-]+) -->", text) == [
            "generated:counts",
            "/generated:counts",
            "generated:fidelity",
            "/generated:fidelity",
            "generated:matrix",
            "/generated:matrix",
        ]


def test_a_readme_is_shorter_than_200_lines_without_what_is_generated() -> None:
    for name in READMES:
        text = (ROOT / name).read_text(encoding="utf-8")
        written = re.sub(r"(<!-- generated:([a-z]+) -->).*?(<!-- /generated:\2)", r"\1\n\3", text, flags=re.DOTALL)
        assert len(written.splitlines()) < 200, name


@pytest.mark.parametrize(("name", "index"), CASES)
def test_an_example_in_python_runs_in_a_fresh_interpreter_and_prints_what_is_shown(
    name: str, index: int, tmp_path: Path
) -> None:
    readme = document(name)
    script = tmp_path / "example.py"
    script.write_text(readme.code("python")[index], encoding="utf-8")
    command = [sys.executable, "-W", "error", str(script)]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["example.py"], "it leaves files behind"
    # the block after the example is its output, with `...` for what is left out
    place = [at for at, block in enumerate(readme.blocks) if block.language == "python"][index]
    shown = readme.blocks[place + 1]
    assert shown.language == "text"
    checker = doctest.OutputChecker()
    assert checker.check_output(shown.text, ran.stdout, doctest.ELLIPSIS), ran.stdout


@pytest.mark.parametrize("name", READMES)
async def test_the_manifest_is_read_and_all_of_it_runs_in_the_example(name: str, tmp_path: Path) -> None:
    [text] = document(name).code("yaml")
    path = team_in(tmp_path) / NAME
    path.write_text(text, encoding="utf-8")
    manifest = read_manifest(path)
    async with CompatAdapter(EmbeddedHost(str(path.parent))) as adapter:
        results = await adapter.register_manifest(path)
    assert len(results) == len(manifest.hooks) + len(manifest.rules)
    assert {result.capability for result in results} == {Capability.ADAPTED, Capability.CARRY}
    assert [result.warnings for result in results if result.event and result.warnings] == []


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_runs_and_ends_with_the_exit_code_that_is_shown(line: str, tmp_path: Path) -> None:
    team_in(tmp_path)
    said = EXIT_CODE.search(line)
    ran = call(shlex.split(line, comments=True)[1:], tmp_path)
    assert (ran.returncode, ran.stderr) == (int(said[1]) if said else 0, "")
    assert ran.stdout


def test_there_are_command_lines_to_try() -> None:
    assert [line for line in LINES if line.startswith(f"{PROGRAM} check ")]
    assert [line for line in LINES if line.startswith(f"{PROGRAM} run ")]


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_option_that_is_mentioned_exists(name: str) -> None:
    readme = document(name)
    unknown = []
    for mention in mentions(readme):
        command, *words = mention.removeprefix(f"{PROGRAM} ").split()
        known = options(command) if command in commands() else set()
        if command not in commands() | {"--version"}:
            unknown.append(mention)
        unknown += [f"{mention}: {word}" for word in words if word.startswith("--") and word not in known]
    everywhere = {option for command in commands() for option in options(command)} | {"--check"}
    spans = [span for span in readme.spans if span.startswith("--")]
    unknown += [word for span in spans for word in span.split() if word.startswith("--") and word not in everywhere]
    assert unknown == []


@pytest.mark.parametrize("name", READMES)
def test_every_script_that_is_mentioned_is_there_and_can_be_run(name: str) -> None:
    readme = document(name)
    texts = [*readme.spans, *readme.code("sh", "console")]
    scripts = {path for text in texts for path in re.findall(r"\bscripts/[a-z_]+", text)}
    assert {"scripts/demo", "scripts/test"} <= scripts
    assert [path for path in scripts if not os.access(ROOT / path, os.X_OK)] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_local_link_leads_to_a_file(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert local
    assert [link for link in local if not (ROOT / name).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("`dsh-compat frobnicate`", "frobnicate"),
        ("`dsh-compat check --frobnicate .`", "--frobnicate"),
        ("```sh\necho '{}' | dsh-compat frobnicate\n```", "frobnicate"),
    ],
    ids=["command", "option", "behind-a-pipe"],
)
def test_a_mention_of_what_does_not_exist_is_seen(text: str, wrong: str) -> None:
    [mention] = mentions(parse("bad.md", text))
    assert wrong in mention
    assert wrong not in commands() | options("check")
