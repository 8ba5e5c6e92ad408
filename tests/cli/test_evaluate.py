import csv
import io
import json
import os

import pytest

from oncosearch.cli import main
from oncosearch.evaluate.exchange import write_qrels, write_run
from oncosearch.model import Qrels
from tests.cli.conftest import process
from tests.evaluate.small import run_of
from tests.paths import SHARED_DATA

TOPICS = [f"t{i}" for i in range(8)]
QRELS = Qrels({**{t: {"a": 3, "b": 1, "bad": -1, "twin": 1} for t in TOPICS}, "without": {"a": 0}})
GOOD = run_of("good", **{t: ["a", "bad", "b"] for t in TOPICS})
POOR = run_of("poor", **{t: [*(f"x{j}" for j in range(i + 1)), "a"] for i, t in enumerate(TOPICS)})


@pytest.fixture
def files(tmp_path):
    """Return the paths of qrels and of two runs."""
    write_qrels(QRELS, tmp_path / "q.qrels", duplicates={t: ["twin"] for t in TOPICS})
    write_run(GOOD, tmp_path / "good.trec")
    write_run(POOR, tmp_path / "poor.trec")
    return tmp_path / "q.qrels", tmp_path / "good.trec", tmp_path / "poor.trec"


@pytest.fixture
def evaluate(capsys):
    """Return a function that runs the command; it needs no home."""

    def command(*arguments):
        capsys.readouterr()
        status = main(["evaluate", *map(str, arguments)])
        return status, *capsys.readouterr()

    return command


def test_two_runs_have_every_table_with_n_and_rules(evaluate, files):
    qrels, good, poor = files
    status, out, err = evaluate("--qrels", qrels, "--run", good, "--run", poor)
    assert (status, err) == (0, "")
    for words in (
        "Precision (Table 3",
        "Recall (Table 4",
        "(Table 5",
        "judged hits",
        "(Table 6",
        "Means over n = 8 topics, of 9 judged.",
        "Left out, as no node is relevant: 1 (without).",
        "Hits of one score stand in the order of their ids.",
        "1,000 resamples, seed 42",
        "nDCG@10 of each of n = 8 topics",
    ):
        assert words in out
    (line,) = [line for line in out.splitlines() if line.split()[:2] == ["good", "poor"]]
    assert "yes" in line
    assert "0.007812" in line


def test_flags_beside_the_qrels_count(evaluate, files, tmp_path):
    qrels, good, _ = files
    status, _, _ = evaluate(
        "--qrels", qrels, "--run", good, "--measures", "recall@3 judged@3", "--json", tmp_path / "o"
    )
    assert status == 0
    values = json.loads((tmp_path / "o").read_text("utf-8"))
    # The twin is a duplicate, so two relevant nodes are left, and both were found.
    assert values["runs"][0]["means"]["recall@3"] == {"mean": 1.0, "lower": 1.0, "upper": 1.0}
    assert values["duplicate_grades"] == 8


def test_json_csv_and_latex_hold_the_same_figures(evaluate, files, tmp_path):
    qrels, good, poor = files
    status, out, _ = evaluate(
        "--qrels", qrels, "--run", good, "--run", poor, "--json", tmp_path / "o.json",
        "--csv", tmp_path / "new" / "csv", "--latex", tmp_path / "o.tex",
    )  # fmt: skip
    assert status == 0
    values = json.loads((tmp_path / "o.json").read_text("utf-8"))
    mean = values["runs"][1]["means"]["nDCG@10"]["mean"]
    assert f"{mean:.3f} [" in out
    assert f"{mean:.3f}".replace(".", ",") + " [" in (tmp_path / "o.tex").read_text("utf-8")
    assert {path.name for path in (tmp_path / "new" / "csv").iterdir()} == {
        f"{name}.csv" for name in ("precision", "recall", "ranking", "judged", "pairs", "topics")
    }
    text = (tmp_path / "new" / "csv" / "ranking.csv").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    assert float(rows[1]["nDCG@10"].replace(",", ".")) == mean
    assert values["sources"]["qrels"]["path"] == str(qrels)
    assert len(values["sources"]["runs"][1]["sha256"]) == 64


