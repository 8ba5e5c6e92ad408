"""A reviewer who brings judgements and a run, reads the tables and takes them along; in a real browser."""

import json
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from oncosearch.cli import main
from oncosearch.workspace import demo_folder
from tests.journeys.test_journeys import SIZES


def test_from_files_to_the_same_numbers_as_the_command(visit, demo_address, tmp_path, capsys):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/?lang=de")
    page.locator(".os-nav a", has_text="Auswertung").click()
    visitor.heading("Auswertung")
    page.locator("#os-table-pairs").wait_for()
    visitor.settle()
    visitor.shot("evaluate-first")

    # Judgements with their flags file, then a run of one's own.
    folder = demo_folder()
    qrels = folder / "qrels" / "demo.qrels"
    page.get_by_text("Eigene Urteile, Läufe oder Fragen laden").click()
    fields = page.locator(".st-key-evaluate_files input[type=file]")
    fields.nth(0).set_input_files([qrels, qrels.with_name("demo.qrels.flags.tsv")])
    page.wait_for_url("**qrels=file-**")
    visitor.settle()
    page.locator(".os-matched", has_text="Urteile aus der Datei „demo.qrels“").wait_for()
    own = folder / "runs" / "dense-minilm.trec"
    fields.nth(1).set_input_files([own, folder / "runs" / "lexical.trec"])
    page.wait_for_url("**run=stored-**run=stored-**")
    visitor.settle()
    page.locator("#os-table-pairs").wait_for()
    assert len(parse_qs(urlsplit(page.url).query)["run"]) == 2

    # The file that is taken along has the figures of the command.
    with page.expect_download() as waiting:
        page.locator(".st-key-evaluate_take_json button").click()
    here = json.loads(waiting.value.path().read_text("utf-8"))
    out = tmp_path / "out.json"
    runs = [part for run in here["runs"] for part in ("--run", str(folder / "runs" / f"{run['run']}.trec"))]
    assert main(["evaluate", "--qrels", str(qrels), *runs, "--json", str(out)]) == 0
    there = json.loads(out.read_text("utf-8"))
    assert {**here, "sources": 0} == {**there, "sources": 0}

    # A plot as SVG, then the agreement of a file.
    page.get_by_role("link", name="SVG", exact=True).click()
    page.wait_for_url("**picture=svg**")
    visitor.settle()
    plot = page.locator(".stPlotlyChart").first
    plot.scroll_into_view_if_needed()
    plot.hover()
    with page.expect_download() as waiting:
        plot.locator(".modebar-btn").first.click()
    assert waiting.value.path().read_bytes().startswith(b"<svg")
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 0)")
    page.get_by_role("link", name="Übereinstimmung").click()
    page.locator(".st-key-agree_file input[type=file]").set_input_files(folder / "qrels" / "again.csv")
    page.wait_for_url("**ratings=file-**")
    page.locator("h2", has_text="Relevant oder nicht").wait_for()
    visitor.settle()
    visitor.shot("evaluate-agreement")
    assert "first – second" in page.locator(".stMain").inner_text()


def test_a_bad_file_is_named_and_does_not_stand_in_the_way(visit, demo_address, tmp_path):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/evaluate?{urlencode({'lang': 'de', 'run': 'shipped-lexical'})}")
    page.locator("#os-table-precision").wait_for()
    visitor.settle()
    page.get_by_text("Eigene Urteile, Läufe oder Fragen laden").click()
    fields = page.locator(".st-key-evaluate_files input[type=file]")
    (tmp_path / "wide.qrels").write_bytes("T01 0 biomarker-brca 3\n".encode("utf-16"))
    fields.nth(0).set_input_files(tmp_path / "wide.qrels")
    page.locator(".os-notice", has_text="Die Datei „wide.qrels“ ist kein UTF-8-Text, sondern UTF-16").wait_for()
    (tmp_path / "good.qrels").write_text("T01 0 biomarker-brca 3\n", "utf-8")
    fields.nth(0).set_input_files(tmp_path / "good.qrels")
    page.wait_for_url("**qrels=file-**")
    visitor.settle()
    page.locator(".os-matched", has_text="Urteile aus der Datei „good.qrels“").wait_for()

    # A refused file of grades does not leave the figures of another one below it.
    visitor.open(f"{demo_address}/evaluate?{urlencode({'lang': 'de', 'part': 'agreement'})}")
    field = page.locator(".st-key-agree_file input[type=file]")
    field.set_input_files(demo_folder() / "qrels" / "again.csv")
    page.wait_for_url("**ratings=file-**")
    page.locator("h2", has_text="Relevant oder nicht").wait_for()
    (tmp_path / "form.csv").write_text("a,b\n1,2\n", "utf-8")
    field.set_input_files(tmp_path / "form.csv")
    page.locator(".os-notice", has_text="Erwartet wird eine CSV-Datei mit den Spalten item, rater, grade").wait_for()
    visitor.settle()
    assert page.locator("table").count() == 0
    page.get_by_role("button", name="wieder zeigen").click()
    page.locator("h2", has_text="Relevant oder nicht").wait_for()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(visit, demo_address, size, scheme):
    visitor = visit(*SIZES[size], scheme=scheme)
    page = visitor.page
    visitor.open(f"{demo_address}/evaluate?{urlencode({'lang': 'en'})}")
    page.locator("#os-table-pairs").wait_for()
    visitor.settle()
    visitor.shot(f"evaluate-{size}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # What is wider than the page scrolls in a frame of its own, which the keyboard reaches.
    outside = """(e) => {
        const frame = e.closest(".os-scroll");
        return e.getBoundingClientRect().right > innerWidth + 1 && !(frame && frame.tabIndex === 0);
    }"""
    parts = page.locator(".os-numbers, .os-said, .os-rules, .stPlotlyChart").element_handles()
    assert len(parts) > 10
    assert not any(part.evaluate(outside) for part in parts)
