"""What people do, in a real browser."""

import csv
import io
import json
from itertools import pairwise
from urllib.parse import parse_qs, quote, urlsplit

import pytest

QUESTION = "Osimertinib bei EGFR T790M"
SIZES = {"wide": (1280, 900), "phone": (390, 844)}


def query_of(page):
    return parse_qs(urlsplit(page.url).query)


def test_from_a_question_to_the_graph_and_back(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(demo_address)
    page.wait_for_function("document.activeElement.tagName === 'INPUT'")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.locator(".os-card").first.wait_for()
    visitor.shot("journey-hits")
    assert query_of(page)["q"] == [QUESTION]
    assert {"model", "pipeline", "graph", "lang"} <= set(query_of(page))

    hit = page.locator(".os-card .os-title a", has_text="T790M").first
    title = hit.inner_text()
    hit.click()
    visitor.heading(title)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0

    step = page.locator(".os-paths a.os-step").last
    ancestor = step.inner_text()
    step.click()
    visitor.heading(ancestor)

    frame = visitor.picture()
    data = json.loads(frame.locator("#data").text_content())
    neighbour = next(entry for entry in data["nodes"] if entry["id"] != data["centre"])
    visitor.shot("journey-graph")
    visitor.click_in_picture(neighbour["id"])
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("node") == [neighbour["id"]])
    visitor.settle()

    page.locator("a[data-key=back]").click()
    page.locator(".os-card").first.wait_for()
    assert query_of(page)["q"] == [QUESTION]
    assert "node" not in query_of(page)


def test_the_address_reproduces_the_view(visit, demo_address):
    first = visit()
    first.open(f"{demo_address}/?q={quote(QUESTION)}&pipeline=lexical&top=5&type=therapy&lang=en")
    shown = first.page.locator(".os-title").all_inner_texts()
    assert 0 < len(shown) <= 5
    second = visit()
    second.open(first.page.url)
    assert second.page.locator(".os-title").all_inner_texts() == shown
    assert second.page.locator("a[aria-current]", has_text="Therapy").count() == 1


