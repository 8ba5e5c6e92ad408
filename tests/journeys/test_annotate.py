"""Two raters and an owner at work, in real browsers: by keyboard, interrupted, blind, adjudicated, taken along."""

import io
import json
import re
import zipfile

import pytest

from oncosearch.cli import main
from oncosearch.settings import Settings
from oncosearch.workspace import open_workspace
from tests.journeys.conftest import serving
from tests.journeys.test_journeys import SIZES
from tests.workspace.annotation import begun_session

QUESTIONS = "T1\tOsimertinib bei EGFR Exon 19 Deletion\nT2\tÜbelkeit nach Chemotherapie\n"
SAVED = """before => {
  const line = document.querySelector('.os-saved[data-event]');
  return line && line.dataset.event !== before && line.dataset.turn === document.body.dataset.drawn;
}"""
HIDDEN = re.compile(r"e5-small|grag|Rang \d|rank \d|score", re.IGNORECASE)


@pytest.fixture(scope="module")
def home(demo_home, tmp_path_factory):
    """Return a home of this module's own, so that its sessions are the only ones."""
    import shutil

    place = tmp_path_factory.mktemp("annotate") / "home"
    shutil.copytree(demo_home, place, symlinks=True)
    return place


@pytest.fixture(scope="module")
def address(home):
    with serving(home) as found:
        yield found


class Rater:
    """A rater at the desk: keys, and waiting until each is saved."""

    def __init__(self, visitor, address, name):
        self.visitor, self.page, self.address, self.name = visitor, visitor.page, address, name

    def come(self):
        self.visitor.open(f"{self.address}/annotate?lang=de")
        self.page.get_by_label("Ihr Name").fill(self.name)
        self.page.get_by_role("button", name="Weiter").click()
        self.page.get_by_text(f"Sie bewerten als {self.name}.").wait_for()
        self.visitor.settle()

    def sit_down(self, session):
        self.visitor.open(f"{self.address}/annotate?lang=de&session={session}&topic=T1")
        self.page.locator(".st-key-annot_desk").wait_for()

    def at(self):
        return self.page.locator(".os-annot-card").get_attribute("data-node")

    def event(self):
        found = self.page.locator(".os-saved[data-event]")
        return found.get_attribute("data-event") if found.count() else ""

    def press(self, key):
        """Press a key and wait until the line says that something new is saved."""
        before = self.event()
        self.page.keyboard.press(key)
        self.page.wait_for_function(SAVED, arg=before)

    def find(self, key, typed):
        """Open the field for a name, type, and take the first that fits."""
        self.page.keyboard.press(key)
        field = self.page.locator(".st-key-annot_finder input")
        field.wait_for()
        self.page.wait_for_function("document.activeElement === document.querySelector('.st-key-annot_finder input')")
        self.page.keyboard.type(typed)
        self.page.locator(".st-key-annot_take_0 button:not([disabled])").wait_for()
        self.page.locator(".st-key-annot_finder", has_text=re.compile(typed, re.IGNORECASE)).wait_for()
        self.page.keyboard.press("ArrowDown")
        self.press("Enter")

    def grades(self):
        """Return the grades in the list, in its order."""
        return self.page.locator(".os-pool .os-grade").all_inner_texts()

    def grade_all(self, keys):
        """Give each open card a grade, one key after another, until none is left."""
        given = {}
        for turn in range(100):
            if self.page.locator(".st-key-annot_finish button:not([disabled])").count():
                return given
            node, key = self.at(), keys[turn % len(keys)]
            self.press(key)
            given[node] = key
        raise AssertionError("never done")


def make_session(rater):
    page = rater.page
    page.locator("a[data-key=new]").click()
    page.locator(".st-key-plan_name input").fill("Reise")
    page.get_by_text("aus einer Datei").click()
    topics = {"name": "fragen.tsv", "mimeType": "text/plain", "buffer": QUESTIONS.encode()}
    page.locator(".st-key-plan_file input[type=file]").set_input_files(topics)
    page.get_by_text("fragen.tsv").wait_for()
    page.locator(".st-key-plan_k input").fill("4")
    page.locator(".st-key-plan_raters input").fill("Anna, Ben")
    page.get_by_role("button", name="Suchen und anlegen").click()
    page.get_by_role("button", name="Anhalten").wait_for(timeout=120_000)
    rater.visitor.settle()
    return re.search(r"session=(\w+)", page.url).group(1)