def test_english_files_have_decimal_points(evaluate, files, tmp_path):
    qrels, good, _ = files
    status, _, _ = evaluate(
        "--qrels", qrels, "--run", good, "--language", "en", "--csv", tmp_path, "--latex", tmp_path / "o.tex"
    )
    assert status == 0
    assert (tmp_path / "recall.csv").read_text("utf-8-sig").startswith("run,topics,recall@1,")
    assert "1.000 [1.000--1.000]" in (tmp_path / "o.tex").read_text("utf-8")


def test_only_the_measures_asked_for_are_shown_and_pairs_are_tested_all_the_same(evaluate, files):
    qrels, good, poor = files
    _, out, _ = evaluate("--qrels", qrels, "--run", good, "--run", poor, "--measures", "P@5,MRR")
    headings = [line.split() for line in out.splitlines() if line.startswith("Run")]
    assert [heading for heading in headings if heading[1] != "A"] == [["Run", "#Q", "P@5"], ["Run", "#Q", "MRR"]]
    assert "nDCG@10 of each of n = 8 topics" in out


def test_one_run_has_no_pairs(evaluate, files):
    qrels, good, _ = files
    _, out, _ = evaluate("--qrels", qrels, "--run", good)
    assert "Table 5" in out
    assert "Table 6" not in out


def test_runs_of_one_tag_are_called_as_their_files(evaluate, files, tmp_path):
    qrels, good, _ = files
    (tmp_path / "copy.trec").write_bytes(good.read_bytes())
    _, out, _ = evaluate("--qrels", qrels, "--run", good, "--run", tmp_path / "copy.trec")
    assert "copy" in out
    assert "no difference" in out
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "good.trec").write_bytes(good.read_bytes())
    _, out, _ = evaluate("--qrels", qrels, "--run", good, "--run", tmp_path / "more" / "good.trec")
    assert str(tmp_path / "more" / "good.trec") in out


def test_what_was_not_taken_of_a_file_is_said_on_stderr(evaluate, files):
    qrels, good, _ = files
    with good.open("a", encoding="utf-8") as file:
        file.write("t1 Q0 only\n")
    status, out, err = evaluate("--qrels", qrels, "--run", good)
    assert status == 0
    assert f"{good}: 24 taken, 1 not taken" in err
    assert "line 25" in err
    assert "taken, 1" not in out


def test_a_tag_cannot_move_the_cursor_or_run_in_a_spreadsheet(evaluate, files, tmp_path):
    qrels, _, _ = files
    write_run(run_of("=1\x1b[2J&x", t1=["a"]), tmp_path / "odd.trec")
    status, out, _ = evaluate(
        "--qrels", qrels, "--run", tmp_path / "odd.trec", "--csv", tmp_path, "--latex", tmp_path / "o.tex"
    )
    assert status == 0
    assert "\x1b" not in out
    assert "\n'=1" in (tmp_path / "recall.csv").read_text("utf-8-sig")
    assert r"\&x" in (tmp_path / "o.tex").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--measures", "F1"], "There is no measure 'F1'; the measures are: nDCG, nDCG@k, P@k"),
        (["--measures", "P"], "needs a cutoff"),
        (["--measures", ""], "names no measure"),
        (["--run", "none.trec"], "none.trec cannot be read"),
        (["--qrels", "none.qrels"], "none.qrels cannot be read"),
        (
            ["--latex", "no/such/folder/o.tex"],
            "no/such/folder is no folder; make it first, or name another file with --l",
        ),
        (
            ["--json", "no/such/folder/o.json"],
            "no/such/folder is no folder; make it first, or name another file with --j",
        ),
        (["--json", "."], ". is a folder; name another file with --json"),
        (["--csv", __file__], "test_evaluate.py is no folder; name another one with --csv"),
    ],
)
def test_an_error_is_one_line(evaluate, files, arguments, said):
    qrels, good, _ = files
    status, out, err = evaluate("--qrels", qrels, "--run", good, *arguments)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_where_to_write_is_checked_before_anything_is_computed(evaluate, files, monkeypatch):
    qrels, good, _ = files
    monkeypatch.setattr("oncosearch.evaluate.outcome_of", lambda *_, **__: pytest.fail("computed"))
    status, _, err = evaluate("--qrels", qrels, "--run", good, "--json", "no/such/folder/o")
    assert (status, err.count("\n")) == (2, 1)


