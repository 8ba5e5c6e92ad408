"""Every command and option is documented, and what the documents name exists."""

import argparse
import re

import pytest

from oncosearch.cli.parser import build_parser
from tests.paths import ROOT

DOCUMENT = ROOT / "docs" / "cli.md"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> dict[str, argparse.ArgumentParser]:
    (action,) = [a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {o for action in parser._actions for o in action.option_strings if o.startswith("--")} - {"--help"}


def section(command: str) -> str:
    """Return what the document says under the heading of a command."""
    parts = re.split(r"^## ", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)
    return next((part for part in parts if part.startswith(f"`{command}")), "")


def test_the_commands_of_the_issue_are_there():
    wanted = {"demo", "ingest", "index", "search", "show", "models", "replay", "run", "snapshots", "check"}
    assert wanted | {"diff", "prune"} <= set(commands())


@pytest.mark.parametrize("command", sorted(commands()))
def test_a_command_has_its_section_with_every_option(command):
    text = section(command)
    assert text, f"docs/cli.md has no section for {command}"
    everywhere = options(build_parser())
    named = set(re.findall(r"--[a-z][a-z-]*", text))
    assert options(commands()[command]) - everywhere <= named
    assert named <= options(commands()[command]) | everywhere, "an option that the command does not have"


def test_global_options_are_documented():
    text = DOCUMENT.read_text("utf-8").split("\n## ")[0]
    assert options(build_parser()) <= set(re.findall(r"--[a-z][a-z-]*", text))


def test_documents_name_only_commands_that_exist():
    found = {
        (path.name, command)
        for path in DOCUMENTS
        for command in re.findall(r"-m oncosearch (?:--\S+ )*([a-z]+)", path.read_text("utf-8"))
    }
    assert {name for name, _ in found} >= {"README.md", "cli.md"}
    assert {command for _, command in found} <= set(commands())


@pytest.mark.parametrize("command", sorted(commands()))
def test_every_argument_has_a_help_text(command):
    for action in commands()[command]._actions:
        assert action.help, action.option_strings or action.dest
