"""The command articles: import into the local source, and what became of every record."""

import gzip
import json

from tests.literature.articles import DATA, write


def test_files_are_imported_with_their_skipped_records(run, tmp_path):
    home = tmp_path / "new"
    done = run("articles", DATA / "articles.xml", DATA / "articles.nbib", DATA / "full_text.xml", home=home)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "articles.xml (pubmed_xml): 8 records = 4 added, 2 to be deleted but not there, 2 skipped",
        "    1 retracted: found and marked, never used as evidence",
        "    skipped record 4 (PMID none): no valid PMID",
        "    skipped record 5 (PMID 900005): neither title nor abstract",
        "articles.nbib (nbib): 3 records = 2 added, 1 skipped",
        "    1 retracted: found and marked, never used as evidence",
        "    skipped line 28 (PMID x1): no valid PMID",
        "full_text.xml (pubmed_xml): 2 records = 1 full texts, 1 skipped",
        "    skipped record 2: full text without a PMC id or a body",
        "Local source: 6 articles, 1 full texts.",
    ]
    again = run("articles", "--rebuild", "--json", home=home).json
    assert again == {"files": [], "articles": 6, "full_texts": 1}


def test_a_folder_is_all_its_files_and_the_report_is_json(run, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder, "b.xml.gz", gzip.compress((DATA / "articles.xml").read_bytes()))
    write(folder, "a.jsonl", '{"pmid": "1", "title": "\u202eOne"}\n{\n')
    write(folder, "readme.txt", "no articles")
    done = run("articles", folder, "--report", tmp_path / "report.json", "--json", home=tmp_path / "new")
    assert done.json == json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert [(f["file"], f["added"]["added"], f["skipped"]) for f in done.json["files"]] == [
        ("a.jsonl", 1, 1),
        ("b.xml.gz", 4, 2),
    ]
    assert done.json["files"][0]["skipped_records"] == [{"place": "line 2", "pmid": "", "reason": "no valid JSON"}]


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_kept(run, tmp_path):
    broken = write(tmp_path, "broken.xml", "<PubmedArticleSet><PubmedArticle>")
    done = run("articles", broken, DATA / "articles.nbib", home=tmp_path / "new")
    assert done.status == 2
    assert "broken.xml: nothing of it was kept. The XML is broken" in done.out
    assert "Local source: 2 articles" in done.out


def test_what_is_not_there_is_told(run, tmp_path):
    done = run("articles", tmp_path / "nowhere", home=tmp_path / "new")
    assert (done.status, done.err) == (2, f"oncosearch: There is no file {tmp_path / 'nowhere'}.\n")
    (tmp_path / "empty").mkdir()
    done = run("articles", tmp_path / "empty", home=tmp_path / "new")
    assert "holds no file that ends in .xml" in done.err
