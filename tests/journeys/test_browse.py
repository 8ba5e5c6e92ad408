"""Walking down the hierarchy, by pointer and by keyboard, in a real browser."""

from urllib.parse import parse_qs, quote, urlsplit

CURRENT = ".os-tree a.os-twig[aria-current]"


def query_of(page):
    return parse_qs(urlsplit(page.url).query)


def open_at(page, title):
    """Wait until the open node of the tree has this title."""
    page.locator(CURRENT, has_text=title).wait_for()


def test_from_the_roots_to_a_therapy_with_its_evidence(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/browse?lang=de")
    for title in ("Solide Tumoren", "Thoraxtumoren", "Lungenkarzinom", "Nicht-kleinzelliges Lungenkarzinom (NSCLC)"):
        page.locator(".os-tree a.os-twig", has_text=title).last.click()
        open_at(page, title)
        visitor.settle()
    visitor.shot("journey-browse")
    place = page.url
    therapy = page.locator(".os-choice", has_text="Setzt voraus: ALK-Fusion").first
    assert therapy.locator(".os-head .os-level").inner_text() == "höchster Evidenzgrad A"
    therapy.locator(".os-head > a").click()
    open_at(page, "ALK-Inhibitor")
    visitor.settle()
    assert page.locator("h2", has_text="Evidenz").count() == 1
    assert page.locator("a[href^='https://pubmed.ncbi.nlm.nih.gov/']").count() > 0

    page.go_back()
    open_at(page, "Nicht-kleinzelliges")
    other = visit()
    other.open(place)
    open_at(other.page, "Nicht-kleinzelliges")
    twigs = ".os-tree a.os-twig"
    assert other.page.locator(twigs).all_inner_texts() == page.locator(twigs).all_inner_texts()


def test_the_tree_by_keyboard(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/browse?lang=de")
    focused = "document.activeElement.dataset.item"

    def press(key, item):
        page.keyboard.press(key)
        page.wait_for_function(f"({focused}) === '{item}'")

    page.locator(".os-tree a.os-twig", has_text="Nicht-maligne Hämatologie").focus()
    press("ArrowDown", "grp-solid")
    page.keyboard.press("ArrowRight")
    open_at(page, "Solide Tumoren")
    page.wait_for_function(f"({focused}) === 'grp-solid'")
    visitor.settle()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"({focused}) !== 'grp-solid'")
    press("ArrowLeft", "grp-solid")
    page.keyboard.press("ArrowLeft")
    page.locator(CURRENT).wait_for(state="detached")
    visitor.settle()
    page.wait_for_function(f"({focused}) === 'grp-solid'")
    assert page.locator(".os-tree a[data-item]").count() == 7


def test_the_tree_keeps_its_place(visit, demo_address):
    visitor = visit()
    page = visitor.page
    visitor.open(f"{demo_address}/?q={quote('Osimertinib bei EGFR T790M')}&pipeline=lexical&lang=de")
    page.locator(".os-card").first.get_by_text("Im Baum zeigen").click()
    page.locator(CURRENT).wait_for()
    visitor.settle()
    item = page.locator(CURRENT).get_attribute("data-item")
    assert query_of(page)["node"] == [item]
    page.locator("a[data-key=node_page]").click()
    page.locator(".os-h1").wait_for()
    page.locator("iframe").wait_for()
    page.locator(".os-nav a", has_text="Suche").click()
    page.locator(".os-card").first.wait_for()
    visitor.settle()
    page.locator(".os-nav a", has_text="Stöbern").click()
    page.locator(CURRENT).wait_for()
    assert page.locator(CURRENT).get_attribute("data-item") == item
    assert query_of(page)["node"] == [item]


def test_finding_a_place_by_a_synonym_while_typing(visit, demo_address):
    visitor = visit(390, 844, "dark")
    page = visitor.page
    visitor.open(f"{demo_address}/browse?lang=en")
    page.locator(".st-key-focus_jump input").press_sequentially("adenokarzinom der l")
    found = page.locator("ul.os-suggestions li", has_text="Synonym (narrower)").first
    assert found.locator("mark").inner_text() == "Adenokarzinom der L"
    found.locator("a").click()
    open_at(page, "Non-small cell lung cancer")
    visitor.settle()
    visitor.shot("journey-browse-phone")