def test_a_topic_by_keyboard_by_two_raters_to_an_evaluation(visit, address, tmp_path):
    anna = Rater(visit(), address, "Anna")
    anna.come()
    session = make_session(anna)
    anna.sit_down(session)
    assert not HIDDEN.search(anna.page.locator(".st-key-annot_desk").inner_text())
    first = anna.at()
    anna.press("3")
    assert anna.at() != first
    anna.press("z")
    assert anna.at() == first
    anna.press("3")
    anna.press("l")
    # A reload in the middle: what was saved is there, the rater is known, the next card is open.
    before, here = anna.grades(), anna.at()
    anna.page.reload()
    anna.page.locator(".st-key-annot_desk").wait_for()
    anna.visitor.settle()
    assert anna.grades() == before
    assert anna.at() == here
    assert before.count("3") == 1
    # A reason may hold the letters of keys; they grade nothing.
    anna.page.keyboard.press("n")
    anna.page.wait_for_function("document.activeElement.tagName === 'TEXTAREA'")
    anna.page.keyboard.type("2 Sätze, da zu alt")
    anna.press("Escape")
    assert anna.grades() == before
    place = anna.page.locator(".st-key-annot_grade_3").bounding_box()
    anna.press("Alt+ArrowUp")
    anna.find("a", "Morphin")
    assert anna.at() == "drug-morphin"
    anna.find("d", anna.page.locator(".os-pool li").first.inner_text().split("\n")[1].strip()[:12])
    assert "=" in anna.grades()
    assert anna.page.locator(".st-key-annot_grade_3").bounding_box() == place
    anna.grade_all("210-")
    anna.visitor.shot("annotate-graded")
    anna.press("Enter")
    anna.page.get_by_text("Diese Frage ist abgeschlossen.").wait_for()
    assert HIDDEN.search(anna.page.locator(".st-key-annot_card").inner_text())

    ben = Rater(visit(), address, "Ben")
    ben.come()
    ben.sit_down(session)
    assert not set(ben.grades()) - {"", "\u00a0"}
    assert "Anna" not in ben.page.locator(".st-key-annot_desk").inner_text()
    ben.grade_all("3210")
    assert not HIDDEN.search(ben.page.locator(".st-key-annot_desk").inner_text())
    ben.press("Enter")
    ben.page.get_by_text("Diese Frage ist abgeschlossen.").wait_for()
    assert HIDDEN.search(ben.page.locator(".st-key-annot_card").inner_text())
    assert "Anna" not in ben.page.locator(".st-key-annot_desk").inner_text()

    page = anna.page
    anna.visitor.open(f"{address}/annotate?lang=de&session={session}&task=adjudicate")
    page.locator(".os-sides").first.wait_for()
    anna.visitor.shot("annotate-adjudicate")
    page.get_by_role("radio", name="2", exact=True).first.click()
    page.get_by_role("button", name="Entscheiden").first.click()
    page.get_by_text("Die Begründung fehlt.").wait_for()
    page.get_by_label("Begründung").first.fill("Die Leitlinie sagt es so.")
    page.get_by_role("button", name="Entscheiden").first.click()
    page.get_by_text("Entschieden: 2").first.wait_for()

    anna.visitor.open(f"{address}/annotate?lang=de&session={session}&task=manage")
    page.get_by_role("button", name="Als Fassung veröffentlichen").click()
    page.get_by_text("Kennung, aus dem Inhalt:").wait_for()
    anna.visitor.settle()
    anna.visitor.shot("annotate-manage")
    qrels = unpacked(page, "TREC", tmp_path / "qrels", exact=True)
    runs = unpacked(page, "Trefferlisten (TREC)", tmp_path / "runs")
    records = unpacked(page, "Einzelbögen (JSON)", tmp_path / "records")
    record = json.loads(next(path for path in records if path.parent.name.startswith("Anna")).read_text("utf-8"))
    added = next(node for node in record["nodes"] if node.get("isManuallyAdded"))
    assert added["original_index"] == -1
    duplicate = next(node for node in record["nodes"] if node["isDuplicate"])
    assert duplicate.get("id") not in record["ordered_nodes"]
    path = next(path for path in qrels if path.name == "qrels.txt")
    asked = [part for run in runs for part in ("--run", str(run))]
    out = tmp_path / "evaluation.json"
    assert main(["evaluate", "--qrels", str(path), *asked, "--measures", "nDCG@10 P@5", "--json", str(out)]) == 0
    assert "nDCG@10" in out.read_text("utf-8")


