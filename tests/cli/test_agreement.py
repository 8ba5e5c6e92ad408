"""Command agreement."""

import pytest

RATINGS = "rater,item,grade\na,1,3\nb,1,3\na,2,0\nb,2,0\na,3,1\nb,3,unsure\nc,4,2\nc,4,1\n"


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS, "utf-8")
    return path


def test_it_says_how_far_raters_agree_and_why_some_cannot(run, ratings):
    done = run("agreement", ratings)
    assert done.status == 0
    assert done.out.startswith("3 raters, 4 items, 6 grades, 6 missing\n")
    graded, binary = done.out.split("\n\n")[1:]
    assert "labels -1, 0, 1, 2, 3; 2 items with two grades or more" in graded
    assert "Krippendorff's alpha, ordinal: 1.0000" in graded
    assert "mean of Cohen's kappa over 1 of 3 pairs: 1.0000" in graded
    assert "kappa undefined: no item was graded by both raters" in graded
    assert binary.startswith("Relevant or not (grade ≥ 1)")
    assert "not taken: line 9: rater 'c' gave '4' another grade in line 8" in done.err


def test_json_has_the_reasons_as_codes(run, ratings):
    found = run("agreement", ratings, "--json").json
    pairs = {(p["a"], p["b"]): p for p in found["agreement"]["graded"]["pairs"]}
    assert pairs["a", "b"]["kappa"] == {"value": 1.0, "undefined": ""}
    assert pairs["b", "c"]["kappa"] == {"value": None, "undefined": "no_common"}
    assert found["read"]["skipped"][0]["code"] == "contradicting_rating"


def test_another_scale_has_to_be_asked_for(run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("item;a;b\n1;5;5\n2;4;1\n3;1;1\n", "utf-8")
    done = run("agreement", path)
    assert done.status == 2
    assert "Rater 'a' gave '1' the grade 5; expected one of -1, 0, 1, 2, 3." in done.err
    assert "--any-scale" in done.err
    done = run("agreement", path, "--any-scale", "--threshold", "4", "--json")
    assert done.json["agreement"]["graded"]["labels"] == [1, 4, 5]
    assert done.json["agreement"]["binary"]["pairs"][0]["raw"]["value"] == pytest.approx(2 / 3)


def test_a_file_without_ratings_is_an_error(run, tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("rater,item,grade\n", "utf-8")
    done = run("agreement", path)
    assert done.status == 2
    assert "holds no rating" in done.err


@pytest.mark.parametrize("threshold", ["nan", "inf", "-inf", "x"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_threshold_is_a_finite_number(run, ratings, threshold, options):
    done = run("agreement", ratings, f"--threshold={threshold}", *options)
    assert (done.status, done.out) == (2, "")
    assert "argument --threshold" in done.err
