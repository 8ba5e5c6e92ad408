from hypothesis import given
from hypothesis import strategies as st

from oncosearch.workspace.moves import DOWN, MISSING, MOVES, NEW, SAME, UP, Mark, marks, moves

rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def test_moves_by_hand():
    found = moves("abcd", "bxad")
    assert [(m.node_id, m.kind, m.old, m.new, m.steps) for m in found] == [
        ("b", UP, 2, 1, 1),
        ("x", NEW, None, 2, 0),
        ("a", DOWN, 1, 3, -2),
        ("d", SAME, 4, 4, 0),
        ("c", MISSING, 3, None, 0),
    ]


@given(rankings, rankings)
def test_every_node_moves_once_and_the_way_back_is_the_opposite(a, b):
    there, back = moves(a, b), {m.node_id: m for m in moves(b, a)}
    assert sorted(m.node_id for m in there) == sorted({*a, *b})
    opposite = {UP: DOWN, DOWN: UP, SAME: SAME, NEW: MISSING, MISSING: NEW}
    assert set(opposite) == set(MOVES)
    for move in there:
        assert back[move.node_id].kind == opposite[move.kind]
        assert back[move.node_id].steps == -move.steps


def test_marks_give_colours_to_what_several_columns_share():
    found = marks(["abc", "bax"])
    assert found == {
        "a": Mark("a", 0),
        "b": Mark("b", 1),
        "x": Mark("d", None),
        "c": Mark("c", None),
    }


@given(st.lists(rankings, max_size=6))
def test_letters_are_never_shared_and_colours_count_up(columns):
    found = marks(columns)
    assert len({mark.letters for mark in found.values()}) == len(found)
    colours = sorted(mark.colour for mark in found.values() if mark.colour is not None)
    assert colours == list(range(len(colours)))


def test_letters_go_on_after_z():
    found = marks([[f"{i:03d}" for i in range(60)]])
    assert [found[f"{i:03d}"].letters for i in (0, 25, 26, 27, 51, 52, 59)] == ["a", "z", "aa", "ab", "az", "ba", "bh"]
