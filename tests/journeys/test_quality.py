"""A curator at work, in a real browser."""

import csv
import io
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.conftest import prepare
from tests.journeys.conftest import serving
from tests.journeys.test_journeys import SIZES
from tests.workspace.homes import changed_graph


def twins(rows):
    for node_id, title in (("twin-1", "Zwillingumab"), ("twin-2", "ZWILLINGUMAB"), ("twin-3", "=Zwillingumab")):
        rows[node_id] = {"id": node_id, "type": "drug", "title": {"de": title}, "parents": []}


@pytest.fixture(scope="module")
def twin_address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twins")
    prepare(folder / "home", changed_graph(folder / "graph", twins), model=None)
    with serving(folder / "home") as address:
        yield address


def hits(visitor, address):
    visitor.open(f"{address}/?q=Zwillingumab&pipeline=lexical&lang=de")
    visitor.page.locator(".os-card").first.wait_for()
    return visitor.page.locator(".os-card").count()


def test_from_the_overview_to_a_marked_pair_that_folds(visit, twin_address):
    visitor = visit()
    page = visitor.page
    before = hits(visitor, twin_address)
    page.locator(".os-nav a", has_text="Qualität").click()
    visitor.heading("Qualität des Graphen")
    page.locator(".os-overview a", has_text="Gleicher Titel").click()
    page.locator(".os-pair").first.wait_for()
    visitor.settle()
    assert parse_qs(urlsplit(page.url).query)["check"] == ["same_title"]
    assert page.locator("#os-list").bounding_box()["y"] > 50
    place = page.locator(".os-pair", has_text="twin-1").bounding_box()
    page.get_by_role("button", name="○ Dublette").last.click()
    page.get_by_role("button", name="● Dublette").wait_for()
    assert page.locator(".os-pair", has_text="twin-1").bounding_box() == place
    visitor.shot("quality-marked")
    assert hits(visitor, twin_address) == before - 1
    page.go_back()
    page.get_by_role("button", name="Zurücknehmen").click()
    page.get_by_role("button", name="Zurücknehmen").wait_for(state="detached")
    assert hits(visitor, twin_address) == before


def test_rows_lead_to_nodes_and_can_be_taken_along(visit, twin_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{twin_address}/quality?lang=en&check=title_missing")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="This list (CSV)").click()
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(io.StringIO(file.read())))
    assert rows[0][:5] == ["check", "id", "title", "language of title", "type"]
    assert ["Title missing", "twin-3", "'=Zwillingumab", "de", "Drug", "en"] in [row[:6] for row in rows]
    page.locator(".os-table a", has_text="=Zwillingumab").click()
    visitor.heading("=Zwillingumab")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(visit, twin_address, size, scheme):
    visitor = visit(*SIZES[size], scheme=scheme)
    page = visitor.page
    visitor.open(f"{twin_address}/quality?lang=de&check=same_title")
    visitor.shot(f"quality-{size}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    right = "(e) => e.getBoundingClientRect().right <= innerWidth + 1"
    assert all(found.evaluate(right) for found in page.locator(".os-pair, .os-overview, .stButton").element_handles())
