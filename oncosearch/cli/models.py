"""The command that lists the embedding models: models."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import print_json, settings_of
from oncosearch.embed import MODELS, ModelFacts, availability
from oncosearch.settings import Settings
from oncosearch.workspace import DEFAULT_MODEL


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    models = add("models", "List every embedding model, its facts, and whether it can be used here.", list_models)
    models.add_argument("--json", action="store_true", help="print JSON")


def list_models(arguments: argparse.Namespace) -> int:
    """List the models."""
    settings = settings_of(arguments)
    rows = [model_row(facts, settings) for facts in MODELS]
    if arguments.json:
        print_json(rows)
    else:
        print("\n\n".join(_text(row) for row in rows))
    return 0


def model_row(facts: ModelFacts, settings: Settings) -> dict[str, Any]:
    """Return the facts of a model and whether it can be used, as JSON values."""
    found = availability(facts.key, settings)
    return {**asdict(facts), "remote_code": facts.remote_code, "default": facts.key == DEFAULT_MODEL, **asdict(found)}


def _text(row: dict[str, Any]) -> str:
    lines = [
        f"{row['key']}: {row['hub_id']}" + (" (default)" if row["default"] else ""),
        f"revision {row['revision']}, licence {row['licence']}" + (", in the GRAG paper" if row["in_paper"] else ""),
        f"{row['dimension']} dimensions, {row['limit']} tokens, pooling {row['pooling']}, "
        + ("many languages" if row["multilingual"] else "English"),
        f"query {_prompt(row, 'query')}, passage {_prompt(row, 'passage')}",
        f"remote code: {row['code_repository']} at {row['code_revision']}" if row["remote_code"] else "no remote code",
    ]
    if row["note"]:
        lines.append(row["note"])
    if row["usable"]:
        lines.append(f"usable here: yes, from {row['origin']} {row['location']}")
    else:
        lines.append(f"usable here: no, {row['reason']} {row['how']}")
    return "\n    ".join(lines)


def _prompt(row: dict[str, Any], side: str) -> str:
    if name := row[f"{side}_prompt_name"]:
        return f"prompt named {name!r}"
    return f"prompt {row[f'{side}_prompt']!r}" if row[f"{side}_prompt"] else "without prompt"
