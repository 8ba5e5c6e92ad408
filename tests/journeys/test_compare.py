"""Someone who chooses between ways to search, in a real browser."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.journeys.test_journeys import SIZES

GRAG, LEXICAL, DENSE = "grag:e5-small:alpha=0.6,lambda=0.75,hops=2,seeds=20,cap=256", "lexical", "dense:e5-small"
QUERY = "Osimertinib bei EGFR Exon 19 Deletion"


def address_of(base, **values):
    return f"{base}/compare?{urlencode(values, doseq=True)}"


def query_of(page):
    return parse_qs(urlsplit(page.url).query)


def test_from_a_question_to_the_topic_set_and_back_to_the_topic(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/?lang=de")
    page.locator(".os-nav a", has_text="Vergleich").click()
    visitor.heading("Suchverfahren vergleichen")
    page.locator(".st-key-focus_query input").fill(QUERY)
    page.get_by_role("button", name="Vergleichen").click()
    page.locator(".os-tile").first.wait_for()
    visitor.settle()
    assert page.locator(".os-tile").count() == 20
    assert query_of(page)["col"] == [GRAG, LEXICAL]

    # A third column, then a node that is not shown in every column.
    page.get_by_role("link", name="Spalte hinzufügen").click()
    page.wait_for_function("document.querySelectorAll('.os-lane-head').length === 3")
    visitor.settle()
    visitor.shot("compare-columns")
    page.get_by_role("link", name="Spalte C entfernen").click()
    page.wait_for_function("document.querySelectorAll('.os-lane-head').length === 2")
    visitor.settle()
    page.locator(".st-key-compare_where input").fill("Tamox")
    page.locator(".os-suggestions a", has_text="Tamoxifen").first.click()
    page.locator(".os-why-cell").first.wait_for()
    visitor.settle()
    assert query_of(page)["node"] == ["drug-tamoxifen"]
    assert page.locator(".os-why-cell").count() == 2

    # The whole topic set: progress, stop, go on, plots.
    page.get_by_role("link", name="schließen").click()
    page.locator(".os-why-cell").first.wait_for(state="detached")
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 0)")
    visitor.settle()
    page.get_by_role("combobox", name="Was wird verglichen").click()
    page.get_by_role("option", name="Beispielfragen").click()
    page.locator("#os-topics").wait_for(timeout=120_000)
    page.get_by_role("button", name="Anhalten").wait_for(state="detached", timeout=120_000)
    visitor.settle()
    assert page.locator(".os-topics tbody tr").count() == 40
    visitor.shot("compare-topics")
    for kind, beginning in (("png", b"\x89PNG"), ("svg", b"<svg")):
        if kind == "svg":
            page.get_by_role("link", name="SVG", exact=True).click()
            page.wait_for_url("**image=svg**")
            visitor.settle()
        plot = page.locator(".stPlotlyChart").first
        plot.hover()
        with page.expect_download() as waiting:
            plot.locator(".modebar-btn").first.click()
        assert waiting.value.suggested_filename == f"oncosearch-bars.{kind}"
        with open(waiting.value.path(), "rb") as file:
            assert file.read(4) == beginning
    page.get_by_role("link", name="Sortieren nach B − A").click()
    page.wait_for_url("**sort=-difference**")
    visitor.settle()
    first = page.locator(".os-topics tbody tr a").first
    asked = first.inner_text()
    first.click()
    page.locator(".os-tile").first.wait_for()
    visitor.settle()
    assert query_of(page)["q"] == [asked]
    page.get_by_role("link", name="zum Fragensatz").click()
    page.locator("#os-topics").wait_for()
    visitor.settle()

    # A dot of the scatter opens its topic.
    dot = page.locator(".stPlotlyChart").nth(2).locator(".scatterlayer .point").first
    dot.evaluate("(dot) => dot.scrollIntoView({ block: 'center' })")
    visitor.settle()
    box = dot.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    opened = page.locator(".os-tile, .os-notice:has-text('dieselben Werte')").first
    opened.wait_for()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(visit, demo_address, size, scheme):
    visitor = visit(*SIZES[size], scheme=scheme)
    page = visitor.page
    visitor.open(address_of(demo_address, lang="en", q=QUERY, col=[GRAG, LEXICAL, DENSE], node="drug-tamoxifen"))
    page.locator(".os-tile").first.wait_for()
    visitor.settle()
    visitor.shot(f"compare-{size}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # What is wider than the page scrolls in a frame of its own, which the keyboard reaches.
    outside = """(e) => {
        const frame = e.closest(".os-scroll");
        return e.getBoundingClientRect().right > innerWidth + 1 && !(frame && frame.tabIndex === 0);
    }"""
    parts = page.locator(".os-tile, .os-lane-head, .os-numbers, .os-legend").element_handles()
    assert len(parts) > 30
    assert not any(part.evaluate(outside) for part in parts)
    if size == "phone":
        cut = "(e) => e.scrollHeight > e.clientHeight + 1"
        assert not any(title.evaluate(cut) for title in page.locator(".os-tile-title").element_handles())


def test_six_columns_fit_beside_the_sidebar_or_the_page_says_that_they_do_not(visit, demo_address):
    visitor = visit(1280, 900)
    page = visitor.page
    six = [GRAG, LEXICAL, DENSE, *(f"grag:e5-small:hops={hops}" for hops in (0, 1, 3))]
    visitor.open(address_of(demo_address, q="EGFR T790M", lang="en", col=six))
    page.locator(".os-compare").wait_for()
    visitor.settle()
    box, hint = page.locator(".os-lanes > .os-scroll"), page.locator(".os-more-columns")
    assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert not hint.is_visible()
    page.set_viewport_size({"width": 1000, "height": 800})
    visitor.settle()
    assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
    assert hint.is_visible()
