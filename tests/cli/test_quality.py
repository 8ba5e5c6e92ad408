import csv
import io

from oncosearch.model import PairDecision
from oncosearch.workspace.quality import CHECKS
from oncosearch.workspace.quality_export import QUALITY_COLUMNS
from tests.workspace.homes import KEY, opened


def rows_of(path):
    text = path.read_text("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text), delimiter=";"))


def test_every_check_is_reported(run):
    done = run("check")
    assert done.status == 0
    assert str(KEY) in done.out
    for words in ("same title", "similar text", "without a source", "lead nowhere", "hubs", "depth:", "neighbours:"):
        assert words in done.out
    assert "not checked" not in done.out


def test_json_and_csv_agree(run, home, tmp_path):
    with opened(home) as workspace:
        ids = workspace.graph(KEY).ids
        pair = ids[0], ids[1]
        workspace.store.append_decision(
            PairDecision(KEY.graph_id, "0", *pair, "different", "a", "2026-01-01T00:00:00Z")
        )
    done = run("check", "--json", "--similarity", "0.9", "--csv", tmp_path / "q.csv")
    values = done.json
    rows = rows_of(tmp_path / "q.csv")
    assert list(rows[0]) == list(QUALITY_COLUMNS)
    assert {check: sum(row["check"] == check for row in rows) for check in CHECKS} == values["counts"]
    assert values["counts"]["near"] > 0
    decided = {(row["id"], row["other_id"]): row["decision"] for row in rows if row["other_id"]}
    assert set(decided.values()) <= {"undecided", "different"}
    assert decided.get(pair, "different") == "different"


def test_without_vectors_it_says_what_was_left_out(run):
    done = run("check", "--without-model")
    assert done.status == 0
    assert done.out.count("not checked") == 2


def test_a_similarity_out_of_range_is_refused(run):
    done = run("check", "--similarity", "0.5")
    assert done.status == 2
    assert "between 0.9 and 1" in done.err
