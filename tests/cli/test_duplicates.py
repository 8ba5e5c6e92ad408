"""The command that marks pairs of nodes."""

import pytest

from tests.workspace.homes import KEY, opened


@pytest.fixture
def pair(home):
    with opened(home) as workspace:
        ids = workspace.graph(KEY).ids
        return ids[0], ids[1]


def test_a_pair_is_marked_listed_and_taken_back(run, home, pair):
    one, other = pair
    done = run("duplicates", "small", other, one, "--verdict", "duplicate", "--user", "Dr. Ä", "--reason", "same drug")
    assert (done.status, done.out) == (0, f"{one} and {other} are duplicates now, says Dr. Ä.\n")
    (row,) = run("duplicates", "small", "--json").json
    assert (row["first"], row["second"], row["verdict"]) == (one, other, "duplicate")
    assert (row["user"], row["reason"], row["snapshot"]) == ("Dr. Ä", "same drug", KEY.snapshot_id)
    listed = run("duplicates", "small").out
    assert listed.startswith("duplicate  ")
    assert all(text in listed for text in (one, other, "Dr. Ä", "because: same drug"))
    changed = run("duplicates", "small", one, other, "--verdict", "different")
    assert "no duplicates now, says local. They were duplicates before." in changed.out
    assert run("duplicates", "small", one, other, "--verdict", "undecided").status == 0
    assert run("duplicates", "small").out == "Nothing is decided of nodes of small.\n"
    history = run("duplicates", "small", "--history", "--json").json
    assert [row["verdict"] for row in history] == ["undecided", "different", "duplicate"]


def test_marks_fold_hits(run, pair):
    with_both = run("search", "NTRK-Fusion ALK-Fusion", "--pipeline", "lexical", "--json").json["hits"]
    first, second = with_both[0]["id"], with_both[1]["id"]
    assert run("duplicates", "small", first, second, "--verdict", "duplicate").status == 0
    folded = run("search", "NTRK-Fusion ALK-Fusion", "--pipeline", "lexical", "--json").json["hits"]
    assert [hit["folded"] for hit in folded if hit["id"] == first] == [[second]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("small", "mamma"), "A pair needs two nodes; 1 given."),
        (("small", "mamma", "lunge", "x", "--verdict", "duplicate"), "A pair needs two nodes; 3 given."),
        (("small", "mamma", "aml"), "Say --verdict duplicate or different or undecided."),
        (("small", "--verdict", "duplicate"), "belong to a pair"),
        (("small", "mamma", "mamma", "--verdict", "duplicate"), "given twice"),
        (("small", "mamma", "nowhere", "--verdict", "duplicate"), "no node 'nowhere'"),
        (("other", "mamma", "aml", "--verdict", "duplicate"), "'other'"),
        (("small", "mamma", "aml", "--verdict", "undecided"), "nothing to take back"),
        (("small", "mamma", "aml", "--verdict", "duplicate", "--user", " "), "--user is empty"),
        (("small", "mamma", "aml", "--verdict", "distinct"), "invalid choice: 'distinct'"),
        (("small", "--snapshot", "none"), "none"),
    ],
)
def test_mistakes_are_one_clear_line(run, arguments, said):
    done = run("duplicates", *arguments)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert run("duplicates", "small", "--json").json == []


def test_a_node_that_is_gone_is_still_listed(run, home, pair, tmp_path):
    run("duplicates", "small", *pair, "--verdict", "different")
    with opened(home) as workspace:
        decision = workspace.store.decisions("small")
    assert len(list(decision)) == 1
    listed = run("duplicates", "small", "--language", "en").out
    assert listed.count("\n") == 3
