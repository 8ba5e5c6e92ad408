import json
import re

from oncosearch.ui.components.graph_view import (
    NODE_LIMIT,
    graph_page,
    legend,
    neighbours,
    network_data,
    node_list,
    vis_script,
)
from oncosearch.ui.palette import SWATCHES
from oncosearch.ui.resources import asset
from oncosearch.ui.state import View, node_address
from oncosearch.ui.texts import texts
from tests.small import SIX, graph_of, node
from tests.ui import nasty

T = texts("de")


def test_one_hop_around_a_node():
    found = neighbours(graph_of(SIX), "d", 1, "de")
    assert [(node_id, hop) for node_id, _, _, hop in found.nodes] == [("d", 0), ("b", 1), ("c", 1), ("e", 1)]
    assert set(found.edges) == {("d", "b", None), ("d", "c", None), ("d", "e", "related_to")}
    assert found.cut == 0


def test_two_hops_close_the_diamond():
    found = neighbours(graph_of(SIX), "d", 2, "de")
    assert {node_id for node_id, *_ in found.nodes} == set("abcde")
    assert len(found.edges) == 5


def test_a_hub_is_cut_and_says_so():
    hub = graph_of([node("hub"), *(node(f"n{i:03}", ["hub"]) for i in range(NODE_LIMIT + 20))])
    found = neighbours(hub, "hub", 1, "de")
    assert len(found.nodes) == NODE_LIMIT
    assert found.cut == 21


def page_and_data():
    picture = neighbours(nasty.graph(), nasty.NASTY_ID, 2, "de")
    data = network_data(T, picture, {"other"}, lambda node_id: node_address(View(), node_id))
    return picture, data, graph_page(T, data, dark=False)


def test_pyvis_builds_the_network():
    picture, data, _ = page_and_data()
    by_id = {entry["id"]: entry for entry in data["nodes"]}
    assert set(by_id) == {"top", "other", nasty.NASTY_ID}
    assert by_id["other"]["color"] == SWATCHES["drug"].colour
    assert by_id["other"]["label"].startswith("★ ")
    assert data["hits"] == ["other"]
    assert len(data["edges"]) == len(picture.edges) == 3
    assert data["addresses"]["other"].startswith("/node?")


def test_node_text_stays_data():
    _, data, page = page_and_data()
    assert page.replace(vis_script(), "").count("<script") == 3
    assert page.count("</script>") == 3
    assert "<!--" not in page, "it would change how a browser reads what follows"
    inside = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL).group(1)
    assert json.loads(inside) == json.loads(json.dumps(data))
    assert "onerror=alert" not in page.replace(inside, "")


def test_the_page_asks_the_network_for_nothing():
    own = asset("graph.html") + asset("graph.js")
    assert "http" not in own.replace("http-equiv", "")
    assert "default-src 'none'" in own
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\b", own)
    assert len(vis_script()) > 100_000
    assert "</script" not in vis_script()


def test_legend_and_list_say_the_same_in_words():
    picture, _, _ = page_and_data()
    assert "Arzneimittel" in legend(T, picture)
    found = nasty.assert_harmless(
        node_list(T, picture, lambda node_id: node_address(View(), node_id)),
        {"details", "summary", "ul", "li", "a", "span", "i"},
    )
    assert sum(tag == "a" for tag, _ in found.tags) == 2