def test_a_run_that_is_named_twice_is_named_in_the_error(evaluate, files):
    qrels, good, _ = files
    status, _, err = evaluate("--qrels", qrels, "--run", good, "--run", good.parent / "." / good.name)
    assert status == 2
    assert f"{good} is named twice with --run; name each run once." in err


def test_a_pipe_has_no_hash_as_it_cannot_be_read_twice(evaluate, files, tmp_path):
    qrels, good, _ = files
    reading, writing = os.pipe()
    os.write(writing, qrels.read_bytes())
    os.close(writing)
    status, _, _ = evaluate("--qrels", f"/dev/fd/{reading}", "--run", good, "--json", tmp_path / "o")
    os.close(reading)
    assert status == 0
    sources = json.loads((tmp_path / "o").read_text("utf-8"))["sources"]
    assert sources["qrels"]["sha256"] is None
    assert len(sources["runs"][0]["sha256"]) == 64


def test_grades_that_cannot_be_measured_are_named_with_those_that_can(evaluate, files, tmp_path):
    _, good, _ = files
    (tmp_path / "far.qrels").write_text("t1 0 a 99\n", "utf-8")
    status, _, err = evaluate("--qrels", tmp_path / "far.qrels", "--run", good, "--trec-eval")
    assert status == 2
    assert "the grade 99; expected a whole number from -100 to 30" in err


def test_files_that_hold_nothing_are_named(evaluate, files, tmp_path):
    qrels, good, _ = files
    (tmp_path / "empty").touch()
    for arguments, said in (
        (("--qrels", tmp_path / "empty", "--run", good), "holds no judgement"),
        (("--qrels", qrels, "--run", tmp_path / "empty"), "holds no hit of a run"),
    ):
        status, _, err = evaluate(*arguments)
        assert status == 2
        assert said in err


def test_a_run_over_other_topics_is_refused(evaluate, files, tmp_path):
    qrels, _, _ = files
    write_run(run_of("other", q1=["a"]), tmp_path / "other.trec")
    status, _, err = evaluate("--qrels", qrels, "--run", tmp_path / "other.trec")
    assert status == 2
    assert "None of the topics of run 'other' is judged: it has q1, and the qrels have t0, t1, t2" in err


@pytest.mark.skipif(SHARED_DATA is None, reason="needs the files of trec_eval, ../shared/data/trec_eval")
def test_with_trec_eval_the_figures_are_its_own(evaluate, tmp_path):
    folder = SHARED_DATA / "trec_eval"
    status, out, _ = evaluate(
        "--qrels", folder / "qrels.test", "--run", folder / "results.test", "--trec-eval",
        "--measures", "map recip_rank P_5 P_10", "--json", tmp_path / "o",
    )  # fmt: skip
    assert status == 0
    assert "as in trec_eval" in out
    means = json.loads((tmp_path / "o").read_text("utf-8"))["runs"][0]["means"]
    assert {name: round(figure["mean"], 4) for name, figure in means.items()} == {
        "MAP": 0.1785,
        "MRR": 0.4064,
        "P@5": 0.2667,
        "P@10": 0.3,
    }


def test_the_command_needs_no_home_and_writes_none(files, tmp_path):
    qrels, good, _ = files
    done = process("--home", tmp_path / "home", "evaluate", "--qrels", qrels, "--run", good)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not (tmp_path / "home").exists()