def test_filters_and_the_back_button(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/?q={quote(QUESTION)}&pipeline=lexical")
    before = page.locator(".os-title").all_inner_texts()
    page.locator("details.os-filters > summary").click()
    page.locator(".os-chips a", has_text="Evidenz").first.click()
    page.wait_for_url("**type=evidence**")
    page.locator("a[data-key=clear]").wait_for()
    visitor.settle()
    assert set(page.locator(".os-card .os-tags .os-type").all_inner_texts()) == {"Evidenz"}
    page.go_back()
    page.locator("a[data-key=clear]").wait_for(state="detached")
    visitor.settle()
    assert page.locator(".os-title").all_inner_texts() == before


def test_language_theme_and_keys(visit, demo_address):
    visitor = visit(scheme="dark")
    page = visitor.page
    visitor.open(f"{demo_address}/?q={quote(QUESTION)}&pipeline=lexical")
    page.locator(".os-switch a[lang=en]").click()
    page.locator(".os-head", has_text="Which fields match").wait_for()
    visitor.shot("journey-dark-english")
    background = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert background == "rgb(16, 25, 30)"
    page.keyboard.press("?")
    page.locator(".os-keys").wait_for()
    page.keyboard.press("Escape")
    page.locator(".os-keys").wait_for(state="detached")
    title = page.locator("[data-rank='2'] .os-title").inner_text()
    page.keyboard.press("2")
    visitor.heading(title)
    page.keyboard.press("b")
    page.locator(".os-card").first.wait_for()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"


def test_jumping_to_a_node_while_typing(visit, demo_address):
    visitor = visit()
    visitor.open(f"{demo_address}/node")
    visitor.page.locator(".st-key-focus_jump input").press_sequentially("osimert")
    visitor.page.locator("ul[aria-label='Passende Knoten'] a", has_text="Osimertinib").first.click()
    visitor.heading("Osimertinib")


def test_everything_can_be_taken_along(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/?q={quote(QUESTION)}&pipeline=lexical")
    with page.expect_download() as started:
        page.locator(".st-key-take_csv button").click()
    text = started.value.path().read_text("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert len(rows) == 1 + page.locator(".os-card").count()
    with page.expect_download() as started:
        page.locator(".st-key-take_json button").click()
    found = json.loads(started.value.path().read_text("utf-8"))
    assert [hit["title"] for hit in found["hits"]] == page.locator(".os-title").all_inner_texts()
    page.locator("a[data-key=print]").click()
    sheet = page.frame_locator("iframe")
    sheet.locator("h1", has_text=QUESTION).wait_for()
    assert sheet.locator("ol > li").count() == len(found["hits"])
    visitor.shot("journey-print")
    with page.expect_download() as started:
        page.locator(".st-key-print_download button").click()
    assert QUESTION in started.value.path().read_text("utf-8")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "path",
    [
        *("/", f"/?q={quote(QUESTION)}&pipeline=lexical", "/node?node=disease-nsclc", "/about"),
        *("/browse", "/browse?node=disease-nsclc"),
    ],
)
def test_nothing_is_cut_off(visit, demo_address, size, path):
    visitor = visit(*SIZES[size])
    visitor.open(demo_address + path)
    beyond = visitor.page.evaluate(
        """() => {
            const main = document.querySelector('[data-testid="stMain"]');
            const edge = main.getBoundingClientRect().right + 1;
            return [...main.querySelectorAll(".stHtml *, .stPlotlyChart, iframe, button, input:not([type=range])")]
                .filter((e) => !e.closest(".os-hidden, thead") && e.getBoundingClientRect().width > 1)
                .filter((e) => e.getBoundingClientRect().right > edge).map((e) => e.outerHTML.slice(0, 120));
        }"""
    )
    assert beyond == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("language", ["de", "en"])
def test_on_a_phone_every_column_of_the_heatmap_has_its_heading(visit, demo_address, language):
    visitor = visit(*SIZES["phone"])
    question = "DPYD-Test vor Capecitabin, Patientin mit Niereninsuffizienz"
    visitor.open(f"{demo_address}/?q={quote(question)}&pipeline=lexical&lang={language}")
    chart = visitor.page.locator(".js-plotly-plot")
    chart.locator(".xtick text").first.wait_for()
    box = chart.bounding_box()
    heads = [head.bounding_box() for head in chart.locator(".xtick text").all()]
    columns = visitor.page.evaluate("document.querySelector('.js-plotly-plot').data[0].x.length")
    assert len(heads) == columns >= 4
    for head in heads:
        assert box["x"] <= head["x"]
        assert head["x"] + head["width"] <= box["x"] + box["width"]
        assert box["y"] <= head["y"]
    assert all(left["x"] + left["width"] <= right["x"] + 1 for left, right in pairwise(heads))


def test_the_first_visit_follows_the_browser_and_a_phone_can_change_it(visit, demo_address):
    visitor = visit(*SIZES["phone"], locale="en-GB")
    visitor.open(demo_address)
    visitor.heading("What would you like to know?")
    visitor.page.locator(".os-other-language").click()
    visitor.heading("Was möchten Sie wissen?")
    assert query_of(visitor.page)["lang"] == ["de"]


def test_a_long_paste_stays_in_the_field(visit, demo_address):
    visitor = visit()
    visitor.open(demo_address)
    field = visitor.page.locator(".st-key-focus_query input")
    field.fill("Osimertinib " * 200)
    visitor.page.keyboard.press("Enter")
    visitor.page.locator(".os-notice", has_text="höchstens 2000").wait_for()
    assert field.input_value() == "Osimertinib " * 200


@pytest.mark.parametrize("size", SIZES)
def test_labels_of_the_picture_do_not_overlap(visit, demo_address, size):
    visitor = visit(*SIZES[size])
    visitor.open(f"{demo_address}/node?node=drug-osimertinib")
    boxes = visitor.picture().evaluate(
        """() => {
            const { network, nodes } = window.oncosearchGraph;
            return nodes.getIds().map((id) => network.getBoundingBox(id));
        }"""
    )
    assert len(boxes) == 10
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = (
                a["right"] <= b["left"] or b["right"] <= a["left"] or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]
            )
            assert apart, (a, b)


def test_changing_the_theme_recolours_everything(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/?q={quote(QUESTION)}&pipeline=lexical")
    label = page.locator(".js-plotly-plot .ytick text").first
    label.wait_for()
    assert label.evaluate("e => getComputedStyle(e).fill") == "rgb(22, 38, 46)"
    page.locator("[data-testid=stMainMenu] button").click()
    page.locator("[data-testid=stMainMenuPopover] >> text=Dark").click()
    # The chart is drawn anew, so for a moment it has no labels.
    page.wait_for_function(
        """() => {
            const label = document.querySelector(".js-plotly-plot .ytick text");
            return label && getComputedStyle(label).fill === "rgb(227, 235, 238)";
        }"""
    )
    visitor.settle()