def unpacked(page, button, folder, exact=False):
    """Click a download that is a zip and return the files in it."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=exact).click()
    with zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes())) as archive:
        archive.extractall(folder)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_two_windows_of_one_rater_lose_and_double_nothing(visit, address, home):
    session = begun_session(home, ("Cara",), topics=1)
    one, other = (Rater(visit(), address, "Cara") for _ in range(2))
    for rater in (one, other):
        rater.come()
        rater.sit_down(session)
    one.press("3")
    other.press("2")
    one.press("1")
    # The other window still shows what it knew: an undo there takes nothing of the first one back.
    other.page.keyboard.press("z")
    other.page.get_by_text("Inzwischen wurde anderes gespeichert.").wait_for()
    with open_workspace(Settings(home=home)) as workspace:
        events = [e.action for e in workspace.store.events(session, rater="Cara", topic="T1") if e.action != "start"]
    assert events == ["grade", "grade", "grade"]


LEFT = "Ben sagt: 3, da "


def reason_of(home, session, rater):
    with open_workspace(Settings(home=home)) as workspace:
        return [e.reason for e in workspace.store.events(session, rater=rater, topic="T1") if e.reason]


def write_reason(rater, text):
    rater.page.keyboard.press("n")
    rater.page.wait_for_function("document.activeElement.tagName === 'TEXTAREA'")
    rater.page.keyboard.type(text)


@pytest.mark.parametrize(("link", "heading"), [("Qualität", "Qualität"), ("Vergleich", "vergleichen")])
def test_leaving_with_text_in_the_reason_opens_the_page_and_keeps_the_reason(visit, address, home, link, heading):
    session = begun_session(home, ("Emma",), topics=1)
    emma = Rater(visit(), address, "Emma")
    emma.come()
    emma.sit_down(session)
    emma.visitor.settle()
    write_reason(emma, LEFT + link)
    emma.page.get_by_role("link", name=link).first.click()
    emma.visitor.heading(heading)
    assert emma.page.locator("section.stSidebar a, [data-testid=stSidebar] a").count() > 3
    assert reason_of(home, session, "Emma") == [LEFT + link.strip()]


def test_going_back_in_the_browser_with_text_in_the_reason_opens_the_sessions(visit, address, home):
    session = begun_session(home, ("Fritz",), topics=1)
    fritz = Rater(visit(), address, "Fritz")
    fritz.come()
    fritz.page.locator(f'a[data-item="{session}"]').click()
    fritz.page.locator(".os-annot-card").wait_for()
    fritz.visitor.settle()
    write_reason(fritz, LEFT)
    fritz.page.go_back()
    fritz.page.locator(f'a[data-item="{session}"]').wait_for()
    fritz.visitor.settle()
    # What was not sent yet may be lost then, as with a reload; nothing else is, and the page is whole.
    assert reason_of(home, session, "Fritz") in ([], [LEFT.strip()])


def test_leaving_adjudication_with_text_in_a_field_opens_the_page(visit, address, home):
    session = begun_session(home, ("Gerd", "Hans"), topics=1, owner="Olga")
    for name, keys in (("Gerd", "3"), ("Hans", "0")):
        rater = Rater(visit(), address, name)
        rater.come()
        rater.sit_down(session)
        rater.grade_all(keys)
    olga = Rater(visit(), address, "Olga")
    olga.come()
    olga.visitor.open(f"{address}/annotate?lang=de&session={session}&task=adjudicate")
    field = olga.page.get_by_label("Begründung").first
    field.click()
    olga.page.keyboard.type("halb fertig")
    olga.page.get_by_role("link", name="Qualität").first.click()
    olga.visitor.heading("Qualität")


def test_a_grade_too_many_changes_nothing_and_a_long_card_scrolls_by_key(visit, address, home):
    session = begun_session(home, ("Ida",), topics=1)
    ida = Rater(visit(), address, "Ida")
    ida.come()
    ida.sit_down(session)
    ida.visitor.settle()
    page = ida.page
    page.locator(".st-key-annot_pages[data-below]").wait_for()
    top = "() => document.querySelector('.os-annot-card').getBoundingClientRect().top"
    before = page.evaluate(top)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"before => ({top})() < before", arg=before)
    page.keyboard.press("PageUp")
    page.wait_for_function(f"before => ({top})() === before", arg=before)
    page.keyboard.press("Space")
    page.wait_for_function(f"before => ({top})() < before", arg=before)
    ida.grade_all("2")
    page.locator(".os-rest").wait_for()
    done = ida.event()
    page.keyboard.press("0")
    # Keys act in turn: once this one has moved on, the one before has had its chance.
    page.keyboard.press("k")
    page.locator(".os-rest").wait_for(state="detached")
    assert ida.event() == done
    assert set(ida.grades()) == {"2"}
    ida.press("0")
    assert "0" in ida.grades()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["de", "en"])
def test_nothing_is_cut_off(visit, address, home, size, scheme, language):
    session = begun_session(home, ("Dora",), topics=2)
    visitor = visit(*SIZES[size], scheme=scheme)
    page = visitor.page
    page.context.add_cookies([{"name": "oncosearch_rater", "value": "Dora", "url": address}])
    for name, rest in (("desk", f"&session={session}&topic=T1"), ("list", ""), ("new", "&task=new")):
        visitor.open(f"{address}/annotate?lang={language}{rest}")
        visitor.settle()
        visitor.shot(f"annotate-{name}-{size}-{scheme}-{language}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        right = "(e) => e.getBoundingClientRect().right <= innerWidth + 1"
        shown = page.locator(".stMain .stButton, .os-session, .os-annot-card").element_handles()
        assert all(found.evaluate(right) for found in shown)
