"""A node that tries everything, in a real browser: no dialog, no request beyond loopback, every text as it is."""

import csv
import io
import json
from urllib.parse import quote

import pytest

from tests.ui.nasty import NASTY, NASTY_ID


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_search_node_graph_and_print(visit, nasty_address, scheme):
    visitor = visit(scheme=scheme)
    page = visitor.page
    visitor.open(f"{nasty_address}/?q={quote('Nastinib')}&pipeline=lexical")
    assert page.locator(".os-title").first.inner_text() == NASTY
    page.locator(".os-card summary").first.click()
    visitor.shot(f"nasty-hits-{scheme}")
    page.locator(".os-title a").first.click()
    visitor.heading(NASTY)
    frame = visitor.picture()
    data = json.loads(frame.locator("#data").text_content())
    assert NASTY in next(entry["title"] for entry in data["nodes"] if entry["id"] == NASTY_ID)
    visitor.shot(f"nasty-node-{scheme}")
    visitor.click_in_picture("other")
    visitor.heading("@SUM(1)")
    page.keyboard.press("b")
    page.locator(".os-card").first.wait_for()
    page.locator("a[data-key=print]").click()
    page.frame_locator("iframe").locator("h2", has_text="Nastinib").first.wait_for()
    assert page.locator("img").count() == 0
    assert page.frame_locator("iframe").locator("img").count() == 0


def test_exports(visit, nasty_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{nasty_address}/?q={quote('Nastinib')}&pipeline=lexical")
    with page.expect_download() as started:
        page.locator(".st-key-take_csv button").click()
    rows = list(csv.reader(io.StringIO(started.value.path().read_text("utf-8-sig")), delimiter=";"))
    assert rows[1][2] == f"'{NASTY}"
    with page.expect_download() as started:
        page.locator(".st-key-take_json button").click()
    assert json.loads(started.value.path().read_text("utf-8"))["hits"][0]["title"] == NASTY


def test_a_nasty_question_and_address(visit, nasty_address):
    visitor = visit()
    visitor.open(f"{nasty_address}/?q={quote(NASTY)}&pipeline={quote(NASTY)}&node={quote(NASTY)}&group={quote(NASTY)}")
    visitor.open(f"{nasty_address}/?q={quote(NASTY)}&pipeline=lexical")
    assert visitor.page.locator("[data-testid=stMain] h1").inner_text().count("onerror=alert(1)") == 1
    visitor.open(f"{nasty_address}/node?node={quote(NASTY)}&q={quote(NASTY)}")
    assert NASTY in " ".join(visitor.page.locator(".os-notice").all_inner_texts())
    visitor.open(f"{nasty_address}/about")
    assert NASTY in visitor.page.locator(".os-facts").first.inner_text()
